"""Trees stay bit for bit the same: fingerprints of one tree of each kind, from before the growers were unified."""

import pytest

from one_of_each import CASES, digest

DIGESTS = {
    "leafrank order of categories": "9036be2de4497cfe",
    "leafrank order of categories, random cuts": "eceea10d435dd7e3",
    "leafrank interactions": "c6c2bb25ab1e625e",
    "leafrank pairs of features": "a7dce5d322d1002d",
    "ordinal constraints": "7844b5ed8c49a6cc",
    "ordinal constraints, random cuts": "26879409e5cb5f89",
    "boosted constraints": "e41152ed2968041b",
    "boosted constraints, random cuts": "f46c920bd59b6b1d",
    "boosted interactions": "42b8979043d8761c",
    "boosted pairs of features": "548b5770eea95c9a",
    "boosted thresholds, constraints": "48e99366d99db8c1",
    "leafrank": "b8781d3b1cd81ca8",
    "leafrank two bytes": "2777aef83119d722",
    "leafrank weights": "3063c14b9d612ce3",
    "leafrank categories and missing": "79f89ef038614516",
    "leafrank auc": "2669da578e59eb22",
    "leafrank cell mean": "162e1f624cc9f18a",
    "leafrank cell mean, random cuts": "e8476fb0f6acb3c9",
    "leafrank random cuts": "2edf041fc402cc65",
    "leafrank random cuts, many features": "0eee797abc193870",
    "leafrank random cuts, weights": "a54d84a5d6f71b85",
    "leafrank drawn features": "3d8b8bb7ba5be9ee",
    "leafrank best first": "02b2f53b67c90917",
    "leafrank small leaves": "49992decea4d908c",
    "leafrank floors": "5693de962f403cca",
    "leafrank constraints": "4bd2224e754cb1dd",
    "leafrank bootstrap": "dc34816e3c1a7ff5",
    "leafrank draws without replacement": "f33ee51cef20dd18",
    "leafrank balanced classes": "379ff5b205c891eb",
    "leafrank many rows": "97f3089fb5a70ea0",
    "leafrank many rows, bootstrap": "154e71fcdb10758b",
    "leafrank many rows, weights": "650e2026785dda8a",
    "leafrank many rows, random cuts": "80abb09912b8cf3a",
    "ordinal": "7d769d7a71ac20d1",
    "ordinal deep": "d62f102936f19c08",
    "ordinal gini": "148d677a21539f77",
    "ordinal information": "c2e2d91691114f2f",
    "ordinal nominal gini": "12411e1062050000",
    "ordinal weights": "fec2e0a3baddec36",
    "ordinal two bytes": "d47567c4aec7774b",
    "ordinal random cuts": "37d14dfdbd2410e0",
    "ordinal best first": "ca338f1ea5597883",
    "ordinal bootstrap": "6fcea162c2aa27a2",
    "ordinal many rows": "43861557cc875765",
    "boosted": "6819bde9a843ea36",
    "boosted mixed": "7d7f25a1cc92e0f8",
    "boosted weights": "1b710721c05e79b8",
    "boosted drawn": "bc2c1a290fc075bf",
    "boosted random cuts": "ef85caa2bbd67041",
    "boosted deep": "6e2261b941a58435",
    "boosted floors": "6d5438d82c57d4c4",
    "boosted two bytes": "4fe981d4f43a3798",
    "boosted thresholds": "48e99366d99db8c1",
    "boosted many rows": "72710e81199d0cc8",
    "boosted symmetric": "7e445fbd3bd5dae8",
    "boosted symmetric, drawn": "c2d9c71a286bc23e",
    "boosted symmetric, two bytes": "0e709b454cbd3c3c",
    "boosted symmetric, many rows": "c3e83f6838187574",
    "boosted few bins": "5c8bab290369e8cb",
    "boosted symmetric, few bins": "56fc46732bfcaa8f",
    "boosted many rows, two bytes": "454255cba99b758e",
}


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("name", CASES)
def test_trees_stay_the_same(name: str, n_threads: int) -> None:
    """If a fingerprint changes, the method has changed, and the changelog must say so."""
    assert digest(CASES[name].grow(n_threads)) == DIGESTS[name]
