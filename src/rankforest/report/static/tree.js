// The page of a tree: every change of the tree changes all figures.

const model = new TreeModel(facts);
const drawing = new TreeDrawing(model, update);
const trace = facts.trace ? new Trace(model, drawing, facts.trace) : null;
const shareInput = byId("u"), stepInput = byId("step");
let share = facts.u;

const table = new SortedTable(byId("strata"), [
  { key: "stratum", name: "Stratum", text: (r) => String(r.stratum) },
  { key: "rows", name: "Rows", text: (r) => count(r.rows) },
  { key: "positives", name: facts.weighted ? `Mass of ${clip(EVENT, 16)}` : clip(EVENT, 22), text: (r) => count(r.positives) },
  { key: "rate", name: "Rate", text: (r) => percent(r.rate), element: rateCell },
  { key: "rate_low", name: "95% interval", text: (r) => (known(r.rate_low) ? `${(100 * r.rate_low).toFixed(1)}–${(100 * r.rate_high).toFixed(1)}%` : "–") },
  { key: "lift", name: "Lift", text: (r) => fixed(r.lift, 2) },
  { key: "cumulative_share", name: "Share", text: (r) => percent(r.cumulative_share) },
  { key: "cumulative_capture", name: "Captured", text: (r) => percent(r.cumulative_capture) },
  { key: "rule", name: "Rule", text: (r) => r.rule, words: true, element: (r) => ruleInParts(r.rule) },
], (line, row) => {
  if (trace && trace.nodes().at(-1) === row.node) line.classList.add("here");
});

// The first alternative of a rule; the others on request.
function ruleInParts(rule) {
  const [first, ...rest] = rule.split("; or ");
  if (!rest.length) return html("span", {}, first);
  return html("details", {}, html("summary", {}, html("span", {}, first)), ...rest.map((other) => html("p", {}, `or ${other}`)));
}

const drawRoc = chart("roc", (width) => {
  const { curve } = model, top = topOf(curve, share);
  const f = rocFrame(width, `AUC ${fixed(model.auc)}; the first ${percent(share)} of the list hold ${percent(top.beta)} of the rows with ${EVENT}.`);
  const cut = top.knot + 1;
  const xs = [...curve.alpha.slice(0, cut), top.alpha], ys = [...curve.beta.slice(0, cut), top.beta];
  f.area(xs, xs.map(() => 0), ys);
  f.line([0, 1], [0, 1], "chance");
  f.line(curve.alpha, curve.beta);
  if (curve.alpha.length <= 60) curve.alpha.forEach((a, i) => f.dot(a, curve.beta[i], "", 3));
  controlLine(f, model.rate, top);
  return f.root;
});

const drawPath = chart("path", (width) => {
  const { n_leaves: sizes, auc, counted_auc: trained } = facts.path;
  const most = Math.max(2, sizes[0]), scale = Math.log(most);
  const all = [...auc, ...(facts.source === "training" ? [] : trained), model.auc];
  const low = Math.min(0.5, ...all), high = Math.max(...all);
  const shown = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].filter((v) => v <= most);
  const f = frame({
    width, height: Math.min(320, Math.max(230, width * 0.62)), x: [0, scale], y: [low, Math.min(1, high + 0.02)], xTicks: shown.map(Math.log),
    xFormat: (v) => String(Math.round(Math.exp(v))), yFormat: (v) => fixed(v, 2), xLabel: "strata", yLabel: "AUC", name: "AUC along the pruning path",
    words: `From ${plural(sizes[0], "stratum", "strata")} with AUC ${fixed(auc[0])} to one.`,
  });
  const xs = sizes.map(Math.log);
  if (facts.source !== "training") f.line(xs, trained, "two");
  f.line(xs, auc);
  f.dot(Math.log(model.strata.length), model.auc, "two", 5.5);
  return f.root;
});

function update() {
  drawing.draw();
  const interval = facts.source === "given" ? model.interval() : null, step = model.step(), n = model.strata.length;
  show("auc", fixed(model.auc), model.auc, interval ? `${fixed(interval[0])} to ${fixed(interval[1])} (95%)` : facts.source === "given" ? "" : facts.held_out ? "on training rows, held-out routing" : "on training rows");
  if (interval) Object.assign(byId("auc").dataset, { low: interval[0], high: interval[1] });
  show("strata-count", String(n), n, model.isFitted() ? "the fitted model" : step >= 0 ? "on the pruning path" : "cut by hand");
  show("training-auc", fixed(model.trainingAuc), model.trainingAuc, facts.held_out ? "on training rows, held-out routing" : "too good for new rows");
  stepInput.value = step >= 0 ? step : stepInput.value;
  stepInput.setAttribute("aria-valuetext", plural(n, "stratum", "strata"));
  byId("step-value").textContent = step >= 0 ? plural(n, "stratum", "strata") : `${plural(n, "stratum", "strata")}, by hand`;
  byId("reset").disabled = model.isFitted();
  drawPath();
  if (trace) trace.show(byId("trace-result").textContent && trace.place < 0 ? byId("trace-result").textContent : "");
  const lines = markOrder(model.table().map((line) => ({ ...line, trials: line.rows })));
  table.show(lines);
  tellOrder("strata-order", lines, "stratum", "strata");
  updateShare();
}

function updateShare() {
  const top = topOf(model.curve, share);
  byId("u-value").textContent = short(share);
  shareInput.setAttribute("aria-valuetext", percent(share));
  tellTop({ ...top, relative: Math.min(top.localAuc / Math.min(share / model.rate, 1), 1) });
  show("hits", percent(top.hitRatio), top.hitRatio);
  drawRoc();
  byId("live").textContent = `${plural(model.strata.length, "stratum", "strata")}, AUC ${fixed(model.auc)}, local AUC at ${percent(share)} ${fixed(top.localAuc)}.`;
}

shareInput.value = share;
share = Number(shareInput.value); // within the reach of the slider
shareInput.addEventListener("input", () => {
  share = Number(shareInput.value);
  updateShare();
});
stepInput.max = facts.path.lambdas.length - 1;
stepInput.value = 0;
stepInput.addEventListener("input", () => {
  model.walkTo(Number(stepInput.value));
  update();
});
const press = (id, nodes) => byId(id).addEventListener("click", () => {
  model.collapse(nodes());
  update();
});
press("reset", () => model.fitted);
press("expand", () => []);
press("shut", () => [0]);
byId("csv").addEventListener("click", () => {
  const names = ["stratum", "rows", "mass", "positives", "rate", "rate_low", "rate_high", "lift", "cumulative_share", "cumulative_capture", "rule"];
  download("strata.csv", toCsv(names, table.rows), "text/csv;charset=utf-8");
});
if (trace) trace.input.addEventListener("input", () => table.draw());
for (const id of ["trace-any", "trace-none"]) byId(id)?.addEventListener("click", () => table.draw());

legend("roc-legend", [["line", "line", "this tree"], ["line", "control-line", "control line of the first share u"], ["line", "line chance", "chance"], ["box", "area", "area left of the control line"]]);
const trainingRows = facts.held_out ? "training rows, held-out routing" : "training rows";
legend("path-legend", [["line", "line", facts.source === "training" ? trainingRows : "rows of this report"], ...(facts.source === "training" ? [] : [["line", "line two", trainingRows]]), ["dot", "dot two", "the tree above"]]);
byId("tree-legend").replaceChildren(
  `rate of ${clip(EVENT, 24)} ${percent(drawing.low, 0)}`,
  svg("svg", { width: 7 * 16, height: 12, "aria-hidden": "true" }, ...[0, 1, 2, 3, 4, 5, 6].map((q) => svg("rect", { class: `swatch q${q}`, x: 16 * q, width: 16, height: 12 }))),
  percent(drawing.high, 0),
);
importanceChart("importance", facts.importance);
fittedEvaluation("the fitted tree");
reasonsCharts();
update();
window.rankforest = { model, topOf, table: () => model.table(), facts };
