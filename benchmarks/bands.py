"""Do 95% bands hold the true ROC curve in 95% of the samples, and how wide are they?

Claim: `roc_bands` holds the whole true curve of a fixed score on RF20 in 93 to 97% of 500 samples of n = 1000 and 2000.
The scores: eta, whose curve is known in closed form, a linear score, whose curve is binormal, and the linear score cut
into 12 strata, whose curve is a polygon. The peers, on the same samples:

- Kolmogorov: fixed width, from the bands of both distribution functions at confidence sqrt(.95) (Campbell, 1994);
- bootstrap: 300 stratified resamples, largest deviation in units of the standard error (after Bertail, Clemencon and
  Vayatis, 2008, without smoothing).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from _timing import parser, print_header, print_table
from scipy.special import ndtr, ndtri
from scipy.stats import kstwo

from rankforest.data import simulate
from rankforest.metrics import RocCurve, roc_bands, roc_curve

Array = np.ndarray
GRID = np.sin(np.linspace(0.0, np.pi / 2.0, 258)) ** 2
Band = tuple[Array, Array]


class Score(NamedTuple):
    """A fixed score and its true curve."""

    of: Callable[[simulate.Simulated], Array]
    true_curve: Callable[[Array], Array]


def linear(sample: simulate.Simulated) -> Array:
    """The sum of the coordinates, in units of the negatives' standard deviation."""
    return sample.X.sum(axis=1) / np.sqrt(20 * 1.23)


def linear_curve(alpha: Array) -> Array:
    return ndtr(ndtri(alpha) * np.sqrt(1.23) + 0.9)


CUTS = np.linspace(-1.8, 2.2, 11)


def strata_curve(alpha: Array) -> Array:
    """The polygon through the points of the linear curve at the cuts."""
    at = np.concatenate([[0.0], ndtr(-CUTS[::-1]), [1.0]])
    return np.interp(alpha, at, linear_curve(at))


SCORES = {
    "eta": Score(lambda sample: sample.eta, simulate.rf20(1).roc_star),
    "linear": Score(linear, linear_curve),
    "12 strata": Score(lambda sample: np.digitize(linear(sample), CUTS).astype(float), strata_curve),
}


def ours(y: Array, score: Array, seed: int) -> Band:
    bands = roc_bands(y, score)
    assert np.array_equal(bands.alpha, GRID)
    return bands.low, bands.high


def kolmogorov(y: Array, score: Array, seed: int) -> Band:
    curve = roc_curve(y, score)
    off_alpha, off_beta = (float(kstwo.ppf(np.sqrt(0.95), np.sum(y == label))) for label in (-1, 1))
    low = height(curve, np.clip(GRID - off_alpha, 0.0, 1.0), upper=False) - off_beta
    high = height(curve, np.clip(GRID + off_alpha, 0.0, 1.0)) + off_beta
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def bootstrap(y: Array, score: Array, seed: int) -> Band:
    rng = np.random.default_rng(seed)
    middle = height(roc_curve(y, score), GRID)
    classes = [np.flatnonzero(y == label) for label in (-1, 1)]
    drawn = []
    for _ in range(300):
        rows = np.concatenate([rng.choice(members, len(members)) for members in classes])
        drawn.append(height(roc_curve(y[rows], score[rows]), GRID))
    error = np.std(drawn, axis=0) + 1.0 / len(y)
    reach = np.quantile(np.max(np.abs(np.array(drawn) - middle) / error, axis=1), 0.95)
    return np.clip(middle - reach * error, 0.0, 1.0), np.clip(middle + reach * error, 0.0, 1.0)


def height(curve: RocCurve, alpha: Array, upper: bool = True) -> Array:
    """Height of a curve; the lower end of its vertical parts if so wanted."""
    if upper:
        return curve.interpolate(alpha)
    # Seen from the other corner, the lower end is the upper one.
    turned = RocCurve(1.0 - curve.alpha[::-1], 1.0 - curve.beta[::-1], curve.thresholds)
    return 1.0 - turned.interpolate(1.0 - alpha)


PEERS = {"roc_bands": ours, "Kolmogorov": kolmogorov, "bootstrap": bootstrap}


def measure(score: Score, n: int, runs: int, peer_runs: int, first_seed: int) -> list[str]:
    """Coverage and mean width of each band."""
    true_curve = score.true_curve(GRID)
    cells = []
    for name, band in PEERS.items():
        count = runs if name == "roc_bands" else peer_runs
        held, width = 0, 0.0
        for seed in range(count):
            sample = simulate.rf20(n, random_state=first_seed + seed)
            low, high = band(sample.y, score.of(sample), seed)
            held += bool(np.all((low <= true_curve + 1e-12) & (true_curve <= high + 1e-12)))
            width += float(np.mean(high - low)) / count
        cells.append(f"{100 * held / count:.1f}% ({width:.3f})")
    return cells


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--scores", nargs="+", choices=SCORES, default=list(SCORES), help="run only these")
    options.add_argument("--sizes", nargs="+", type=int, help="rows of a sample; by default 1000 and 2000")
    options.add_argument("--seed", type=int, default=9000, help="seed of the first sample")
    options.add_argument("--peer-runs", type=int, help="samples for the peers; by default all")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    runs = 4 if args.quick else 500
    sizes = args.sizes or ([300] if args.quick else [1000, 2000])
    peer_runs = runs if args.peer_runs is None else args.peer_runs
    print(f"Samples whose 95% band holds the true curve (mean width of the band); {runs} runs (target 93 to 97%)\n")
    rows = [
        [f"{name}, n = {n}", *measure(SCORES[name], n, runs, peer_runs, args.seed)]
        for name in args.scores
        for n in sizes
    ]
    print_table(["", *PEERS], rows)


if __name__ == "__main__":
    main()
