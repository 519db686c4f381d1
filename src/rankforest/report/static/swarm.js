// Contributions of the features: of all rows as a swarm of dots, and of one feature against its values.

const scaleDigits = (scale, spread) => (scale === "points" ? 1 : Math.max(2, Math.min(6, 2 - Math.floor(Math.log10(spread || 1)))));
const signed = (value, digits) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

// Dots of one level as a single path: round ends of lines without length.
function dots(places, level) {
  return svg("path", { class: `swarm l${level}`, "data-dots": places.length, d: places.map(([x, y]) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join("") });
}

function byLevel(places, levels) {
  const found = new Map();
  places.forEach((place, i) => {
    const level = levels ? levels[i] : "-";
    if (!found.has(level)) found.set(level, []);
    found.get(level).push(place);
  });
  return [...found].sort().map(([level, some]) => dots(some, level === "-" ? "none" : level));
}

// Dots of nearly the same place lie one above the other, around the middle of their line.
function stacked(xs, middle, reach) {
  const bins = new Map();
  for (const x of xs) bins.set(Math.round(x / 3.2), (bins.get(Math.round(x / 3.2)) || 0) + 1);
  const step = Math.min(3.4, reach / Math.max(1, Math.floor(Math.max(...bins.values()) / 2))), taken = new Map();
  return xs.map((x) => {
    const bin = Math.round(x / 3.2), k = taken.get(bin) || 0;
    taken.set(bin, k + 1);
    return [x, middle + Math.ceil(k / 2) * (k % 2 ? step : -step)];
  });
}

const swatches = (...more) => [svg("svg", { width: 7 * 14, height: 12, "aria-hidden": "true" }, ...[0, 1, 2, 3, 4, 5, 6].map((q) => svg("path", { class: `swarm l${q}`, d: `M${14 * q + 7},6h0` }))), ...more];

function swarmChart(id, reasons) {
  const { features, others } = reasons.swarm;
  const lines = [...features, ...(others ? [{ name: plural(others.n, "other feature"), values: others.values, level: null }] : [])];
  if (!lines.length) {
    byId(id).append(html("p", { class: "note" }, "No feature makes a difference."));
    return;
  }
  const ends = lines.flatMap((each) => [each.values[0], each.values[each.values.length - 1]]);
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends), room = 0.03 * (high - low);
  const size = (each) => each.values.reduce((sum, v) => sum + Math.abs(v), 0) / each.values.length;
  chart(id, (width) => {
    const row = 34, names = Math.min(width * 0.36, 16 + 7 * Math.max(...lines.map((each) => Math.min(each.name.length, 34))));
    const f = frame({ width, height: row * lines.length + 46, x: [low - room, high + room], y: [0, 1], yTicks: [], xTicks: ticks(low, high, Math.max(3, Math.floor((width - names) / 90))), left: names, right: 14, top: 4,
      xLabel: `contribution to the ${reasons.scale}`, name: "Contributions of the features", words: `Mean size: ${lines.map((each) => `${each.name} ${compactNumber(Number(size(each).toPrecision(3)))}`).join(", ")}.` });
    f.add(svg("line", { class: "zero", x1: f.sx(0), x2: f.sx(0), y1: f.inner.top, y2: f.inner.bottom }));
    lines.forEach((each, i) => {
      const middle = f.inner.top + row * (i + 0.5);
      f.add(svg("line", { class: "grid", x1: f.inner.left, x2: f.inner.right, y1: middle, y2: middle }),
        svg("text", { x: names - 10, y: middle + 4, "text-anchor": "end" }, svg("title", {}, each.name), clip(each.name, Math.floor((names - 12) / 7))),
        ...byLevel(stacked(each.values.map(f.sx), middle, row / 2 - 3), each.level));
    });
    return f.root;
  });
  byId("swarm-legend").replaceChildren(html("li", {}, "low value ", ...swatches(" high value")), html("li", {}, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, svg("path", { class: "swarm lnone", d: "M7,6h0" })), "category, or missing"));
}

// One feature: its values and what they add, coloured by the feature that interacts most with it.
class Slopes {
  constructor(reasons) {
    this.reasons = reasons;
    this.input = byId("slope-feature");
    this.input.append(...reasons.slopes.map((each, i) => html("option", { value: i }, each.name)));
    this.redraw = chart("slope", (width) => this.paint(width));
    this.input.addEventListener("change", () => this.show());
    this.show();
  }

  get found() {
    return this.reasons.slopes[Number(this.input.value)];
  }

  show() {
    this.redraw();
    const { other, name } = this.found, entries = [];
    if (other?.named) entries.push(...other.named.map(([level, words]) => html("li", {}, svg("svg", { width: 14, height: 12, "aria-hidden": "true" }, svg("path", { class: `swarm l${level}`, d: "M7,6h0" })), words)));
    else if (other?.ends) entries.push(html("li", {}, `${compactNumber(other.ends[0])} `, ...swatches(` ${compactNumber(other.ends[1])}`)));
    byId("slope-legend").replaceChildren(html("li", {}, other ? html("b", {}, other.name) : `${name} interacts with no other feature.`), ...entries);
  }

  paint(width) {
    const { name, values, categories, contributions, other } = this.found;
    const low = Math.min(0, ...contributions), high = Math.max(0, ...contributions), room = 0.06 * (high - low || 1);
    const seen = values.filter(known), absent = seen.length < values.length;
    let x, place, xTicks, xFormat;
    if (categories) {
      const order = [...new Set(seen)].sort((a, b) => a - b), at = new Map(order.map((c, i) => [c, i]));
      const many = new Map();
      place = (v) => {
        const k = many.get(v) || 0;
        many.set(v, k + 1);
        return at.get(v) + 0.6 * (((k * 0.618034) % 1) - 0.5);
      };
      x = [-0.6, Math.max(order.length, 1) - 0.4];
      const letters = Math.max(3, Math.floor((width - 80) / Math.max(order.length, 1) / 7));
      xTicks = order.map((_, i) => i);
      xFormat = (i) => clip(categories[order[i]], letters);
    } else {
      const [from, to] = seen.length ? [Math.min(...seen), Math.max(...seen)] : [0, 1], span = 0.03 * (to - from || 1);
      place = (v) => v;
      x = [from - span, to + span];
      xTicks = ticks(from, to, Math.max(3, Math.floor(width / 110)));
      xFormat = compactNumber;
    }
    const gone = x[1] + 0.06 * (x[1] - x[0]);
    const f = frame({ width, height: Math.min(380, Math.max(260, width * 0.5)), x: [x[0], absent ? gone + 0.04 * (x[1] - x[0]) : x[1]], y: [low - room, high + room], xTicks, xFormat, left: 58,
      xLabel: name, yLabel: `contribution to the ${this.reasons.scale}`, name: `Contributions of ${name}`,
      words: `From ${compactNumber(low)} to ${compactNumber(high)}${other ? `; the strongest interaction is with ${other.name}` : ""}.` });
    f.add(svg("line", { class: "zero", x1: f.inner.left, x2: f.inner.right, y1: f.sy(0), y2: f.sy(0) }));
    if (absent) f.add(svg("text", { class: "soft", x: f.inner.right, y: f.inner.bottom + 17, "text-anchor": "end" }, "missing"));
    f.add(...byLevel(values.map((v, i) => [f.sx(known(v) ? place(v) : gone), f.sy(contributions[i])]), other?.level));
    return f.root;
  }
}
