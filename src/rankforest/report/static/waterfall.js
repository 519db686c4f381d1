// Why a row has its score, or is above another one: bars that add up from one score to the other.

const LISTED = 12;

class RowReasons {
  constructor(reasons) {
    this.reasons = reasons;
    this.rows = reasons.rows;
    const bytes = Uint8Array.from(atob(this.rows.pairs.values), (letter) => letter.charCodeAt(0));
    this.pairs = new DataView(bytes.buffer);
    this.row = byId("reason-row");
    this.against = byId("reason-against");
    const named = this.rows.row.map((_, i) => `${this.name(i)}: place ${this.place(i)}, ${this.score(i)}, ${facts.labels[this.rows.label[i]]}`);
    this.row.append(...named.map((words, i) => html("option", { value: i }, words)));
    this.against.append(html("option", { value: -1 }, `the mean of ${plural(reasons.n_background, "row")}`), ...named.map((words, i) => html("option", { value: i }, words)));
    this.redraw = chart("waterfall", (width) => this.paint(width));
    for (const input of [this.row, this.against]) input.addEventListener("change", () => this.show());
    this.show();
  }

  name(i) {
    return `row ${count(this.rows.row[i])}`;
  }

  place(i) {
    return count(Math.round(10 * this.rows.place[i]) / 10);
  }

  score(i) {
    return `${this.reasons.scale} ${fixed(this.rows.score[i], this.reasons.scale === "points" ? 1 : 4)}`;
  }

  value(j, i) {
    const { values, categories } = this.rows.columns[j];
    return !known(values[i]) ? "missing" : categories ? categories[values[i]] : grouped(String(values[i]));
  }

  // What the features add to the difference of rows i and j; each two rows are stored once.
  ofPair(i, j) {
    const q = this.rows.columns.length, [first, later] = [Math.min(i, j), Math.max(i, j)], at = (later * (later - 1)) / 2 + first;
    return Array.from({ length: q }, (_, k) => (i === j ? 0 : (i < j ? 1 : -1) * this.rows.pairs.step * this.pairs.getInt16(2 * (at * q + k), true)));
  }

  // Bars, the largest first; what is left over is that of all other features.
  bars() {
    const i = Number(this.row.value), j = Number(this.against.value), single = j < 0;
    const [start, end] = [single ? this.reasons.base : this.rows.score[j], this.rows.score[i]];
    const added = single ? this.rows.contributions[i] : this.ofPair(i, j);
    const order = added.map((_, k) => k).filter((k) => Math.abs(added[k]) > (single ? 0 : this.rows.pairs.step)).sort((a, b) => Math.abs(added[b]) - Math.abs(added[a]));
    const listed = order.slice(0, LISTED).map((k) => ({ name: this.rows.columns[k].name, value: added[k], words: single ? this.value(k, i) : this.value(k, i) === this.value(k, j) ? this.value(k, i) : `${this.value(k, j)} → ${this.value(k, i)}` }));
    const rest = end - start - listed.reduce((sum, bar) => sum + bar.value, 0), n = this.rows.n_features - listed.length;
    if (n > 0 && (order.length > LISTED || Math.abs(rest) > 1e-4 * Math.max(1e-9, ...added.map(Math.abs)))) listed.push({ name: plural(n, "other feature"), value: rest, words: "" });
    else if (listed.length) listed[0].value += rest; // the rounding of the stored values
    return { i, j, single, start, end, listed };
  }

  show() {
    const { i, j, single, start, end } = this.bars(), away = end - start, digits = this.reasons.scale === "points" ? 1 : 4;
    const side = away >= 0 ? "above" : "below", at = `place ${this.place(i)} of ${count(this.reasons.of)}`;
    const result = byId("reason-result");
    result.textContent = single ? `R${this.name(i).slice(1)}: ${this.score(i)}, ${fixed(Math.abs(away), digits)} ${side} the mean ${fixed(start, digits)}; ${at}.`
      : away === 0 ? `R${this.name(i).slice(1)} and ${this.name(j)} have the same ${this.score(i)}; ${at}.`
        : `R${this.name(i).slice(1)} (${this.score(i)}, ${at}) is ${side} ${this.name(j)} (${this.score(j)}, place ${this.place(j)}) by ${fixed(Math.abs(away), digits)}.`;
    this.redraw();
  }

  paint(width) {
    const { i, j, single, start, end, listed } = this.bars();
    const stops = [start];
    for (const bar of listed) stops.push(stops[stops.length - 1] + bar.value);
    const low = Math.min(...stops), high = Math.max(...stops), spread = high - low || 1, digits = scaleDigits(this.reasons.scale, spread);
    const row = 36, left = Math.min(width * 0.44, 24 + 7 * Math.max(14, ...listed.map((bar) => Math.min(38, Math.max(bar.name.length, bar.words.length * 0.9)))));
    const lines = listed.length + 2, letters = Math.floor((left - 12) / 7);
    const f = frame({ width, height: row * lines + 44, x: [low - 0.03 * spread, high + 0.03 * spread], y: [0, 1], yTicks: [], xTicks: ticks(low, high, Math.max(2, Math.floor((width - left) / 100))), left, right: 62, top: 2,
      xLabel: this.reasons.scale, name: single ? `Contributions of ${this.name(i)}` : `${this.name(i)} compared with ${this.name(j)}`,
      words: `From ${fixed(start, digits)} to ${fixed(end, digits)}: ${listed.map((bar) => `${bar.name} ${signed(bar.value, digits)}`).join(", ")}.` });
    const middle = (line) => f.inner.top + row * (line + 0.5);
    const end_of = (line, words, value) => {
      f.add(svg("text", { class: "strong", x: left - 10, y: middle(line) + 4, "text-anchor": "end" }, words), svg("circle", { class: "dot", cx: f.sx(value), cy: middle(line), r: 4.5 }),
        svg("text", { class: "strong", x: f.sx(value) + 9, y: middle(line) + 4 }, fixed(value, digits)));
    };
    stops.forEach((at, k) => f.add(svg("line", { class: "link", x1: f.sx(at), x2: f.sx(at), y1: middle(k), y2: middle(k + 1) })));
    end_of(0, single ? "mean" : this.name(j), start);
    listed.forEach((bar, k) => {
      const [from, to] = [f.sx(stops[k]), f.sx(stops[k + 1])], y = middle(k + 1);
      f.add(svg("text", { x: left - 10, y: bar.words ? y - 2 : y + 4, "text-anchor": "end" }, svg("title", {}, bar.name), clip(bar.name, letters)),
        svg("rect", { class: bar.value < 0 ? "column down" : "column", "data-value": bar.value, x: Math.min(from, to), y: y - 9, width: Math.max(1, Math.abs(to - from)), height: 18, rx: 2 }),
        svg("text", { class: "soft", x: Math.max(from, to) + 6, y: y + 4 }, signed(bar.value, digits)));
      if (bar.words) f.add(svg("text", { class: "soft small-text", x: left - 10, y: y + 12, "text-anchor": "end" }, svg("title", {}, bar.words), clip(bar.words, Math.floor(letters * 1.2))));
    });
    end_of(lines - 1, this.name(i), end);
    return f.root;
  }
}
