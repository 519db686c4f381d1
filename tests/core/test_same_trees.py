"""Trees stay bit for bit the same: fingerprints of one tree of each kind, from before the growers were unified."""

import pytest

from one_of_each import CASES, digest

DIGESTS = {
    "leafrank": "b8781d3b1cd81ca8",
    "leafrank two bytes": "2777aef83119d722",
    "leafrank weights": "84342cb260716934",
    "leafrank categories and missing": "ca94f759fbbb4250",
    "leafrank auc": "7a5c14274297ecfd",
    "leafrank cell mean": "7bc1a1f37cd94806",
    "leafrank cell mean, random cuts": "e8476fb0f6acb3c9",
    "leafrank random cuts": "2edf041fc402cc65",
    "leafrank random cuts, many features": "0eee797abc193870",
    "leafrank random cuts, weights": "a54d84a5d6f71b85",
    "leafrank drawn features": "2a80ac4c10f81996",
    "leafrank best first": "eb3737de440d738d",
    "leafrank small leaves": "14c86e8b1905f2ac",
    "leafrank floors": "5693de962f403cca",
    "leafrank constraints": "4bd2224e754cb1dd",
    "leafrank bootstrap": "86465e788ce1f0f0",
    "leafrank draws without replacement": "f33ee51cef20dd18",
    "leafrank balanced classes": "4aacf0588513fcf5",
    "leafrank many rows": "c516f9374ab081ac",
    "leafrank many rows, bootstrap": "154e71fcdb10758b",
    "leafrank many rows, weights": "1b4634d692e7036e",
    "leafrank many rows, random cuts": "80abb09912b8cf3a",
    "ordinal": "7d769d7a71ac20d1",
    "ordinal deep": "105a8794710a1586",
    "ordinal gini": "bcc771eecde350cd",
    "ordinal information": "7e3a791e8b468c3d",
    "ordinal nominal gini": "8321dc7aeca93162",
    "ordinal weights": "261386091ec8e187",
    "ordinal two bytes": "d47567c4aec7774b",
    "ordinal random cuts": "37d14dfdbd2410e0",
    "ordinal best first": "737e3e4eaea216d7",
    "ordinal bootstrap": "fc30a54fe7046e51",
    "ordinal many rows": "1e80f01dd180780b",
    "boosted": "b9f152a51320c4ba",
    "boosted mixed": "b66f18fa9463cd37",
    "boosted weights": "cb3f8ec50d2983b7",
    "boosted drawn": "f8a576705dcbd2bf",
    "boosted random cuts": "030f5483e113b01e",
    "boosted deep": "044f6e743d48dae5",
    "boosted floors": "7d7643e691c2a813",
    "boosted two bytes": "93f24ec656b04391",
    "boosted thresholds": "48e99366d99db8c1",
    "boosted many rows": "6117cab6f19a268e",
    "boosted symmetric": "a9cdcacb2e12ec36",
    "boosted symmetric, drawn": "2f18f8d1ee915058",
    "boosted symmetric, two bytes": "7317b40c76b4d1f1",
    "boosted symmetric, many rows": "4965865e743a89fa",
    "boosted few bins": "157e7886d918743e",
    "boosted symmetric, few bins": "de6764a6885d08e7",
    "boosted many rows, two bytes": "0be3054aa7f8da0a",
}


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("name", CASES)
def test_trees_stay_the_same(name: str, n_threads: int) -> None:
    """If a fingerprint changes, the method has changed, and the changelog must say so."""
    assert digest(CASES[name].grow(n_threads)) == DIGESTS[name]
