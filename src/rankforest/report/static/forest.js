// The page of a forest or a booster: the figures are computed; the slider looks them up.

const sourceWords = { given: "rows of this report", held_out: facts.model === "RankingForest" ? "out of bag" : "held out" };

function topAt(place) {
  const { share, alpha, beta, local_auc: local, rate } = facts.top;
  const u = share[place];
  return { u, alpha: alpha[place], beta: beta[place], localAuc: local[place], lift: beta[place] / u, hitRatio: Math.min((rate * beta[place]) / u, 1) };
}

function rocAndGains() {
  const { top } = facts, input = byId("u");
  let place = Math.max(0, top.share.findIndex((u) => u >= facts.u - 1e-9));
  const drawRoc = chart("roc", (width) => {
    const at = topAt(place), main = facts.roc[0];
    const f = rocFrame(width, `AUC ${fixed(main.auc)}; the best ${short(at.u)} of the list hold ${percent(at.beta)} of the positives.`);
    for (const [i, curve] of facts.roc.entries()) {
      if (curve.band) f.area(curve.band.alpha, curve.band.low, curve.band.high, i ? "band two" : "band");
    }
    f.line([0, 1], [0, 1], "chance");
    for (const [i, curve] of [...facts.roc.entries()].reverse()) f.line(curve.alpha, curve.beta, i ? "two" : "");
    controlLine(f, top.rate, at);
    return f.root;
  });
  const shareChart = (id, name, values, best, y, yFormat, yLabel) => chart(id, (width) => {
    const at = topAt(place);
    const f = frame({ ...square, y, yTicks: null, width, height: Math.min(300, Math.max(210, width * 0.62)), xFormat: (v) => percent(v, 0), yFormat, xLabel: "share of the list", yLabel, name,
      words: `At ${short(at.u)} of the list: ${yFormat(values[place])}; a perfect list ${yFormat(best[place])}.` });
    f.line(top.share, best, "chance");
    f.line(top.share, values);
    f.add(svg("line", { class: "control-line", x1: f.sx(at.u), x2: f.sx(at.u), y1: f.inner.top, y2: f.inner.bottom }));
    f.dot(at.u, values[place], "two", 5);
    return f.root;
  });
  const perfect = top.share.map((u) => Math.min(u / top.rate, 1));
  const lift = top.beta.map((b, i) => b / top.share[i]), most = perfect.map((b, i) => b / top.share[i]);
  const highest = Math.min(Math.max(...lift) * 1.12, Math.max(...most) * 1.05);
  const drawGains = shareChart("gains", "Gains", top.beta, perfect, [0, 1], (v) => percent(v, 0), "share of the positives");
  const drawLift = shareChart("lift", "Lift", lift, most.map((v) => Math.min(v, highest)), [0, highest], (v) => fixed(v, 1), "lift");
  const update = () => {
    const at = topAt(place);
    byId("u-value").textContent = short(at.u);
    input.setAttribute("aria-valuetext", short(at.u));
    show("local-auc", fixed(at.localAuc), at.localAuc, `best ${short(at.u)} of the list`);
    show("capture", percent(at.beta), at.beta, `of the positives, lift ${fixed(at.lift, 2)}`);
    show("hits", percent(at.hitRatio), at.hitRatio);
    drawRoc();
    drawGains();
    drawLift();
    byId("live").textContent = `Best ${short(at.u)}: local AUC ${fixed(at.localAuc)}, capture ${percent(at.beta)}.`;
  };
  input.value = place;
  input.addEventListener("input", () => {
    place = Number(input.value);
    update();
  });
  show("auc", fixed(facts.auc.estimate), facts.auc.estimate, `${fixed(facts.auc.low)} to ${fixed(facts.auc.high)} (95%)`);
  const named = facts.roc.map((curve, i) => ["line", i ? "line two" : "line", `${sourceWords[curve.source]}, AUC ${fixed(curve.auc)}`]);
  const banded = facts.roc.findIndex((curve) => curve.band);
  if (banded >= 0) named.push(["box", banded ? "band two" : "band", "95% band of the whole curve"]);
  legend("roc-legend", [...named, ["line", "control-line", "best share u"], ["line", "line chance", "chance"]]);
  legend("gains-legend", [["line", "line", sourceWords[facts.source]], ["line", "line chance", "a perfect list"]]);
  update();
}

function gainsTable() {
  const { gains } = facts;
  const rows = gains.group.map((group, i) => Object.fromEntries(Object.entries(gains).map(([name, values]) => [name, values[i]]).concat([["stratum", group]])));
  const table = new SortedTable(byId("gains-table"), [
    { key: "group", name: "Group", text: (r) => String(r.group) },
    { key: "mass", name: facts.weighted ? "Mass" : "Rows", text: (r) => (facts.weighted ? count(r.mass) : sharedRows(r.mass, r.mass)) },
    { key: "positives", name: "Positives", text: (r) => (facts.weighted ? count(r.positives) : sharedRows(r.positives, r.mass)) },
    { key: "rate", name: "Rate", text: (r) => percent(r.rate) },
    { key: "lift", name: "Lift", text: (r) => fixed(r.lift, 2) },
    { key: "cumulative_share", name: "Share", text: (r) => percent(r.cumulative_share, 0) },
    { key: "cumulative_capture", name: "Capture", text: (r) => percent(r.cumulative_capture) },
    { key: "cumulative_lift", name: "Lift so far", text: (r) => fixed(r.cumulative_lift, 2) },
  ]);
  table.show(rows);
  byId("csv").addEventListener("click", () => download("gains.csv", toCsv(Object.keys(gains), rows), "text/csv;charset=utf-8"));
}

// Predicted against observed rates, with intervals; below, how often each probability is given.
function calibrationChart() {
  const found = facts.calibration;
  chart("calibration", (width) => {
    const f = frame({ ...square, width, height: Math.min(width, 400), xLabel: "predicted probability", yLabel: "observed rate", name: "Calibration",
      words: found.predicted.map((p, i) => `${percent(p)} predicted, ${percent(found.observed[i])} observed`).join("; ") });
    const most = Math.max(...found.histogram), tall = 0.16 * (f.inner.bottom - f.inner.top);
    found.histogram.forEach((part, i) => {
      const x = f.sx(found.edges[i]), h = (part / most) * tall;
      f.add(svg("rect", { class: "column faint", x: x + 0.5, y: f.inner.bottom - h, width: f.sx(found.edges[i + 1]) - x - 1, height: h }));
    });
    f.line([0, 1], [0, 1], "chance");
    found.predicted.forEach((p, i) => f.add(svg("line", { class: "whisker", x1: f.sx(p), x2: f.sx(p), y1: f.sy(found.low[i]), y2: f.sy(found.high[i]) })));
    f.line(found.predicted, found.observed);
    found.predicted.forEach((p, i) => f.add(svg("circle", { class: "ring", cx: f.sx(p), cy: f.sy(found.observed[i]), r: 4.5 })));
    return f.root;
  });
  show("calibration-error", fixed(found.error), found.error);
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
  gainsTable();
  if (facts.calibration) calibrationChart();
  if (facts.single) singleChart();
  if (facts.stability) stabilityChart();
  dependenceCharts("dependence", facts.dependence);
}
importanceChart("importance", facts.importance);
if (facts.reasons) {
  swarmChart("swarm", facts.reasons);
  if (facts.reasons.slopes) new Slopes(facts.reasons);
  if (facts.reasons.rows) new RowReasons(facts.reasons);
}
window.rankforest = { facts };
