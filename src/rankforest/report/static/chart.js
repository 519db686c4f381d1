// Axes, lines and areas. A chart is painted for the width that it has, so that its letters keep their size.

function chart(place, paint) {
  const host = typeof place === "string" ? byId(place) : place;
  let width = 0;
  const redraw = () => {
    width = Math.max(220, Math.floor(host.clientWidth));
    host.replaceChildren(paint(width));
  };
  new ResizeObserver(calmly(() => {
    if (Math.abs(host.clientWidth - width) > 1) redraw();
  })).observe(host);
  redraw();
  return redraw;
}

// Round steps between two values.
function ticks(low, high, about = 5) {
  const raw = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const found = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) found.push(Math.abs(v) < step * 1e-6 ? 0 : Number(v.toPrecision(12)));
  return found;
}

let chartCount = 0;

// The frame of a chart: scales x and y, and the element to draw on. The words are for those who do not see it.
function frame({ width, height, x, y, xTicks, yTicks, xLabel, yLabel, xFormat = compactNumber, yFormat = compactNumber, name, words, left = 52, bottom = 42, top = 10, right = 20 }) {
  const id = `chart-${++chartCount}`;
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": `${id}-t ${id}-d` },
    svg("title", { id: `${id}-t` }, name), svg("desc", { id: `${id}-d` }, words || ""));
  const inner = { left, right: width - right, top, bottom: height - bottom };
  const sx = (v) => inner.left + ((v - x[0]) / (x[1] - x[0])) * (inner.right - inner.left);
  const sy = (v) => inner.bottom - ((v - y[0]) / (y[1] - y[0])) * (inner.bottom - inner.top);
  for (const v of yTicks || ticks(...y)) {
    root.append(svg("line", { class: "grid", x1: inner.left, x2: inner.right, y1: sy(v), y2: sy(v) }),
      svg("text", { class: "soft", x: inner.left - 7, y: sy(v) + 4, "text-anchor": "end" }, yFormat(v)));
  }
  for (const v of xTicks || ticks(...x)) {
    root.append(svg("line", { class: "axis", x1: sx(v), x2: sx(v), y1: inner.bottom, y2: inner.bottom + 4 }),
      svg("text", { class: "soft", x: sx(v), y: inner.bottom + 17, "text-anchor": "middle" }, xFormat(v)));
  }
  root.append(svg("line", { class: "axis", x1: inner.left, x2: inner.right, y1: inner.bottom, y2: inner.bottom }));
  if (xLabel) root.append(svg("text", { class: "soft", x: (inner.left + inner.right) / 2, y: height - 6, "text-anchor": "middle" }, xLabel));
  if (yLabel) root.append(svg("text", { class: "soft", transform: `translate(11 ${(inner.top + inner.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel));
  const at = (xs, ys) => xs.map((v, i) => `${sx(v).toFixed(1)},${sy(ys[i]).toFixed(1)}`).join(" ");
  return {
    root, sx, sy, inner,
    line: (xs, ys, kind = "") => root.append(svg("polyline", { class: `line ${kind}`, points: at(xs, ys) })),
    area: (xs, low, high, kind = "area") =>
      root.append(svg("polygon", { class: kind, points: `${at(xs, high)} ${at([...xs].reverse(), [...low].reverse())}` })),
    dot: (vx, vy, kind = "", r = 4) => root.append(svg("circle", { class: `dot ${kind}`, cx: sx(vx), cy: sy(vy), r })),
    add: (...elements) => root.append(...elements),
  };
}

const square = { x: [0, 1], y: [0, 1], xTicks: [0, 0.2, 0.4, 0.6, 0.8, 1], yTicks: [0, 0.2, 0.4, 0.6, 0.8, 1], xFormat: (v) => fixed(v, 1), yFormat: (v) => fixed(v, 1) };

// The ROC square, with the control line of the first share u and the point where the curve meets it.
function rocFrame(width, words) {
  const size = Math.min(width, 460);
  return frame({ ...square, width, height: size, name: "ROC curve", words,
    xLabel: "share of the other rows (α)", yLabel: `share of ${clip(facts.event, 24)} (β)` });
}

function controlLine(f, rate, top) {
  // u = rate * beta + (1 - rate) * alpha, inside of the square
  const betaAt = (a) => (top.u - (1 - rate) * a) / rate;
  const alphaAt = (b) => (top.u - rate * b) / (1 - rate);
  const from = betaAt(0) <= 1 ? [0, betaAt(0)] : [alphaAt(1), 1];
  const to = alphaAt(0) <= 1 ? [alphaAt(0), 0] : [1, betaAt(1)];
  f.add(svg("line", { class: "control-line", x1: f.sx(from[0]), y1: f.sy(from[1]), x2: f.sx(to[0]), y2: f.sy(to[1]) }));
  f.dot(top.alpha, top.beta, "two", 5);
}

// A legend that shows what it names, not by colour alone.
function legend(id, entries) {
  const sample = { line: () => svg("line", { x1: 0, x2: 26, y1: 6, y2: 6 }), box: () => svg("rect", { width: 26, height: 12 }), dot: () => svg("circle", { cx: 13, cy: 6, r: 4.5 }) };
  byId(id).replaceChildren(...entries.map(([kind, style, words]) => {
    const drawn = sample[kind]();
    drawn.setAttribute("class", style);
    return html("li", {}, svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, drawn), words);
  }));
}
