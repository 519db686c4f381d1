// The points that are shown, and the totals, curves and figures that follow from them.

const unpack = (text, bytes) => {
  const raw = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return bytes === 1 ? raw : new Uint16Array(raw.buffer);
};

class PointsModel {
  constructor(found) {
    this.terms = found.terms;
    this.offset = found.offset;
    this.stored = found.terms.map((term) => term.points.slice());
    this.points = this.stored.map((points) => points.slice());
    this.cells = found.cells;
    this.codes = found.cells ? found.cells.codes.map((text) => unpack(text, found.cells.bytes)) : null;
    this.before = found.totals ? this.ranked(found.totals.total, found.totals) : null;
    this.now = this.before;
  }

  isChanged(t, k) {
    return this.points[t][k] !== this.stored[t][k];
  }

  changes() {
    return this.points.flatMap((points, t) => points.map((_, k) => [t, k]).filter(([, k]) => this.isChanged(t, k)));
  }

  set(t, k, value) {
    this.points[t][k] = value;
    this.recompute();
  }

  reset() {
    this.points = this.stored.map((points) => points.slice());
    this.recompute();
  }

  recompute() {
    if (!this.cells) return;
    const total = new Float64Array(this.cells.negatives.length).fill(this.offset);
    this.codes.forEach((codes, t) => {
      const points = this.points[t];
      for (let i = 0; i < total.length; i++) total[i] += points[codes[i]];
    });
    this.now = this.changes().length ? this.ranked(total, this.cells) : this.before;
  }

  // Equal totals together, the highest first: masses, rows, sums of squared weights, and the figures of the order.
  ranked(total, masses) {
    const order = Array.from(total, (_, i) => i).sort((a, b) => total[b] - total[a]);
    const groups = [];
    for (const i of order) {
      let last = groups[groups.length - 1];
      if (!last || last.total !== total[i]) groups.push((last = { total: total[i], negatives: 0, positives: 0, negativeSquares: 0, positiveSquares: 0, rows: 0 }));
      const own = masses.negatives[i] + masses.positives[i];
      last.negatives += masses.negatives[i];
      last.positives += masses.positives[i];
      last.negativeSquares += masses.negative_squares ? masses.negative_squares[i] : masses.negatives[i];
      last.positiveSquares += masses.positive_squares ? masses.positive_squares[i] : masses.positives[i];
      last.rows += masses.rows ? masses.rows[i] : own;
    }
    const curve = rocCurve(groups.map((g) => g.negatives), groups.map((g) => g.positives));
    const auc = areaUnder(curve.alpha, curve.beta);
    return { groups, curve, auc, ks: Math.max(...curve.beta.map((b, i) => b - curve.alpha[i])) };
  }

  interval() {
    return known(facts.t) ? aucInterval(this.now.groups, facts.counts, facts.t) : null;
  }

  // At most 20 bands of about equally many rows, the lowest first; equal totals are in one band.
  bands() {
    const groups = [...this.now.groups].reverse(), all = groups.reduce((sum, g) => sum + g.rows, 0), found = [];
    let below = 0, at = -1;
    for (const g of groups) {
      const place = Math.floor(((below + g.rows / 2) * 20) / all);
      below += g.rows;
      if (place !== at) found.push({ low: g.total, rows: 0, negatives: 0, positives: 0 });
      at = place;
      const band = found[found.length - 1];
      band.high = g.total;
      for (const key of ["rows", "negatives", "positives"]) band[key] += g[key];
    }
    return found;
  }
}
