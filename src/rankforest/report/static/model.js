// The tree that is shown, which of its nodes are collapsed, and what follows from that.

class TreeModel {
  constructor(found) {
    const { left, right } = found.nodes;
    this.left = left;
    this.right = right;
    this.size = left.length;
    this.parent = new Array(this.size).fill(-1);
    this.depth = new Array(this.size).fill(0);
    for (let node = 0; node < this.size; node++) {
      if (left[node] < 0) continue;
      for (const child of [left[node], right[node]]) {
        this.parent[child] = node;
        this.depth[child] = this.depth[node] + 1;
      }
    }
    const data = found.data || found.nodes;
    this.negatives = data.negatives;
    this.positives = data.positives;
    this.rows = data.rows;
    this.squares = data.negative_squares ? [data.negative_squares, data.positive_squares] : [data.negatives, data.positives];
    this.counts = data.counts || [data.negatives[0], data.positives[0]];
    this.training = found.nodes;
    this.rules = found.rules;
    this.path = found.path;
    this.fitted = new Set(found.fitted);
    this.rate = this.positives[0] / (this.negatives[0] + this.positives[0]);
    this.collapsed = new Set(this.fitted);
    this.recompute();
  }

  isSplit(node) {
    return this.left[node] >= 0;
  }

  // Visible nodes in preorder, better side first; the leaves among them are the strata.
  recompute() {
    this.visible = [];
    this.strata = [];
    const open = [0];
    while (open.length) {
      const node = open.pop();
      this.visible.push(node);
      if (this.isSplit(node) && !this.collapsed.has(node)) open.push(this.right[node], this.left[node]);
      else this.strata.push(node);
    }
    this.stratumOf = new Map(this.strata.map((node, i) => [node, i + 1]));
    this.curve = rocCurve(this.strata.map((s) => this.negatives[s]), this.strata.map((s) => this.positives[s]));
    this.auc = areaUnder(this.curve.alpha, this.curve.beta);
    const trained = rocCurve(this.strata.map((s) => this.training.negatives[s]), this.strata.map((s) => this.training.positives[s]));
    this.trainingAuc = areaUnder(trained.alpha, trained.beta);
  }

  collapse(nodes) {
    this.collapsed = new Set(nodes);
    this.recompute();
  }

  toggle(node) {
    if (!this.isSplit(node)) return false;
    if (this.collapsed.has(node)) this.collapsed.delete(node);
    else this.collapsed.add(node);
    this.recompute();
    return true;
  }

  splits() {
    return this.left.map((child, node) => node).filter((node) => this.isSplit(node));
  }

  // The subtree of the pruning path at one of its steps.
  walkTo(step) {
    const limit = this.path.lambdas[step];
    this.collapse(this.splits().filter((node) => this.path.collapse_at[node] <= limit));
  }

  // The step of the path that shows the same strata; -1 where the tree was cut by hand.
  step() {
    const { n_leaves: sizes, lambdas, collapse_at: at } = this.path;
    const step = sizes.indexOf(this.strata.length);
    if (step < 0) return -1;
    const goes = (node) => at[node] <= lambdas[step];
    return this.visible.every((node) => !this.isSplit(node) || goes(node) === this.collapsed.has(node)) ? step : -1;
  }

  isFitted() {
    return this.visible.every((node) => !this.isSplit(node) || this.fitted.has(node) === this.collapsed.has(node));
  }

  // The visible node that a node lies in.
  shown(node) {
    let found = node;
    for (let at = node; at >= 0; at = this.parent[at]) if (this.collapsed.has(at)) found = at;
    return found;
  }

  range(node) {
    let first = node, last = node;
    while (!this.stratumOf.has(first)) first = this.left[first];
    while (!this.stratumOf.has(last)) last = this.right[last];
    return [this.stratumOf.get(first), this.stratumOf.get(last)];
  }

  rateOf(node) {
    const mass = this.negatives[node] + this.positives[node];
    return mass > 0 ? this.positives[node] / mass : NaN;
  }

  interval() {
    const strata = this.strata.map((s) => ({
      negatives: this.negatives[s], positives: this.positives[s], negativeSquares: this.squares[0][s], positiveSquares: this.squares[1][s],
    }));
    return aucInterval(strata, this.counts, facts.t);
  }

  // One object per stratum, best first, with the names that rankforest.interpret.StrataTable uses.
  table() {
    let mass = 0, caught = 0;
    const total = this.negatives[0] + this.positives[0];
    return this.strata.map((node, i) => {
      const positives = this.positives[node], own = positives + this.negatives[node];
      mass += own;
      caught += positives;
      const rate = this.rateOf(node);
      const [low, high] = wilson(rate, this.rows[node], facts.z);
      return {
        stratum: i + 1, node, rows: this.rows[node], mass: own, positives, rate, rate_low: low, rate_high: high, lift: rate / this.rate,
        cumulative_share: mass / total, cumulative_capture: caught / this.positives[0], rule: this.rules.node[node],
      };
    });
  }
}
