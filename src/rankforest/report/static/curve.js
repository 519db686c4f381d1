// The figures of an ordered list of strata, as rankforest.metrics defines them. Masses come best stratum first.

function rocCurve(negatives, positives) {
  const alpha = [0], beta = [0];
  let below = 0, above = 0;
  for (let i = 0; i < negatives.length; i++) {
    below += negatives[i];
    above += positives[i];
    alpha.push(below);
    beta.push(above);
  }
  return { alpha: alpha.map((v) => v / below), beta: beta.map((v) => v / above), n: below, p: above };
}

// Straight lines between the knots: ties count one half.
function areaUnder(x, y) {
  let area = 0;
  for (let i = 1; i < x.length; i++) area += (x[i] - x[i - 1]) * 0.5 * (y[i] + y[i - 1]);
  return area;
}

// Where the curve meets the control line u = p beta + (1 - p) alpha, and the local AUC left of it.
function topOf(curve, u) {
  const { alpha, beta, n, p } = curve;
  const total = alpha.map((a, i) => a * n + beta[i] * p);
  const wanted = u * (n + p);
  let after = 1;
  while (after < total.length - 1 && total[after] < wanted) after++;
  const before = after - 1;
  const step = total[after] - total[before];
  const part = step > 0 ? Math.min((wanted - total[before]) / step, 1) : 1;
  const a = part < 1 ? alpha[before] + part * (alpha[after] - alpha[before]) : alpha[after];
  const b = part < 1 ? beta[before] + part * (beta[after] - beta[before]) : beta[after];
  let partial = areaUnder(alpha.slice(0, before + 1), beta.slice(0, before + 1));
  partial += (a - alpha[before]) * 0.5 * (b + beta[before]);
  const rate = p / (n + p);
  return {
    u, alpha: a, beta: b, knot: before, partial,
    localAuc: Math.min(partial + b * (1 - a), 1),
    hitRatio: Math.min((rate * b) / u, 1),
    lift: b / u,
  };
}

// Wilson's score interval of a rate.
function wilson(rate, rows, z) {
  if (!(rows > 0)) return [NaN, NaN];
  const centre = (rate + (z * z) / (2 * rows)) / (1 + (z * z) / rows);
  const half = (z * Math.sqrt((rate * (1 - rate)) / rows + (z / (2 * rows)) ** 2)) / (1 + (z * z) / rows);
  return [Math.max(centre - half, 0), Math.min(centre + half, 1)];
}

// The score interval of the AUC (rankforest/metrics/score_interval.py). `strata` has masses, and sums of squared weights,
// best first; `counts` the rows of either class; `quantile` is that of Student's t. Null where a class has one row.
function aucInterval(strata, counts, quantile) {
  if (Math.min(...counts) < 2) return null;
  const curve = rocCurve(strata.map((s) => s.negatives), strata.map((s) => s.positives));
  const auc = areaUnder(curve.alpha, curve.beta);
  const sum = (key) => strata.reduce((total, s) => total + s[key], 0);
  const m = curve.p ** 2 / sum("positiveSquares"), n = curve.n ** 2 / sum("negativeSquares");
  const variance = (kind, squares, placement, total, rows) => {
    let found = 0;
    strata.forEach((s, i) => {
      if (s[kind] > 0) found += (s[squares] / (total * total)) * (placement(i) - auc) ** 2;
    });
    return (found * rows) / (rows - 1);
  };
  const beats = (i) => 1 - (curve.alpha[i] + curve.alpha[i + 1]) / 2;
  const beatenBy = (i) => (curve.beta[i] + curve.beta[i + 1]) / 2;
  const observed =
    variance("positives", "positiveSquares", beats, curve.p, counts[1]) +
    variance("negatives", "negativeSquares", beatenBy, curve.n, counts[0]);
  if (!(observed > 1e-30)) {
    const share = 0.025 ** (1 / Math.min(m, n)); // all pairs agree
    return [share * auc, share * auc + (1 - share)];
  }
  const others = (m + n) / 2 - 1;
  const form = (t) => (t * (1 - t) * (1 + others * ((1 - t) / (2 - t) + t / (1 + t)))) / (m * n);
  const degrees = (1 / m + 1 / n) ** 2 / (1 / (m * m * (m - 1)) + 1 / (n * n * (n - 1)));
  const seen = degrees * 4 * auc * (1 - auc);
  const factor = (quantile ** 2 * ((seen * observed) / form(auc) + 4)) / (seen + 4);
  const edge = (outside) => {
    let inside = auc;
    for (let i = 0; i < 60; i++) {
      const middle = (inside + outside) / 2;
      if ((middle - auc) ** 2 > factor * form(middle)) outside = middle;
      else inside = middle;
    }
    return inside;
  };
  return [edge(0), edge(1)];
}
