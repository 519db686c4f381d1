// The page of a scorecard: points that can be changed, and everything that follows from them.

const model = new PointsModel(facts);
const evaluated = model.before !== null;

function rocChart() {
  return chart("roc", (width) => {
    const { curve, auc } = model.now, changed = model.now !== model.before;
    const f = rocFrame(width, `AUC ${fixed(auc, 4)}${changed ? `, stored card ${fixed(model.before.auc, 4)}` : ""}.`);
    f.line([0, 1], [0, 1], "chance");
    if (changed) f.line(model.before.curve.alpha, model.before.curve.beta, "two");
    f.line(curve.alpha, curve.beta);
    return f.root;
  });
}

function totalsRange() {
  const { groups } = model.now, low = groups[groups.length - 1].total, high = groups[0].total;
  return low < high ? [low, high] : [low - 1, high + 1];
}

// Both classes by total: each has the area 1.
function distributionChart() {
  return chart("distribution", (width) => {
    const x = totalsRange(), n = Math.max(10, Math.min(30, Math.floor(width / 18)));
    const negatives = new Array(n).fill(0), positives = new Array(n).fill(0);
    for (const g of model.now.groups) {
      const bin = Math.min(n - 1, Math.floor(((g.total - x[0]) / (x[1] - x[0])) * n));
      negatives[bin] += g.negatives / model.now.curve.n;
      positives[bin] += g.positives / model.now.curve.p;
    }
    return classPicture(width, { edges: Array.from({ length: n + 1 }, (_, k) => x[0] + ((x[1] - x[0]) * k) / n), negatives, positives, xLabel: "total", name: "Totals of both classes",
      words: `The greatest distance between the two classes (KS) is ${fixed(model.now.ks)}.` });
  });
}

// The rate in bands of totals; the probability of the model, while its points are the stored ones.
function probabilityChart() {
  return chart("probability", (width) => {
    const bands = model.bands(), changed = model.now !== model.before, { total, probability } = facts.calibration;
    const f = frame({ width, height: Math.min(300, Math.max(220, width * 0.4)), x: totalsRange(), y: [0, 1], yTicks: [0, 0.2, 0.4, 0.6, 0.8, 1], yFormat: (v) => percent(v, 0), xLabel: "total", yLabel: `rate of ${clip(EVENT, 20)}`, name: "From the total to the probability",
      words: bands.map((b) => `${compactNumber(b.low)} to ${compactNumber(b.high)}: ${percent(b.positives / (b.positives + b.negatives))}`).join("; ") });
    if (!changed) {
      const [low, high] = totalsRange(), inside = total.map((v, i) => [v, probability[i]]).filter(([v]) => v >= low && v <= high);
      const below = total.filter((v) => v < low).length, above = total.findIndex((v) => v > high);
      const ends = [[low, probability[Math.max(below - 1, 0)]], [high, probability[above < 0 ? total.length - 1 : above]]];
      const knots = inside.length ? [[low, inside[0][1]], ...inside, [high, inside[inside.length - 1][1]]] : ends;
      f.line(knots.map((k) => k[0]), knots.map((k) => k[1]));
    }
    for (const band of bands) {
      const rate = band.positives / (band.positives + band.negatives), [low, high] = wilson(rate, band.rows, facts.z), at = f.sx((band.low + band.high) / 2);
      f.add(svg("line", { class: "whisker two", x1: at, x2: at, y1: f.sy(low), y2: f.sy(high) }));
      f.dot((band.low + band.high) / 2, rate, "two", 3.8);
    }
    return f.root;
  });
}

const pythonCalls = () => model.changes().map(([t, k]) => {
  const { features, steps } = model.terms[t], name = features.length === 1 ? JSON.stringify(features[0]) : `(${features.map((f) => JSON.stringify(f)).join(", ")})`;
  return `model = model.set_points(${name}, ${JSON.stringify(steps[k])}, ${model.points[t][k]})`;
}).join("\n");

function tellFigures() {
  const { auc, ks } = model.now, changed = model.now !== model.before, interval = model.interval();
  const difference = auc - model.before.auc, sign = difference < 0 ? "−" : "+";
  show("auc", fixed(auc, 4), auc, changed ? `${sign}${fixed(Math.abs(difference), 4)} by the changes` : interval ? `${fixed(interval[0])} to ${fixed(interval[1])} (95%)` : "");
  show("gini", fixed(2 * auc - 1), 2 * auc - 1, "2 AUC − 1");
  show("ks", fixed(ks), ks, "greatest β − α");
  legend("roc-legend", [["line", "line", changed ? `changed points, AUC ${fixed(auc, 4)}` : `this card, AUC ${fixed(auc, 4)}`], ...(changed ? [["line", "line two", `stored card, AUC ${fixed(model.before.auc, 4)}`]] : []), ["line", "line chance", "chance"]]);
  legend("probability-legend", [...(changed ? [] : [["line", "line", "probability by the model"]]), ["dot", "dot two", "rate in a band of totals, 95% interval"]]);
  byId("live").textContent = changed ? `AUC ${fixed(auc, 4)}, ${sign}${fixed(Math.abs(difference), 4)} by the changes.` : `AUC ${fixed(auc, 4)}.`;
}

function cardCsv() {
  const names = ["feature", "step", "points", "stored_points", "standard_error", "rows", "rate", "woe"];
  const rows = model.terms.flatMap((term, t) => term.steps.map((step, k) => ({
    feature: term.name, step, points: model.points[t][k], stored_points: model.stored[t][k], standard_error: term.error[k], rows: term.rows[k], rate: term.rate[k], woe: term.woe[k],
  })));
  return toCsv(names, rows);
}

const redraws = [];
function update() {
  for (const panel of panels) panel.draw();
  if (!evaluated) return;
  tellFigures();
  for (const redraw of redraws) redraw();
  const calls = pythonCalls();
  byId("changes").hidden = !calls;
  byId("calls").textContent = calls;
  byId("reset").disabled = !calls;
}

const panels = model.terms.map((_, t) => new TermPanel(model, t, calmly(update)));
const widest = (t) => Math.max(...model.stored[t]) - Math.min(...model.stored[t]);
byId("panels").append(...[...panels].sort((a, b) => widest(b.t) - widest(a.t)).map((panel) => panel.element));
for (const panel of panels) panel.start();
if (evaluated) {
  redraws.push(rocChart(), distributionChart(), probabilityChart());
  legend("distribution-legend", [["box", "column own", `rows with ${EVENT}`], ["box", "column other", "all other rows"]]);
  byId("reset").addEventListener("click", () => {
    model.reset();
    update();
  });
}
byId("csv").addEventListener("click", () => download("card.csv", cardCsv(), "text/csv;charset=utf-8"));
update();
fittedEvaluation("the stored card");
reasonsCharts();
window.rankforest = { facts, model };
