// The page of a forest or a booster: the figures are computed; the slider looks them up.

const sourceWords = { given: "rows of this report", held_out: facts.model === "RankingForest" ? "out of bag" : "held out" };

function rocAndGains() {
  const { top, auc } = facts.evaluation, input = byId("u");
  let place = placeOf(facts.u);
  const drawRoc = chart("roc", (width) => {
    const at = topAt(place), main = facts.roc[0];
    const f = rocFrame(width, `AUC ${fixed(main.auc)}; the first ${short(at.u)} of the list hold ${percent(at.beta)} of the rows with ${EVENT}.`);
    for (const [i, curve] of facts.roc.entries()) {
      if (curve.band) f.area(curve.band.alpha, curve.band.low, curve.band.high, i ? "band two" : "band");
    }
    f.line([0, 1], [0, 1], "chance");
    for (const [i, curve] of [...facts.roc.entries()].reverse()) f.line(curve.alpha, curve.beta, i ? "two" : "");
    controlLine(f, top.rate, at);
    return f.root;
  });
  const drawGains = gainsCharts(() => place, sourceWords[facts.source], "first share u");
  const update = () => {
    const at = topAt(place);
    byId("u-value").textContent = short(at.u);
    input.setAttribute("aria-valuetext", short(at.u));
    tellTop(at);
    show("hits", percent(at.hitRatio), at.hitRatio);
    drawRoc();
    drawGains();
    byId("live").textContent = `First ${short(at.u)}: local AUC ${fixed(at.localAuc)}, capture ${percent(at.beta)}.`;
  };
  input.value = place;
  input.addEventListener("input", () => {
    place = Number(input.value);
    update();
  });
  show("auc", fixed(auc.estimate), auc.estimate, `${fixed(auc.low)} to ${fixed(auc.high)} (95%)`);
  const named = facts.roc.map((curve, i) => ["line", i ? "line two" : "line", `${sourceWords[curve.source]}, AUC ${fixed(curve.auc)}`]);
  const banded = facts.roc.findIndex((curve) => curve.band);
  if (banded >= 0) named.push(["box", banded ? "band two" : "band", "95% band of the whole curve"]);
  legend("roc-legend", [...named, ["line", "control-line", "first share u"], ["line", "line chance", "chance"]]);
  update();
}

// Single trees and what they agree on: how far a tree is from the consensus, and how well each ranks.
function singleChart() {
  const found = facts.single, drawn = found.auc.map((auc, i) => [found.distance[i], auc]).filter(([, auc]) => known(auc));
  const aucs = drawn.map(([, auc]) => auc), reach = Math.max(0.05, ...drawn.map(([d]) => d)) * 1.06;
  const better = aucs.filter((auc) => auc < found.together).length;
  chart("single", (width) => {
    const y = [Math.min(...aucs, found.together) - 0.015, Math.min(1, Math.max(...aucs, found.together) + 0.015)];
    const f = frame({ width, height: Math.min(360, Math.max(240, width * 0.68)), x: [-0.02 * reach, reach], y, xTicks: ticks(0, reach, 5), xFormat: (v) => fixed(v, 2), yFormat: (v) => fixed(v, 2),
      xLabel: "distance from the consensus (Kendall)", yLabel: "AUC", name: "Single trees and their consensus",
      words: `The consensus has AUC ${fixed(found.together)}; single trees ${fixed(Math.min(...aucs))} to ${fixed(Math.max(...aucs))}.` });
    f.add(svg("line", { class: "control-line", x1: f.inner.left, x2: f.inner.right, y1: f.sy(found.together), y2: f.sy(found.together) }));
    for (const [distance, auc] of drawn) f.dot(distance, auc, "faint", 3.6);
    f.dot(0, found.together, "two", 6.5);
    return f.root;
  });
  show("beaten", `${better} of ${drawn.length}`, better);
  legend("single-legend", [["dot", "dot faint", "a tree"], ["dot", "dot two", `the consensus, AUC ${fixed(found.together)}`]]);
}

function stabilityChart() {
  const found = facts.stability, most = Math.max(...found.counts);
  chart("stability", (width) => {
    const { edges } = found;
    const f = frame({ width, height: Math.min(320, Math.max(230, width * 0.6)), x: [0, edges[edges.length - 1]], y: [0, most * 1.08], yTicks: [], xFormat: (v) => fixed(v, 1), left: 14,
      xLabel: "Kendall distance between two trees", name: "Stability of the trees", words: `Mean distance ${fixed(found.mean)}; 0 is the same ranking, 0.5 is chance.` });
    found.counts.forEach((n, i) => {
      const x = f.sx(edges[i]);
      f.add(svg("rect", { class: "column", x: x + 0.7, y: f.sy(n), width: f.sx(edges[i + 1]) - x - 1.4, height: f.inner.bottom - f.sy(n) }));
    });
    f.add(svg("line", { class: "control-line", x1: f.sx(found.mean), x2: f.sx(found.mean), y1: f.inner.top, y2: f.inner.bottom }));
    return f.root;
  });
  show("instability", fixed(found.mean), found.mean);
}

if (facts.source) {
  rocAndGains();
  gainsTable(facts.weighted ? facts.evaluation.gains.mass.reduce((a, b) => a + b, 0) / facts.n_rows : 1);
  calibrationChart();
  scoresChart();
  if (facts.single) singleChart();
  if (facts.stability) stabilityChart();
  dependenceCharts("dependence", facts.dependence);
}
importanceChart("importance", facts.importance);
reasonsCharts();
window.rankforest = { facts };
