"""Which label is positive: ``fit`` asks the user if only alphabetical order would decide."""

import shlex

import numpy as np
import pytest

from rankforest import load_model


def write(path, labels):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = np.array(labels)[(x + rng.normal(size=60) > 0).astype(int)]
    path.write_text("x,the label\n" + "".join(f'{a},"{b}"\n' for a, b in zip(x, y)))
    return path


@pytest.mark.parametrize("labels", [("bad", "good"), ("it's bad", "so so"), ("-b", "-g"), ("bad", "good news, all")])
@pytest.mark.parametrize("dashes", [False, True])
def test_the_question_holds_the_two_commands(rf, tmp_path, labels, dashes):
    """The message shows both commands as typed, ready to run; nothing is fitted before."""
    data, output = write(tmp_path / "my credit.csv", labels), tmp_path / "m.rankforest"
    options = ["--target", "the label", "-m", "tree", "--set", "max_depth=1", "-o", output]
    said = rf("fit", *options, "--", data) if dashes else rf("fit", data, *options)
    assert (said.code, said.out) == (2, "")
    assert not output.exists()
    question, *commands = said.err.splitlines()
    assert question == (
        f"rankforest: The labels of 'the label' are {labels[0]!r} and {labels[1]!r}, and it is not clear which one "
        "belongs at the top. Choose one of"
    )
    assert len(commands) == 2
    for label, command in zip(labels, commands):
        program, *arguments = shlex.split(command)
        assert program == "rankforest"
        assert rf(*arguments).code == 0
        assert load_model(output).pos_label_ == label


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (("ja", "nein"), "ja"),
        (("Non", "Oui"), "Oui"),
        (("нет", "да"), "да"),
        (("t", "f"), "t"),
        (("negative", "positive"), "positive"),
        (("0", "1"), 1),
        (("-1", "2.5"), 2.5),
        (("False", "True"), True),
    ],
)
def test_no_question_where_it_is_known(rf, tmp_path, labels, positive):
    output = tmp_path / "m.rankforest"
    said = rf("fit", write(tmp_path / "a.csv", labels), "-t", "the label", "-m", "tree", "-o", output)
    assert (said.code, said.err) == (0, "")
    assert load_model(output).pos_label_ == positive


def test_no_question_where_it_is_said(rf, tmp_path):
    data, output = write(tmp_path / "a.csv", ("bad", "good")), tmp_path / "m.rankforest"
    fit = ["fit", data, "-t", "the label", "-m", "tree", "-o", output]
    assert rf(*fit, "--set", "pos_label=bad").code == 0
    assert load_model(output).pos_label_ == "bad"
    assert rf(*fit, "--set", "pos_label=None").code == 2
    fit[5] = "ordinal-tree"
    assert rf(*fit, "--order", "bad,good").code == 0  # ordered labels are not turned around
