// Contributions, with rows as far as the file contains them.

function reasonsCharts() {
  if (!facts.reasons) return;
  if (facts.reasons.swarm) swarmChart("swarm", facts.reasons);
  else rangesChart("swarm", facts.reasons);
  if (facts.reasons.slopes) new Slopes(facts.reasons);
  if (facts.reasons.rows) new RowReasons(facts.reasons);
}
