// A table that sorts by its columns and goes to a file.

// columns: {key, name, text(row), element(row), words}; rows: objects that have the keys.
class SortedTable {
  constructor(table, columns, onRow) {
    this.table = table;
    this.columns = columns;
    this.onRow = onRow;
    this.by = columns[0].key;
    this.rising = true;
    this.rows = [];
    const cells = columns.map((column) => {
      const button = html("button", { type: "button" }, column.name);
      button.addEventListener("click", () => this.sortBy(column.key));
      return html("th", { scope: "col", class: column.words ? "words" : null, "data-key": column.key }, button);
    });
    this.head = html("tr", {}, ...cells);
    this.body = html("tbody");
    table.append(html("thead", {}, this.head), this.body);
  }

  sortBy(key) {
    this.rising = key === this.by ? !this.rising : true;
    this.by = key;
    this.draw();
  }

  show(rows) {
    this.rows = rows;
    this.draw();
  }

  draw() {
    const order = this.rows.slice().sort((a, b) => {
      const one = a[this.by], two = b[this.by];
      const less = typeof one === "string" ? one.localeCompare(two) : (known(one) ? one : -Infinity) - (known(two) ? two : -Infinity);
      return (this.rising ? less : -less) || a.stratum - b.stratum;
    });
    for (const cell of this.head.children) {
      cell.setAttribute("aria-sort", cell.dataset.key === this.by ? (this.rising ? "ascending" : "descending") : "none");
    }
    this.body.replaceChildren(...order.map((row) => {
      const line = html("tr", {}, ...this.columns.map((column, i) => {
        const value = row[column.key];
        const cell = html(i ? "td" : "th", { scope: i ? null : "row", class: column.words ? "words" : null });
        cell.append(column.element ? column.element(row) : column.text(row));
        if (typeof value === "number") cell.dataset.value = String(value);
        return cell;
      }));
      if (this.onRow) this.onRow(line, row);
      return line;
    }));
  }
}

// Numbers in full; text in quotes, and never such that a spreadsheet takes it for a formula.
function toCsv(names, rows) {
  const cell = (value) => {
    if (!known(value)) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return `"${safe.replaceAll('"', '""')}"`;
  };
  return [names.join(","), ...rows.map((row) => names.map((name) => cell(row[name])).join(","))].join("\r\n") + "\r\n";
}
