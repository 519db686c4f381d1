// Contributions without single rows: of each feature the median and the range of most of them, by thirds of its values.

function rangesChart(id, reasons) {
  const { features, others } = reasons.ranges;
  const lines = [...features, ...(others ? [{ name: plural(others.n, "other feature"), groups: [{ level: "-", ...others }] }] : [])];
  if (!lines.length) {
    byId(id).append(html("p", { class: "note" }, "No feature makes a difference."));
    return;
  }
  const ends = lines.flatMap((each) => each.groups.flatMap((group) => [group.low, group.high]));
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends), room = 0.03 * (high - low || 1);
  const shade = { 0: "l0", 1: "l3", 2: "l6" };
  chart(id, (width) => {
    const row = 15 + 8 * Math.max(...lines.map((each) => each.groups.length)), names = Math.min(width * 0.36, 16 + 7 * Math.max(...lines.map((each) => Math.min(each.name.length, 34))));
    const f = frame({ width, height: row * lines.length + 46, x: [low - room, high + room], y: [0, 1], yTicks: [], xTicks: ticks(low, high, Math.max(3, Math.floor((width - names) / 90))), left: names, right: 14, top: 4,
      xLabel: `contribution to the ${reasons.scale}`, name: "Contributions of the features",
      words: lines.map((each) => `${each.name}: ${each.groups.map((group) => `${{ 0: "low values ", 1: "middle values ", 2: "high values " }[group.level] ?? ""}median ${compactNumber(group.middle)}`).join(", ")}`).join("; ") });
    f.add(svg("line", { class: "zero", x1: f.sx(0), x2: f.sx(0), y1: f.inner.top, y2: f.inner.bottom }));
    lines.forEach((each, i) => {
      const middle = f.inner.top + row * (i + 0.5);
      f.add(svg("line", { class: "grid", x1: f.inner.left, x2: f.inner.right, y1: middle, y2: middle }),
        svg("text", { x: names - 10, y: middle + 4, "text-anchor": "end" }, svg("title", {}, each.name), clip(each.name, Math.floor((names - 12) / 7))));
      each.groups.forEach((group, k) => {
        const y = middle + 8 * (k - (each.groups.length - 1) / 2);
        f.add(svg("path", { class: `range ${shade[group.level] ?? "lnone"}`, d: `M${f.sx(group.low).toFixed(1)},${y}H${f.sx(group.high).toFixed(1)}` }),
          svg("path", { class: `swarm wide ${shade[group.level] ?? "lnone"}`, d: `M${f.sx(group.middle).toFixed(1)},${y}h0` }));
      });
    });
    return f.root;
  });
  const sample = (level, words) => html("li", {}, svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, svg("path", { class: `range ${level}`, d: "M2,6H24" }), svg("path", { class: `swarm wide ${level}`, d: "M13,6h0" })), words);
  byId("swarm-legend").replaceChildren(sample("l0", "low values"), sample("l3", "middle"), sample("l6", "high values"), sample("lnone", "category, or missing"));
}
