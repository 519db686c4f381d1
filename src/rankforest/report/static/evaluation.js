// The evaluation of the fitted model: gains, lift, calibration and scores of both classes. All pages have it.

const EVENT = facts.event;

function topAt(place) {
  const { share, alpha, beta, local_auc: local, rate } = facts.evaluation.top;
  const u = share[place], best = Math.min(u / rate, 1);
  return { u, alpha: alpha[place], beta: beta[place], localAuc: local[place], relative: Math.min(local[place] / best, 1), lift: beta[place] / u, hitRatio: Math.min((rate * beta[place]) / u, 1) };
}

const placeOf = (u) => Math.max(0, facts.evaluation.top.share.findIndex((share) => share >= u - 1e-9));

// The figures of the first share of the list.
function tellTop(at) {
  show("local-auc", fixed(at.localAuc), at.localAuc, `first ${short(at.u)}; ${fixed(at.relative, 2)} of the best possible`);
  show("capture", percent(at.beta), at.beta, `of ${clip(EVENT, 24)}, lift ${fixed(at.lift, 2)}`);
}

// Gains and lift, with the place that a slider chooses; returns what draws them again.
function gainsCharts(placeNow, words, share) {
  const { top } = facts.evaluation;
  const shareChart = (id, name, values, best, y, yFormat, yLabel) => chart(id, (width) => {
    const place = placeNow(), at = topAt(place);
    const f = frame({ ...square, y, yTicks: null, width, height: Math.min(300, Math.max(210, width * 0.62)), xFormat: (v) => percent(v, 0), yFormat, xLabel: "share of the list", yLabel, name,
      words: `At ${short(at.u)} of the list: ${yFormat(values[place])}; a perfect list ${yFormat(best[place])}.` });
    const from = Math.max(best.findIndex((v) => v <= y[1]), 0);
    f.line(top.share.slice(from), best.slice(from), "chance");
    f.line(top.share, values);
    f.add(svg("line", { class: "control-line", x1: f.sx(at.u), x2: f.sx(at.u), y1: f.inner.top, y2: f.inner.bottom }));
    f.dot(at.u, values[place], "two", 5);
    return f.root;
  });
  const perfect = top.share.map((u) => Math.min(u / top.rate, 1));
  const lift = top.beta.map((b, i) => b / top.share[i]), most = perfect.map((b, i) => b / top.share[i]);
  // a perfect list may be far above: then its line leaves the picture at the top
  const highest = Math.min(Math.max(...lift) * 2.5, Math.max(...most) * 1.05);
  const drawn = [
    shareChart("gains", "Gains", top.beta, perfect, [0, 1], (v) => percent(v, 0), `share of ${clip(EVENT, 24)}`),
    shareChart("lift", "Lift", lift, most, [0, highest], (v) => fixed(v, 1), "lift"),
  ];
  legend("gains-legend", [["line", "line", words], ["line", "line chance", "a perfect list"], ["line", "control-line", share]]);
  return () => drawn.forEach((draw) => draw());
}

// Marks lines of a table whose rate is above that of the line before; those beyond chance are told apart.
function markOrder(lines) {
  let before = null;
  for (const line of lines) {
    line.breaks = null;
    if (!known(line.rate)) continue;
    if (before && line.rate > before.rate + 1e-12) {
      const [n, m] = [line.trials, before.trials], pooled = (n * line.rate + m * before.rate) / (n + m);
      const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
      line.breaks = error > 0 && (line.rate - before.rate) / error > 1.959964 ? "beyond" : "chance";
    }
    before = line;
  }
  return lines;
}

const orderMark = (line) => (line.breaks ? html("span", { class: `breaks ${line.breaks}`, title: line.breaks === "beyond" ? "higher than the line before, beyond chance" : "higher than the line before, within chance" }, line.breaks === "beyond" ? "▲!" : "▲") : "");
const rateCell = (line) => html("span", {}, orderMark(line), line.breaks ? " " : "", percent(line.rate));

function tellOrder(id, lines, one, many) {
  const breaks = lines.filter((line) => line.breaks), beyond = breaks.filter((line) => line.breaks === "beyond");
  const place = byId(id);
  if (!place) return;
  place.classList.toggle("broken", beyond.length > 0);
  place.textContent = !breaks.length ? `The rate of ${EVENT} falls from each ${one} to the next: the order holds.`
    : `▲ In ${plural(breaks.length, one, many)} the rate of ${EVENT} is higher than in the ${one} before; ${beyond.length ? `${beyond.length} of them (▲!) beyond chance.` : "none of them beyond chance."}`;
}

function gainsTable(rowsOfMass) {
  const { gains } = facts.evaluation;
  const rows = markOrder(gains.group.map((group, i) => ({ ...Object.fromEntries(Object.entries(gains).map(([name, values]) => [name, values[i]])), stratum: group, trials: gains.mass[i] / rowsOfMass })));
  const table = new SortedTable(byId("gains-table"), [
    { key: "group", name: "Tenth", text: (r) => String(r.group) },
    { key: "mass", name: facts.weighted ? "Mass" : "Rows", text: (r) => (facts.weighted ? count(r.mass) : sharedRows(r.mass, r.mass)) },
    { key: "positives", name: clip(EVENT, 22), text: (r) => (facts.weighted ? count(r.positives) : sharedRows(r.positives, r.mass)) },
    { key: "rate", name: "Rate", text: (r) => percent(r.rate), element: rateCell },
    { key: "lift", name: "Lift", text: (r) => fixed(r.lift, 2) },
    { key: "cumulative_share", name: "Share", text: (r) => percent(r.cumulative_share, 0) },
    { key: "cumulative_capture", name: "Captured", text: (r) => percent(r.cumulative_capture) },
    { key: "cumulative_lift", name: "Lift so far", text: (r) => fixed(r.cumulative_lift, 2) },
  ]);
  table.show(rows);
  tellOrder("gains-order", rows, "tenth", "tenths");
  byId("gains-csv").addEventListener("click", () => download("gains.csv", toCsv(Object.keys(gains), rows), "text/csv;charset=utf-8"));
}

// Predicted against observed rates, with intervals; below, how often each probability is given.
function calibrationChart() {
  const found = facts.evaluation.calibration;
  if (!found || !byId("calibration")) return;
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

// Both classes by score: each has the area 1.
function classPicture(width, { name, xLabel, words, edges, negatives, positives }) {
  const most = Math.max(...negatives, ...positives);
  const f = frame({ width, height: Math.min(240, Math.max(150, width * 0.42)), x: [edges[0], edges[edges.length - 1]], y: [0, most * 1.06], yTicks: [], left: 20, xLabel, name, words });
  negatives.forEach((_, i) => {
    for (const [kind, value] of [["other", negatives[i]], ["own", positives[i]]]) {
      f.add(svg("rect", { class: `column ${kind}`, x: f.sx(edges[i]) + 0.5, width: Math.max(f.sx(edges[i + 1]) - f.sx(edges[i]) - 1, 0.5), y: f.sy(value), height: f.inner.bottom - f.sy(value) }));
    }
  });
  return f.root;
}

function scoresChart() {
  const { distribution } = facts.evaluation;
  if (!byId("scores")) return;
  const above = distribution.positives.reduce((sum, part, i) => sum + part * (i + 0.5), 0) - distribution.negatives.reduce((sum, part, i) => sum + part * (i + 0.5), 0);
  chart("scores", (width) => classPicture(width, { ...distribution, name: "Scores of both classes", xLabel: distribution.of === "probability" ? `probability of ${clip(EVENT, 30)}` : "score",
    words: `The mean of the rows with ${EVENT} is ${above >= 0 ? "above" : "below"} that of the others.` }));
  legend("scores-legend", [["box", "column own", `rows with ${EVENT}`], ["box", "column other", "all other rows"]]);
}

// What the pages of trees and scorecards show besides their own figures.
function fittedEvaluation(words) {
  if (!facts.evaluation) return;
  const place = placeOf(facts.u ?? facts.sides?.u ?? 0.1);
  gainsCharts(() => place, words, `first ${short(topAt(place).u)} of the list`);
  gainsTable(facts.weighted ? facts.evaluation.gains.mass.reduce((a, b) => a + b, 0) / facts.n_rows : 1);
  calibrationChart();
  scoresChart();
}
