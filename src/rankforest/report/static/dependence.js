// How the score depends on single features: a line for numbers, dots for categories.

function dependenceCharts(id, found) {
  const host = byId(id);
  if (!host || !found) return;
  const all = found.flatMap((each) => each.value);
  const low = Math.min(...all), high = Math.max(...all), room = 0.06 * (high - low || 0.1);
  const y = [low - room, high + room];
  for (const each of found) {
    const place = html("div");
    const panel = html("figure", { class: "panel" }, html("figcaption", { title: each.name }, clip(each.name, 60)), place);
    host.append(panel);
    chart(place, (width) => (each.categorical ? categoryChart(each, y, width) : numberChart(each, y, width)));
  }
}

function numberChart(each, y, width) {
  const { grid, value } = each;
  const x = grid.length > 1 ? [grid[0], grid[grid.length - 1]] : [grid[0] - 1, grid[0] + 1];
  const f = frame({
    width, height: 172, x, y, xTicks: ticks(...x, Math.max(2, Math.floor(width / 80))), yTicks: ticks(...y, 4), yFormat: (v) => fixed(v, 2), bottom: 30, left: 38, right: 18,
    name: `Score by ${each.name}`, words: `Mean score ${fixed(value[0])} at ${compactNumber(grid[0])}, ${fixed(value[value.length - 1])} at ${compactNumber(grid[grid.length - 1])}.`,
  });
  for (const decile of each.observed) {
    if (decile >= x[0] && decile <= x[1]) f.add(svg("line", { class: "rug", x1: f.sx(decile), x2: f.sx(decile), y1: f.inner.bottom - 6, y2: f.inner.bottom }));
  }
  f.line(grid, value);
  if (grid.length === 1) f.dot(grid[0], value[0]);
  return f.root;
}

function categoryChart(each, y, width) {
  const order = each.grid.map((_, i) => i).sort((a, b) => each.value[b] - each.value[a]).slice(0, 12);
  const row = 19, left = Math.min(width * 0.46, 14 + 6.5 * Math.max(...order.map((i) => Math.min(each.grid[i].length, 22))));
  const height = row * order.length + 34;
  const f = frame({
    width, height, x: y, y: [order.length, 0].reverse(), xTicks: ticks(...y, 3), yTicks: [], xFormat: (v) => fixed(v, 2), bottom: 28, left, right: 18, top: 4,
    name: `Score by ${each.name}`, words: order.map((i) => `${each.grid[i]} ${fixed(each.value[i])}`).join(", "),
  });
  order.forEach((i, place) => {
    const at = f.inner.top + row * (place + 0.5);
    f.add(
      svg("line", { class: "grid", x1: f.inner.left, x2: f.inner.right, y1: at, y2: at }),
      svg("circle", { class: "dot", cx: f.sx(each.value[i]), cy: at, r: 3 + 5 * Math.sqrt(each.observed[i] || 0) }),
      svg("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, svg("title", {}, `${each.grid[i]}, ${percent(each.observed[i])} of the rows`), clip(each.grid[i], Math.floor(left / 6.5))),
    );
  });
  return f.root;
}
