// The page of a model of ordered labels: labels and predictions, scores of every label, the tree.

const shade = (share) => `q${Math.min(6, Math.floor(share * 7))}`;
const labelShade = (k) => `q${facts.labels.length > 1 ? Math.round((6 * k) / (facts.labels.length - 1)) : 3}`;

// Columns side by side for every label: in training, among these rows, predicted.
function labelsChart() {
  const { training, observed, predicted } = facts.distribution;
  const kinds = [...(training ? [["other", "training rows", training]] : []), ["own", "rows of this report", observed], ["third", "predicted", predicted]];
  chart("labels", (width) => {
    const n = facts.labels.length, most = Math.max(...kinds.flatMap(([, , values]) => values));
    const f = frame({ width, height: Math.min(300, Math.max(200, width * 0.45)), x: [0, n], y: [0, most * 1.08], xTicks: facts.labels.map((_, i) => i + 0.5),
      xFormat: (v) => clip(facts.labels[Math.floor(v)], Math.max(2, Math.floor((width - 80) / n / 7))), yFormat: (v) => percent(v, 0), xLabel: "label", name: "Share of every label",
      words: facts.labels.map((label, i) => `${label}: ${percent(observed[i])}, predicted ${percent(predicted[i])}`).join("; ") });
    const wide = (f.sx(1) - f.sx(0)) * 0.78, one = wide / kinds.length;
    facts.labels.forEach((_, i) => kinds.forEach(([kind, , values], k) => f.add(svg("rect", { class: `column ${kind}`, x: f.sx(i + 0.5) - wide / 2 + one * k, width: Math.max(1, one - 1.5), y: f.sy(values[i]), height: f.inner.bottom - f.sy(values[i]) }))));
    return f.root;
  });
  legend("labels-legend", kinds.map(([kind, words]) => ["box", `column ${kind}`, words]));
}

// Scores of every label: half of the rows in the box, 80% on the line.
function scoresOfLabels() {
  const { scores } = facts, all = scores.flatMap((each) => each.at);
  const low = Math.min(...all), high = Math.max(...all), room = 0.04 * (high - low || 1);
  chart("scores", (width) => {
    const row = 34, left = Math.min(width * 0.3, 20 + 7 * Math.max(...scores.map((each) => Math.min(each.label.length, 24))));
    const f = frame({ width, height: row * scores.length + 46, x: [low - room, high + room], y: [0, 1], yTicks: [], xTicks: ticks(low, high, Math.max(3, Math.floor(width / 90))), left, top: 4, xLabel: "score", name: "Scores of every label",
      words: scores.map((each) => `${each.label}: median ${compactNumber(each.at[2])}`).join("; ") });
    [...scores].reverse().forEach((each, i) => {
      const y = f.inner.top + row * (i + 0.5), [a, b, c, d, e] = each.at.map(f.sx);
      f.add(svg("line", { class: "whisker", x1: a, x2: e, y1: y, y2: y }), svg("rect", { class: "box", x: b, width: Math.max(1, d - b), y: y - 9, height: 18, rx: 2 }), svg("line", { class: "median", x1: c, x2: c, y1: y - 9, y2: y + 9 }),
        svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, svg("title", {}, `${each.label}, ${plural(each.rows, "row")}`), clip(each.label, Math.floor((left - 12) / 7))));
    });
    return f.root;
  });
}

function confusionTable() {
  const { mass, share } = facts.confusion, table = byId("confusion");
  table.append(html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Label"), ...facts.labels.map((label) => html("th", { scope: "col" }, label)))),
    html("tbody", {}, ...facts.labels.map((label, i) => html("tr", {}, html("th", { scope: "row" }, label),
      ...mass[i].map((n, j) => html("td", { class: `${shade(share[i][j])}${i === j ? " own" : ""}`, "data-value": n }, count(n), html("small", {}, percent(share[i][j], 0))))))));
}

// The tree from its root at the top; each leaf is a bar of its labels. Wide trees scroll sideways.
class OrdinalTreeDrawing {
  constructor(found) {
    this.found = found;
    this.nodes = found.children.length;
    this.depth = new Array(found.rows.length).fill(0);
    found.children.forEach((pair, node) => pair.forEach((child) => { this.depth[child] = this.depth[node] + 1; }));
    chart("ordinal-tree", (width) => this.paint(width));
  }

  // The leaves in the order in which they are drawn, and where every node is.
  layOut(width) {
    const leaves = [], open = [0];
    while (open.length) {
      const at = open.pop();
      if (at < this.nodes) open.push(this.found.children[at][1], this.found.children[at][0]);
      else leaves.push(at);
    }
    const step = Math.max(58, Math.min(130, (width - 20) / leaves.length)), x = new Map(leaves.map((leaf, i) => [leaf, 10 + step * (i + 0.5)]));
    const ends = new Map(leaves.map((leaf, i) => [leaf, [10 + step * i, 10 + step * (i + 1)]]));
    this.room = new Map(); // as wide as the leaves below leave room for
    for (let at = this.nodes - 1; at >= 0; at--) {
      const [left, right] = this.found.children[at], middle = (x.get(left) + x.get(right)) / 2, [from, to] = [ends.get(left)[0], ends.get(right)[1]];
      x.set(at, middle);
      ends.set(at, [from, to]);
      this.room.set(at, 2 * Math.min(middle - from, to - middle) - 6);
    }
    const total = step * leaves.length + 20, away = total < width ? (width - total) / 2 : 0;
    for (const [at, place] of x) x.set(at, place + away);
    return { leaves, step, x, width: Math.max(width, total) };
  }

  paint(shown) {
    const { x, step, width } = this.layOut(shown), { found } = this;
    const level = 78, y = (at) => 24 + level * this.depth[at], height = 24 + level * Math.max(...this.depth) + 58;
    const root = svg("svg", { class: "swatch-bar", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Tree of ${plural(found.rules.length, "leaf", "leaves")}; the table below lists them.` });
    found.children.forEach((pair, node) => pair.forEach((child, side) => {
      const share = found.rows[0] ? found.rows[child] / found.rows[0] : 0, bend = (y(node) + y(child)) / 2;
      root.append(svg("path", { class: "edge", "stroke-width": (1 + 6 * share).toFixed(1), d: `M${x.get(node)},${y(node) + 16} C${x.get(node)},${bend} ${x.get(child)},${bend} ${x.get(child)},${y(child) - 16}` }, svg("title", {}, found.conditions[node][side])));
    }));
    for (const [at, place] of x) root.append(at < this.nodes ? this.split(at, place, y(at)) : this.leaf(at, place, y(at), step));
    const box = html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The tree" });
    root.style.maxWidth = "none";
    box.append(root);
    return box;
  }

  split(at, x, y) {
    const words = this.found.conditions[at][0], wide = Math.max(52, Math.min(200, this.room.get(at), 7 * words.length + 14));
    return svg("g", { transform: `translate(${x.toFixed(1)} ${y})`, class: "node leaf q1" }, svg("title", {}, `Left: ${words}; right: ${this.found.conditions[at][1]}`),
      svg("rect", { class: "shape", x: -wide / 2, y: -17, width: wide, height: 34, rx: 4 }), svg("text", { class: "small-text strong", y: -3 }, clip(words, Math.floor((wide - 8) / 6.3))),
      svg("text", { class: "small-text", y: 11 }, clip(`mean ${fixed(this.found.mean[at], 2)}, ${count(this.found.rows[at])}`, Math.floor((wide - 4) / 5.6))));
  }

  leaf(at, x, y, step) {
    const wide = step - 8, group = svg("g", { transform: `translate(${x.toFixed(1)} ${y})` }, svg("title", {}, this.found.rules[at - this.nodes]));
    let from = -wide / 2;
    this.found.share[at].forEach((share, k) => {
      if (!known(share) || share <= 0) return;
      group.append(svg("rect", { class: labelShade(k), x: from, y: -14, width: share * wide, height: 16 }));
      from += share * wide;
    });
    const small = { class: "soft small-text", "text-anchor": "middle" };
    group.append(svg("text", { class: "small-text strong", "text-anchor": "middle", y: 17 }, clip(facts.labels[this.found.median[at]], Math.floor(wide / 6.6))), svg("text", { ...small, y: 31 }, known(this.found.mean[at]) ? fixed(this.found.mean[at], 2) : "–"), svg("text", { ...small, y: 44 }, count(this.found.rows[at])));
    return group;
  }
}

function leavesTable() {
  const { tree } = facts, first = tree.children.length;
  const order = tree.rules.map((_, i) => i).sort((a, b) => tree.training_mean[first + b] - tree.training_mean[first + a]);
  byId("leaves").append(html("thead", {}, html("tr", {}, ...["Predicts", "Rows", "Mean label", "In training"].map((name) => html("th", { scope: "col" }, name)), html("th", { scope: "col", class: "words" }, "Rule"))),
    html("tbody", {}, ...order.map((i) => html("tr", {}, html("th", { scope: "row" }, facts.labels[tree.median[first + i]]), html("td", {}, count(tree.rows[first + i])), html("td", {}, fixed(tree.mean[first + i], 2)), html("td", {}, fixed(tree.training_mean[first + i], 2)), html("td", { class: "words" }, tree.rules[i])))));
  byId("tree-legend").replaceChildren(...facts.labels.map((label, k) => html("li", {}, svg("svg", { class: "swatch-bar", width: 16, height: 12, "aria-hidden": "true" }, svg("rect", { class: labelShade(k), width: 16, height: 12 })), label)));
}

labelsChart();
scoresOfLabels();
confusionTable();
if (facts.tree) {
  new OrdinalTreeDrawing(facts.tree);
  leavesTable();
}
dependenceCharts("dependence", facts.dependence);
importanceChart("importance", facts.importance);
reasonsCharts();
window.rankforest = { facts };
