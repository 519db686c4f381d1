// The importance of the features as bars.

function importanceChart(id, found) {
  if (!found || !byId(id)) return;
  chart(id, (width) => {
    const row = 24, top = 4, most = Math.max(...found.values);
    const names = Math.min(width * 0.42, 16 + 7 * Math.max(...found.names.map((n) => Math.min(n.length, 34))));
    const words = found.names.map((name, i) => `${name} ${percent(found.values[i])}`).join(", ");
    const height = top + row * found.names.length + 4;
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Importance of the features: ${words}` });
    found.names.forEach((name, i) => {
      const y = top + i * row, long = ((width - names - 62) * found.values[i]) / most;
      root.append(
        svg("text", { x: names - 8, y: y + 16, "text-anchor": "end" }, svg("title", {}, name), clip(name, Math.floor((names - 14) / 6.6))),
        svg("rect", { class: "column", x: names, y: y + 4, width: Math.max(1, long), height: row - 9, rx: 2 }),
        svg("text", { class: "soft", x: names + long + 7, y: y + 16 }, percent(found.values[i])),
      );
    });
    return root;
  });
}
