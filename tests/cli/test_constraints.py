"""Constraints on the command line: every model keeps them, and says so in its file, its text and its report."""

import numpy as np
import pandas as pd
import pytest

from rankforest import load_model

OPTIONS = ["--increasing", "income", "--decreasing", "unpaid", "--worst-to-best", "grade=C,B,A"]
SENTENCES = [
    "The score never falls as income rises.",
    "The score never rises as unpaid rises.",
    "The score never falls along the order of grade: C, B, A.",
]


@pytest.fixture
def loans(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.normal(size=200).round(2),
            "unpaid": rng.poisson(1.0, 200),
            "grade": rng.choice(list("ABC"), 200),
        }
    )
    value = np.sin(3 * frame["income"]) - frame["unpaid"] + (frame["grade"] == "B") + rng.normal(size=200)
    frame.assign(label=(value > -0.7).astype(int)).to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [("tree", []), ("scorecard", ["n_estimators=30"]), ("boost", ["n_estimators=9", "n_folds=2"]),
     ("forest", ["n_estimators=9"]), ("threshold-boost", []), ("ordinal", ["n_estimators=9"]), ("ordinal-tree", []),
     ("consensus", ["forest__n_estimators=5", "booster__n_estimators=5"])],
)  # fmt: skip
def test_every_model_takes_directions(kind, settings, rf, loans, tmp_path):
    given = [part for setting in settings for part in ("--set", setting)]
    file = tmp_path / "m.rankforest"
    told = rf("fit", loans, "-t", "label", "-m", kind, *given, *OPTIONS, "-o", file)
    assert told.code == 0, told.err
    assert all(f"  {sentence}\n" in told.out + told.err for sentence in SENTENCES)
    assert rf("info", file, "--json").json["constraints"] == SENTENCES
    assert f"  constraints: {' '.join(SENTENCES)}\n" in rf("info", file).out
    model, frame = load_model(file), pd.read_csv(loans).drop(columns="label")
    moved = [model.score_samples(frame.assign(income=value)) for value in np.linspace(-3, 3, 25)]
    assert np.diff(moved, axis=0).min() >= -1e-12
    assert np.ptp(model.score_samples(frame)) > 0


def test_the_text_and_the_report_say_it(rf, loans, tmp_path):
    file, page, text = (tmp_path / name for name in ("m.rankforest", "r.html", "m.txt"))
    given = ["fit", loans, "-t", "label", "-m", "boost", "--set", "n_estimators=9", "--interactions", "income,grade"]
    assert rf(*given, *OPTIONS, "-o", file).code == 0
    assert rf("report", file, loans, "-o", page).code == 0
    assert rf("export", file, "--to", "text", "-o", text).code == 0
    for sentence in (*SENTENCES, "Only features of one group interact: {income, grade}, {unpaid}."):
        assert sentence in page.read_text()
        assert f"{sentence}\n" in text.read_text()


@pytest.mark.parametrize("memory", [[], ["--memory", "1GB"]])
@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["none"], "No two features interact."),
        (["pairs"], "At most two features interact at a time."),
        (["income,grade", "unpaid"], "Only features of one group interact: {income, grade}, {unpaid}."),
    ],
)
def test_interactions(option, said, memory, rf, loans, tmp_path):
    given = [part for group in option for part in ("--interactions", group)]
    model = ["-m", "boost", "--set", "n_estimators=5", "--set", "n_folds=None"]
    found = rf("fit", loans, "-t", "label", *model, *given, *memory, "-o", tmp_path / "m.rankforest", "--json").json
    assert found["constraints"] == [said]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--increasing", "wage"], "--increasing names the column 'wage', which"),
        (["--increasing", "income", "--decreasing", "income"], "The column 'income' has more than one direction"),
        (
            ["--worst-to-best", "grade"],
            "--worst-to-best is 'grade'; give a column and its categories, as in grade=C,B,A",
        ),
        (["--worst-to-best", "grade=A,B"], "The order of column 'grade' in monotonic_cst is without 'C'; name every"),
        (
            ["--worst-to-best", "income=1,2"],
            "Column 'income' has an order of categories in monotonic_cst, but it is num",
        ),
        (["--increasing", "grade"], "Column 'grade' has 1 in monotonic_cst, but it is categorical"),
        (["--interactions", "none", "--interactions", "income"], "--interactions none stands alone"),
        (["--interactions", "income,wage"], "--interactions names the column 'wage', which"),
    ],
)
def test_wrong_options_are_one_sentence(options, said, rf, loans, tmp_path):
    told = rf("fit", loans, "-t", "label", *options, "-o", tmp_path / "m.rankforest")
    assert told.code != 0
    assert said in told.err.replace("\n", " ")
    assert not (tmp_path / "m.rankforest").exists()
