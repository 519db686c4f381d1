// The tree as a picture: the first stratum at the left. Every node can be reached by mouse, finger and keyboard.

const LEVELS = 7;

class TreeDrawing {
  constructor(model, onToggle) {
    this.model = model;
    this.onToggle = onToggle;
    this.box = byId("tree-box");
    this.scroll = byId("tree-scroll");
    this.tip = byId("tip");
    this.focus = 0;
    this.whole = true;
    byId("zoom").addEventListener("click", () => {
      this.whole = !this.whole;
      this.draw();
    });
    this.way = new Set();
    const seen = model.left.map((_, node) => model.rateOf(node)).filter(known);
    this.low = Math.min(...seen);
    this.high = Math.max(...seen);
    this.width = 0;
    new ResizeObserver(calmly(() => {
      if (Math.abs(this.scroll.clientWidth - this.width) > 1) this.draw();
    })).observe(this.scroll);
    this.scroll.addEventListener("scroll", () => this.hide());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  shade(node) {
    const rate = this.model.rateOf(node);
    if (!known(rate)) return "none";
    const part = this.high > this.low ? (rate - this.low) / (this.high - this.low) : 0.5;
    return `q${Math.min(LEVELS - 1, Math.floor(part * LEVELS))}`;
  }

  // Places of the visible nodes: strata side by side, splits midway between their children.
  layOut() {
    const m = this.model;
    this.width = this.scroll.clientWidth;
    const pad = 10, room = this.width - 2 * pad;
    const fitting = Math.min(150, room / m.strata.length), least = 16;
    const step = this.whole ? Math.max(2.5, fitting) : Math.max(least, fitting);
    byId("zoom").hidden = fitting >= least;
    byId("zoom").textContent = this.whole ? "Enlarge" : "Show whole";
    this.size = step >= 78 ? "large" : step >= 40 ? "medium" : "small";
    const [boxWidth, boxHeight, level] = { large: [Math.min(step - 12, 116), 42, 92], medium: [step - 6, 24, 60], small: [12, 14, step < least ? 34 : 44] }[this.size];
    this.radius = Math.max(1.6, Math.min(6, step / 2 - 0.6));
    this.boxHeight = boxHeight;
    const total = Math.max(room, step * m.strata.length);
    const start = pad + (total - step * m.strata.length) / 2;
    this.x = new Map();
    this.wide = new Map();
    const ends = new Map();
    m.strata.forEach((node, i) => {
      this.x.set(node, start + step * (i + 0.5));
      this.wide.set(node, boxWidth);
      ends.set(node, [start + step * i, start + step * (i + 1)]);
    });
    for (const node of [...m.visible].reverse()) {
      if (this.x.has(node)) continue;
      const x = (this.x.get(m.left[node]) + this.x.get(m.right[node])) / 2;
      const [from, to] = [ends.get(m.left[node])[0], ends.get(m.right[node])[1]];
      this.x.set(node, x);
      ends.set(node, [from, to]);
      // as wide as its words need and the strata below it leave room for
      const room = 2 * Math.min(x - from, to - x) - 12, words = 6.9 * this.words(node).length + 16;
      this.wide.set(node, this.size === "large" ? Math.max(boxWidth, Math.min(room, words, 230)) : boxWidth);
    }
    const deepest = Math.max(...m.visible.map((node) => m.depth[node]));
    this.y = (node) => 10 + boxHeight / 2 + level * m.depth[node];
    return [total + 2 * pad, 20 + boxHeight + level * deepest];
  }

  draw() {
    const m = this.model;
    const [width, height] = this.layOut();
    const root = svg("svg", { id: "tree", width, height, viewBox: `0 0 ${width} ${height}`, role: "tree", "aria-label": `Ranking tree, most likely ${EVENT} first`, "aria-describedby": "tree-help" });
    const mass = (node) => m.negatives[node] + m.positives[node];
    for (const node of m.visible.slice(1)) root.append(this.edge(node, mass(node) / mass(0)));
    for (const node of m.visible) root.append(this.node(node));
    this.box.replaceChildren(root);
    if (!this.x.has(this.focus)) this.focus = m.shown(this.focus);
    this.element(this.focus).setAttribute("tabindex", "0");
  }

  element(node) {
    return this.box.querySelector(`[data-node="${node}"]`);
  }

  edge(node, share) {
    const m = this.model, parent = m.parent[node], half = this.boxHeight / 2;
    const x0 = this.x.get(parent), y0 = this.y(parent) + half, x1 = this.x.get(node), y1 = this.y(node) - half;
    const bend = (y0 + y1) / 2;
    return svg("path", {
      class: `edge${this.way.has(node) ? " way" : ""}`, "stroke-width": (1 + 7 * share).toFixed(1), "aria-hidden": "true",
      d: `M${x0},${y0} C${x0},${bend} ${x1},${bend} ${x1},${y1}`,
    });
  }

  node(node) {
    const m = this.model, split = m.isSplit(node), shut = m.collapsed.has(node), open = split && !shut;
    const [w, h] = [this.wide.get(node), this.boxHeight];
    const side = m.parent[node] >= 0 ? (m.left[m.parent[node]] === node ? "likelier side" : "less likely side") : "all rows";
    const group = svg("g", {
      class: `node ${this.shade(node)}${split ? "" : " leaf"}${shut ? " shut" : ""}${this.way.has(node) ? " way" : ""}`,
      transform: `translate(${this.x.get(node).toFixed(1)} ${this.y(node).toFixed(1)})`,
      role: "treeitem", tabindex: "-1", "aria-describedby": "tip", "data-node": node, "aria-level": m.depth[node] + 1, "aria-expanded": split ? String(open) : null,
      "aria-label": `${open ? `Split, ${side}` : `Stratum ${m.stratumOf.get(node)}, ${side}`}: ${plural(m.rows[node], "row")}, ${percent(m.rateOf(node))} with ${EVENT}${open ? `. Likelier if ${m.rules.better[node]}` : ""}`,
    });
    const round = open ? 4 : h / 2, r = this.radius;
    if (this.size === "small") {
      group.append(open ? svg("rect", { class: "shape", x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 1.5 }) : svg("circle", { class: "shape", r }));
    } else {
      group.append(svg("rect", { class: "shape", x: -w / 2, y: -h / 2, width: w, height: h, rx: Math.min(round, 14) }));
      group.append(...this.label(node, open, w));
    }
    group.addEventListener("click", () => this.activate(node));
    group.addEventListener("pointerenter", () => this.tell(node));
    group.addEventListener("pointerleave", () => this.hide());
    group.addEventListener("focus", () => this.tell(node));
    group.addEventListener("blur", () => this.hide());
    group.addEventListener("keydown", (event) => this.key(event, node));
    return group;
  }

  // A split in few words: its rule, or where that is long the features that it asks for.
  words(node) {
    const rule = this.model.rules.better[node], features = this.model.rules.features[node];
    return rule.length <= 34 || !features.length ? rule : features.map((j) => facts.names[j]).join(", ");
  }

  label(node, open, width) {
    const m = this.model, letters = Math.floor((width - 10) / 6.7);
    if (this.size === "medium") return [svg("text", { class: "small-text", y: 4 }, percent(m.rateOf(node), 0))];
    if (!open) {
      return [svg("text", { class: "strong", y: -2 }, percent(m.rateOf(node))), svg("text", { class: "small-text", y: 13 }, clip(plural(m.rows[node], "row"), letters))];
    }
    return [
      svg("text", { class: "small-text strong", y: -3 }, clip(this.words(node), letters)),
      svg("text", { class: "small-text", y: 12 }, `${percent(m.rateOf(node), 0)} of ${count(m.rows[node])}`),
    ];
  }

  activate(node) {
    this.focus = node;
    if (!this.model.toggle(node)) return;
    this.hide();
    this.onToggle();
    this.element(this.focus)?.focus({ preventScroll: true });
  }

  key(event, node) {
    const m = this.model, level = m.visible.filter((each) => m.depth[each] === m.depth[node]), place = level.indexOf(node);
    const next = {
      ArrowUp: () => m.parent[node],
      ArrowDown: () => (m.isSplit(node) && !m.collapsed.has(node) ? m.left[node] : -1),
      ArrowLeft: () => level[place - 1] ?? -1,
      ArrowRight: () => level[place + 1] ?? -1,
      Home: () => m.strata[0],
      End: () => m.strata[m.strata.length - 1],
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this.activate(node);
    else if (next) this.moveTo(next());
    else return;
    event.preventDefault();
  }

  moveTo(node) {
    if (node < 0) return;
    this.element(this.focus)?.setAttribute("tabindex", "-1");
    this.focus = node;
    const element = this.element(node);
    element.setAttribute("tabindex", "0");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // What there is to say of a node, beside it.
  tell(node) {
    const m = this.model, split = m.isSplit(node), open = split && !m.collapsed.has(node);
    const [first, last] = m.range(node);
    const parts = [html("b", {}, first === last ? `Stratum ${first} of ${m.strata.length}` : `Strata ${first} to ${last} of ${m.strata.length}`)];
    parts.push(...m.rules.node[node].split("; or ").map((words, i) => html("p", {}, i ? `or ${words}` : words)));
    if (open) parts.push(html("p", {}, html("b", {}, "Likelier side: "), m.rules.better[node]));
    const rate = m.rateOf(node);
    parts.push(html("p", { class: "numbers" }, `${plural(m.rows[node], "row")}, ${percent(rate)} with ${EVENT}, lift ${fixed(rate / m.rate, 2)}`));
    if (split) parts.push(html("p", { class: "numbers" }, open ? "Click to collapse" : "Collapsed; click to expand"));
    this.tip.replaceChildren(...parts);
    this.tip.hidden = false;
    const host = this.tip.offsetParent.getBoundingClientRect(), at = this.element(node).getBoundingClientRect();
    const wide = this.tip.offsetWidth, tall = this.tip.offsetHeight;
    const left = Math.min(Math.max(4, at.left - host.left + at.width / 2 - wide / 2), host.width - wide - 4);
    const below = at.bottom - host.top + 8;
    const fits = at.bottom + 8 + tall <= window.innerHeight || at.top - tall - 8 < 0;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${fits ? below : at.top - host.top - tall - 8}px`;
  }

  hide() {
    this.tip.hidden = true;
  }

  mark(nodes) {
    this.way = new Set(nodes);
    this.draw();
  }
}
