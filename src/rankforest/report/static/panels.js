// One panel for each feature: its shape, and its steps with the points, which can be changed.

function pointsRange(model) {
  const all = model.points.flatMap((points, t) => points.flatMap((p, k) => [p - 2 * model.terms[t].error[k], p + 2 * model.terms[t].error[k], model.stored[t][k]]));
  const low = Math.min(0, ...all), high = Math.max(...all, low + 1), room = 0.06 * (high - low);
  return [low - room, high + room];
}

// Places of the steps on the axis: by value where their widths allow it, else side by side.
function stepPlaces(term) {
  const { edges } = term, n = term.points.length - 1;
  if (!edges) return { from: (k) => k + 0.08, to: (k) => k + 0.92, x: [0, n], ticks: [] };
  const gaps = edges.slice(1).map((e, i) => e - edges[i]).sort((a, b) => a - b);
  const even = !gaps.length || gaps[gaps.length - 1] > 12 * gaps[0];
  if (even) return { from: (k) => k, to: (k) => k + 1, x: [0, n], ticks: edges.map((e, i) => [i + 1, e]) };
  const width = gaps[Math.floor(gaps.length / 2)], ends = [edges[0] - width, ...edges, edges[edges.length - 1] + width];
  return { from: (k) => ends[k], to: (k) => ends[k + 1], x: [ends[0], ends[n]], ticks: edges.map((e) => [e, e]) };
}

function shapeChart(model, t, width) {
  const term = model.terms[t], points = model.points[t], n = points.length - 1, places = stepPlaces(term);
  const gone = term.rows[n] > 0, span = places.x[1] - places.x[0], x = [places.x[0], places.x[1] + (gone ? 0.16 * span : 0)];
  const from = (k) => (k < n ? places.from(k) : places.x[1] + 0.05 * span), to = (k) => (k < n ? places.to(k) : x[1]);
  const words = points.map((p, k) => `${term.short[k]} ${compactNumber(p)}`).join(", ");
  const f = frame({ width, height: 150, x, y: pointsRange(model), xTicks: [], yTicks: ticks(...pointsRange(model), 4), left: 40, right: 14, bottom: 26, name: `Points by ${term.name}`, words });
  let taken = -Infinity;
  for (const [at, edge] of places.ticks) {
    const text = compactNumber(edge), wide = 3.4 * text.length;
    f.add(svg("line", { class: "axis", x1: f.sx(at), x2: f.sx(at), y1: f.inner.bottom, y2: f.inner.bottom + 4 }));
    if (f.sx(at) - wide < taken + 6 || (gone && f.sx(at) + wide > f.inner.right - 50)) continue;
    taken = f.sx(at) + wide;
    f.add(svg("text", { class: "soft", x: f.sx(at), y: f.inner.bottom + 17, "text-anchor": "middle" }, text));
  }
  for (let k = 0; k <= (gone ? n : n - 1); k++) {
    const [a, b] = [f.sx(from(k)), f.sx(to(k))], p = points[k], e = 2 * term.error[k];
    f.add(svg("rect", { class: "band", x: a, width: Math.max(b - a, 0), y: f.sy(p + e), height: Math.max(f.sy(p - e) - f.sy(p + e), 0) }));
    if (model.isChanged(t, k)) f.add(svg("line", { class: "stair before", x1: a, x2: b, y1: f.sy(model.stored[t][k]), y2: f.sy(model.stored[t][k]) }));
    f.add(svg("line", { class: "stair", x1: a, x2: b, y1: f.sy(p), y2: f.sy(p) }));
    if (k && k < n && term.edges) f.add(svg("line", { class: "riser", x1: a, x2: a, y1: f.sy(points[k - 1]), y2: f.sy(p) }));
  }
  if (gone) {
    const at = f.sx(places.x[1] + 0.025 * span);
    f.add(svg("line", { class: "divide", x1: at, x2: at, y1: f.inner.top, y2: f.inner.bottom }));
    f.add(svg("text", { class: "soft", x: f.inner.right, y: f.inner.bottom + 17, "text-anchor": "end" }, "missing"));
  }
  return f.root;
}

function meter(points, range) {
  const [low, high] = range, at = (v) => (100 * (v - low)) / (high - low), zero = at(0), end = at(points);
  return svg("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: points < 0 ? "column below" : "column", x: Math.min(zero, end), y: 2, width: Math.max(Math.abs(end - zero), 0.8), height: 10 }));
}

// The field of one step.
function pointsField(model, t, k, onChange) {
  const term = model.terms[t];
  const input = html("input", { type: "number", step: "1", value: term.points[k], disabled: !model.cells, "aria-label": `Points of ${term.name}, ${term.short[k]}`, "data-term": t, "data-step": k });
  input.addEventListener("input", () => {
    if (input.value.trim() === "" || !Number.isFinite(Number(input.value))) return;
    model.set(t, k, Number(input.value));
    onChange();
  });
  return { input, paper: html("span", { class: "paper" }) };
}

// One feature: a line for every step.
function stepsTable(model, t, onChange) {
  const term = model.terms[t];
  const head = html("tr", {}, ...[["", "step"], ["points"], ["", "bar-head"], ["rows"], ["rate"], ["WoE", "woe"]].map(([name, kind]) => html("th", { scope: "col", class: kind }, name)));
  const fields = term.points.map((_, k) => {
    const { input, paper } = pointsField(model, t, k, onChange), bar = html("td", { class: "meter" }), seen = term.rows[k] > 0;
    const place = html("tr", {}, html("th", { scope: "row", class: "step", title: term.steps[k] }, term.short[k]), html("td", {}, input, paper), bar,
      html("td", {}, count(term.rows[k])), html("td", {}, seen ? percent(term.rate[k]) : ""), html("td", { class: "woe" }, seen ? fixed(term.woe[k], 2) : ""));
    return { input, paper, bar, place, shown: seen || !term.steps[k].includes("missing") };
  });
  return { fields, head, body: fields.filter((each) => each.shown).map((each) => each.place) };
}

// A pair of features: a line for every step of the one, a column for every step of the other.
function pairTable(model, t, onChange) {
  const term = model.terms[t], wide = term.across.length, at = (i, j) => i * wide + j;
  const some = (cells) => cells.some((k) => term.rows[k] > 0);
  const rows = term.down.map((_, i) => i).filter((i) => some(term.across.map((_, j) => at(i, j))));
  const columns = term.across.map((_, j) => j).filter((j) => some(term.down.map((_, i) => at(i, j))));
  const head = html("tr", {}, html("th", { scope: "col", class: "step" }, `${term.features[0]} \\ ${term.features[1]}`), ...columns.map((j) => html("th", { scope: "col" }, term.across[j])));
  const fields = term.points.map((_, k) => {
    const { input, paper } = pointsField(model, t, k, onChange);
    const told = `${count(term.rows[k])} rows${term.rows[k] > 0 ? `, ${percent(term.rate[k])}` : ""}`;
    return { input, paper, bar: null, place: html("td", {}, input, paper, html("small", {}, told)) };
  });
  const body = rows.map((i) => html("tr", {}, html("th", { scope: "row", class: "step" }, term.down[i]), ...columns.map((j) => fields[at(i, j)].place)));
  return { fields, head, body };
}

class TermPanel {
  constructor(model, t, onChange) {
    this.model = model;
    this.t = t;
    const term = model.terms[t], isPair = term.across !== null;
    const { fields, head, body } = (isPair ? pairTable : stepsTable)(model, t, onChange);
    this.fields = fields;
    const table = html("table", {}, html("caption", { class: "unseen" }, `Steps of ${term.name}`), html("thead", {}, head), html("tbody", {}, ...body));
    this.shape = isPair ? null : html("div");
    this.element = html("div", { class: isPair ? "term pair-term" : "term" },
      html("h3", {}, html("span", { title: term.name }, clip(term.name, 60)), html("small", {}, `information value ${fixed(term.iv, 3)}`)),
      ...(isPair ? [] : [this.shape]), html("div", { class: "scroll" }, table));
  }

  start() {
    this.redraw = this.shape ? chart(this.shape, (width) => shapeChart(this.model, this.t, width)) : () => {};
    this.draw();
  }

  draw() {
    const range = pointsRange(this.model);
    this.fields.forEach(({ place, input, paper, bar }, k) => {
      const value = this.model.points[this.t][k];
      bar?.replaceChildren(meter(value, range));
      paper.textContent = compactNumber(value);
      place.classList.toggle("changed", this.model.isChanged(this.t, k));
      if (Number(input.value) !== value || input.value === "") input.value = value;
    });
    this.redraw();
  }
}
