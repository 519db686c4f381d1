// One row of the data on its way through the tree.

class Trace {
  constructor(model, drawing, found) {
    this.model = model;
    this.drawing = drawing;
    this.found = found;
    this.place = -1;
    this.input = byId("trace-row");
    const go = () => this.find(Number(this.input.value));
    this.input.addEventListener("input", go);
    byId("trace-any").addEventListener("click", () => this.choose(Math.floor(Math.random() * found.row.length)));
    byId("trace-none").addEventListener("click", () => this.choose(-1));
  }

  find(row) {
    const place = this.input.value === "" ? -1 : this.found.row.indexOf(row);
    this.place = place;
    this.show(this.input.value !== "" && place < 0 ? `Row ${this.input.value} is not among the ${count(this.found.row.length)} rows in this file.` : "");
  }

  choose(place) {
    this.place = place;
    this.input.value = place < 0 ? "" : this.found.row[place];
    this.show("");
  }

  // The visible nodes from the root to the row's stratum.
  nodes() {
    if (this.place < 0) return [];
    const way = [];
    for (let at = this.model.shown(this.found.node[this.place]); at >= 0; at = this.model.parent[at]) way.unshift(at);
    return way;
  }

  value(column) {
    const value = column.values[this.place];
    if (value === null) return "missing";
    return column.categories ? column.categories[value] : String(value);
  }

  values(features) {
    const columns = features.length ? this.found.columns.filter((c) => features.includes(c.feature)) : this.found.columns.slice(0, 12);
    return columns.map((column) => `${facts.names[column.feature]} = ${this.value(column)}`).join(", ");
  }

  show(problem) {
    const m = this.model, way = this.nodes();
    this.drawing.mark(way);
    const steps = way.slice(0, -1).map((node, i) => {
      const better = m.left[node] === way[i + 1];
      return html("li", {},
        html("span", { class: `side ${better ? "better" : "worse"}` }, better ? "↙ likelier" : "↘ less likely"),
        html("span", {}, better ? m.rules.better[node] : m.rules.worse[node]),
        html("span", { class: "values" }, this.values(m.rules.features[node])));
    });
    byId("trace-way").replaceChildren(...steps);
    const result = byId("trace-result");
    if (!way.length) {
      result.textContent = problem;
      return;
    }
    const end = way[way.length - 1], label = facts.labels[this.found.label[this.place]];
    result.textContent = `Row ${this.found.row[this.place]} is in stratum ${m.stratumOf.get(end)} of ${m.strata.length}, where the rate of ${EVENT} is ${percent(m.rateOf(end))}. Its own label is ${label}.`;
  }
}
