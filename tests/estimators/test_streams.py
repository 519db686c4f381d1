"""A model fitted on a frame and on its files has the same bytes, whatever the batches."""

import logging
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from rankforest import (
    OAPBPM,
    BestInstances,
    Dyadic,
    FalseAlarmConstrained,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    Stream,
    ThresholdRankBoost,
    TreeRank,
    save_model,
)
from rankforest.data import binning

N = 900


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, flag = rng.normal(size=N), rng.random(N) < 0.3
    return pd.DataFrame(
        {
            "a": a,
            "whole": rng.integers(0, 9, N),
            "single": rng.normal(size=N).astype(np.float32),
            "holes": np.where(rng.random(N) < 0.2, np.nan, rng.normal(size=N)),
            "city": np.where(np.arange(N) >= N - 2, "Zwolle", rng.choice(["Lyon", "Oslo"], N)),  # the last one is late
            "kind": pd.Categorical(rng.choice(["x", "y"], N), ["z", "y", "x"], ordered=True),
            "flag": flag,
            "grade": rng.integers(1, 4, N),
            "w": rng.integers(0, 3, N).astype(np.float64),
            "y": np.digitize(a + flag + rng.normal(size=N), [0.0]),
            "level": np.digitize(a + flag + rng.normal(size=N), [-0.5, 0.5, 1.5]),
        }
    )


FRAME = frame()
FEATURES = FRAME.drop(columns=["w", "y", "level"])
MODELS = [
    (TreeRank(max_depth=4, categorical_features=["grade"], random_state=0), "y"),
    (TreeRank(max_depth=3, splitter=LeafRank(max_depth=2), pruning="cv-1se", random_state=0), "y"),
    (TreeRank(LeafRank(max_depth=2, pruning=Pruning("cv", n_folds=2)), max_depth=2, top=0.3, random_state=0), "y"),
    (RankingForest(12, categorical_features=["grade"], random_state=0), "y"),
    (RankingForest(4, splitter=LeafRank(max_bins=300), pruning="structural", random_state=0), "y"),
    (RankBoost(12, random_state=0), "y"),
    (RankScore(n_estimators=12, categorical_features=["grade"], random_state=0), "y"),
    (ThresholdRankBoost(5, max_bins=7, n_folds=3, random_state=0), "y"),
    (RankConsensus(RankingForest(5), RankBoost(5), weights=[1, 2], random_state=0), "y"),
    (RankConsensus(RankingForest(5, sampling=1.0), RankBoost(5, n_folds=None), random_state=0), "y"),
    (OrdinalRankingTree(max_depth=4, random_state=0), "level"),
    (OrdinalRankingForest(6, random_state=0), "level"),
]
IDS = [f"{type(model).__name__}{i}" for i, (model, _) in enumerate(MODELS)]


def bytes_of(model: Any, folder: Path) -> bytes:
    save_model(model, folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    FRAME.to_parquet(folder / "all.parquet", row_group_size=128)
    (folder / "parts").mkdir()
    for i, start in enumerate(range(0, N, 75)):  # part.10 and part.11 among them
        FRAME[start : start + 75].reset_index(drop=True).to_parquet(folder / "parts" / f"part.{i}.parquet")
    return folder


@pytest.mark.parametrize(("model", "target"), MODELS, ids=IDS)
@pytest.mark.parametrize(("weight", "few"), [(None, False), ("w", True)])
def test_the_same_bytes_from_a_frame_and_its_files(
    model: Any, target: str, weight: str | None, few: bool, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where cut points are drawn from some of the rows only."""
    if few:
        for module in ("survey", "coding", "binning"):
            monkeypatch.setattr(f"rankforest.data.{module}.SAMPLE_ROWS", 200)
        assert binning.SAMPLE_ROWS == 200
    given = None if weight is None else FRAME[weight]
    whole = bytes_of(model.fit(FEATURES, FRAME[target], sample_weight=given), tmp_path)
    ignore = [name for name in ("w", "y", "level") if name not in (weight, target)]
    for source in (files / "all.parquet", str(files / "parts")):
        stream = Stream(source, ignore=ignore)
        assert bytes_of(model.fit(stream, target, sample_weight=weight), tmp_path) == whole
    assert model.score(stream, target, sample_weight=weight) == model.score(
        FEATURES, FRAME[target], sample_weight=given
    )


@pytest.mark.parametrize(("model", "target"), MODELS, ids=IDS)
def test_a_reader_and_a_relation_go_straight_into_fit(model: Any, target: str, tmp_path: Path) -> None:
    """Both can be read only once."""
    duckdb = pytest.importorskip("duckdb")
    rows = FRAME.drop(columns=["kind", *({"w", "y", "level"} - {target})])
    table = pa.Table.from_pandas(rows, preserve_index=False)
    whole = bytes_of(model.fit(rows.drop(columns=target), rows[target]), tmp_path)
    assert bytes_of(model.fit(table.to_reader(max_chunksize=90), target), tmp_path) == whole
    assert bytes_of(model.fit(duckdb.from_arrow(table), target), tmp_path) == whole


# ---- kinds of sources

PLAIN = FRAME.drop(columns=["w", "level", "kind"])
MODEL = TreeRank(max_depth=3)


def in_batches(rows: Any, size: int) -> Callable[[], Iterator[Any]]:
    def batches() -> Iterator[Any]:
        for start in range(0, N, size):
            yield rows[start : start + size]
            yield rows[:0]

    return batches


def arrow_batches(size: int) -> list[Any]:
    return pa.Table.from_pandas(PLAIN, preserve_index=False).to_batches(max_chunksize=size)


def turned(size: int) -> list[Any]:
    """Every other batch has its columns in another order."""
    return [
        PLAIN[start : start + size][list(PLAIN.columns)[:: 1 if start % (2 * size) else -1]]
        for start in range(0, N, size)
    ]


def on_disk(kind: str, folder: Path) -> Any:
    table = pa.Table.from_pandas(PLAIN, preserve_index=False)
    if kind == "dataset":
        for i in range(3):
            pq.write_table(table.slice(300 * i, 300), folder / f"{i}.parquet")
        return ds.dataset(folder)
    pyarrow.feather.write_feather(table, folder / "rows.arrow", chunksize=100)
    return folder / "rows.arrow"


@pytest.fixture(scope="module")
def plain_model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return bytes_of(MODEL.fit(PLAIN.drop(columns="y"), PLAIN["y"]), tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: in_batches(PLAIN, 250),
        lambda folder: in_batches(pl.from_pandas(PLAIN), 7),
        lambda folder: arrow_batches(100),
        lambda folder: lambda: iter(arrow_batches(N)),
        lambda folder: on_disk("dataset", folder),
        lambda folder: on_disk("arrow", folder),
    ],
)
def test_sources(make: Callable[[Path], Any], plain_model: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    model = MODEL.fit(make(folder), "y")
    assert bytes_of(model, tmp_path) == plain_model


def test_the_first_batch_gives_the_order_of_the_columns(tmp_path: Path) -> None:
    model = MODEL.fit(turned(60), "y")
    order = list(PLAIN.columns.drop("y"))[::-1]
    assert model.feature_names_in_.tolist() == order
    assert bytes_of(model, tmp_path) == bytes_of(MODEL.fit(PLAIN[order], PLAIN["y"]), tmp_path)


@pytest.mark.parametrize(
    "files_of", [lambda folder: f"{folder}/*.csv", lambda folder: [folder / "0.csv", folder / "1.csv"]]
)
def test_csv_files(files_of: Callable[[Path], Any], tmp_path: Path) -> None:
    """A type is that of all files: a number in the first one may be a word in the last."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = PLAIN.astype({"single": np.float64}).assign(code=["7"] * (N - 1) + ["7b"], sparse=[np.nan] * 700 + [1] * 200)
    for i, start in enumerate((0, 500)):
        rows[start : start + (500, 400)[i]].to_csv(folder / f"{i}.csv", index=False)
    whole = bytes_of(MODEL.fit(rows.drop(columns="y"), rows["y"]), tmp_path)
    for files in (f"{folder}/*.csv", [folder / "0.csv", folder / "1.csv"]):
        assert bytes_of(MODEL.fit(files, "y"), tmp_path) == whole
    np.testing.assert_array_equal(MODEL.score_samples(folder), MODEL.score_samples(rows.drop(columns="y")))


def test_arrays_have_positions(tmp_path: Path) -> None:
    X = FRAME[["a", "whole", "holes", "w", "y"]].to_numpy()
    whole = bytes_of(MODEL.fit(X[:, [0, 1, 2]], X[:, 4], sample_weight=X[:, 3]), tmp_path)
    for target, weight in ((4, 3), (-1, -2)):
        assert bytes_of(MODEL.fit([X[:100], X[100:]], target, sample_weight=weight), tmp_path) == whole
    given = MODEL.fit(Stream([X[:100], X[100:]], ignore=[3, 4]), X[:, 4], sample_weight=X[:, 3])
    assert bytes_of(given, tmp_path) == whole


def test_labels_of_text_and_of_an_ordered_type(tmp_path: Path) -> None:
    words = PLAIN.assign(y=np.where(PLAIN["y"] == 1, "ja", "nein"))
    whole = bytes_of(MODEL.fit(words.drop(columns="y"), words["y"]), tmp_path)
    assert bytes_of(MODEL.fit(in_batches(words, 100), "y"), tmp_path) == whole
    grades = PLAIN.assign(y=pd.Categorical.from_codes(FRAME["level"], ["poor", "fair", "good", "best"], ordered=True))
    tree = OrdinalRankingTree(max_depth=3, random_state=0)
    whole = bytes_of(tree.fit(grades.drop(columns="y"), grades["y"]), tmp_path)
    assert bytes_of(tree.fit(in_batches(grades, 100), "y"), tmp_path) == whole
    words = grades.assign(y=grades["y"].astype(str))
    tree.set_params(order=["poor", "fair", "good", "best"])
    whole = bytes_of(tree.fit(words.drop(columns="y"), words["y"]), tmp_path)
    assert bytes_of(tree.fit(in_batches(words, 100), "y"), tmp_path) == whole


def test_scores_of_a_stream(files: Path) -> None:
    forest = RankingForest(5, random_state=0).fit(Stream(files / "all.parquet", ignore=["w", "level"]), "y")
    for name in ("score_samples", "decision_function", "predict", "predict_proba", "rank", "apply"):
        of_frame, of_files = getattr(forest, name)(FEATURES), getattr(forest, name)(files / "parts")
        np.testing.assert_array_equal(of_frame, of_files)
    with pytest.raises(ValueError, match=r"no column 'a', which"):
        forest.score_samples([PLAIN.drop(columns="a")])


def test_codes_in_a_file(files: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It has no name: nothing is in its folder, not even while the model is fitted."""
    seen: list[list[Path]] = []

    class Looks(TreeRank):
        def _learn(self, training: Any) -> Any:
            seen.append(list(folder.iterdir()))
            return super()._learn(training)

    folder = tmp_path / "codes"
    folder.mkdir()
    whole = bytes_of(TreeRank(max_depth=3).fit(FEATURES, FRAME["y"]), tmp_path)
    stream = Stream(files / "all.parquet", ignore=["w", "level"], memory=N, folder=folder)
    with caplog.at_level(logging.INFO, "rankforest"):
        model = Looks(max_depth=3).fit(stream, "y")
    assert seen == [[]]
    assert f"in a file without a name in {folder}" in caplog.text
    plain = TreeRank(max_depth=3)
    plain.__dict__.update(vars(model))
    assert bytes_of(plain, tmp_path) == whole
    assert not list(folder.iterdir())


def test_boosting_on_codes_that_are_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large enough that a table in memory is copied column by column."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((30_000, 18)).round(3), columns=[f"x{j}" for j in range(18)])
    frame["y"] = (frame["x0"] + rng.random(len(frame)) > 1).astype(int)
    model = RankBoost(3, max_leaf_nodes=8, n_folds=None, random_state=0)
    wanted = bytes_of(model.fit(frame.drop(columns="y"), frame["y"]), tmp_path)
    monkeypatch.setattr("rankforest.data.stream_reading.COPIED_BYTES", 0)
    assert bytes_of(clone(model).fit(Stream([frame[:9_000], frame[9_000:]]), "y"), tmp_path) == wanted


KILLED = """
import os, signal, sys
import numpy as np, pandas as pd
from rankforest import Stream, TreeRank

rng = np.random.default_rng(0)
batches = [pd.DataFrame({"x": rng.random(500), "y": rng.integers(0, 2, 500)}) for _ in range(4)]

def read():
    for number, batch in enumerate(batches):
        mapped = [line for line in open("/proc/self/maps") if sys.argv[1] in line]
        if mapped and number == 2:  # half of the codes are in the file
            print(mapped[0].rstrip().endswith("(deleted)"), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        yield batch

TreeRank().fit(Stream(read, memory=1, folder=sys.argv[1]), "y")
"""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="there is no list of mapped files")
def test_a_killed_process_leaves_no_file_of_codes(tmp_path: Path) -> None:
    """The file has no name from the beginning, so the system frees it with the process."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout == "True\n"
    assert list(tmp_path.iterdir()) == []


# ---- what is refused


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (TreeRank(Dyadic()), "The splitter Dyadic needs the values"),
        (TreeRank(LogisticRegression()), "The splitter WeightedERM needs the values"),
        (RankingForest(3, splitter=[LeafRank(), Dyadic()]), "The splitter Candidates needs the values"),
        (RankConsensus(RankingForest(3, splitter=Dyadic())), "The splitter Dyadic needs the values"),
        (PRank(), "PRank needs the values of all rows at once"),
        (OAPBPM(), "OAPBPM needs the values of all rows at once"),
        (BestInstances(), "BestInstances needs the values of all rows at once"),
        (FalseAlarmConstrained(), "FalseAlarmConstrained needs the values of all rows at once"),
    ],
)
def test_models_that_need_the_values(model: Any, says: str, files: Path) -> None:
    with pytest.raises(TypeError, match=says):
        model.fit(files / "all.parquet", "y")


def other_rows() -> Callable[[], Iterator[Any]]:
    rng = np.random.default_rng(0)
    return lambda: iter([PLAIN.sample(frac=1.0, random_state=int(rng.integers(1000)))])


@pytest.mark.parametrize(
    ("fit", "says"),
    [
        (lambda folder: (folder / "all.parquet", "label"), r"y is 'label', and .*all.parquet has no such column"),
        (lambda folder: (iter([PLAIN]), "y"), r"can be read only once.*pass a function that returns it anew"),
        (lambda folder: (f"{folder}/none/*.csv", "y"), r"No file matches"),
        (lambda folder: (list, "y"), r"has no batches"),
        (lambda folder: ([PLAIN[:0]], "y"), r"has no rows"),
        (lambda folder: (other_rows(), "y"), r"gives other rows when it is read again"),
        (lambda folder: ([PLAIN.to_numpy()], "y"), r"columns of the batches have no names; give a position below 8"),
        (lambda folder: ([PLAIN[:9], PLAIN[9:].drop(columns="a")], "y"), r"'a' is in some of them"),
        (lambda folder: ([PLAIN[["y"]]], "y"), r"no columns besides labels and weights"),
        (lambda folder: ([PLAIN.assign(a=np.inf)], "y"), r"Column 'a' contains inf in row 0"),
        (lambda folder: ([PLAIN[:9], PLAIN[9:].assign(y=None)], "y"), r"label of row 9 is missing"),
    ],
)
def test_what_is_refused(fit: Callable[[Path], Any], says: str, files: Path) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        TreeRank().fit(*fit(files))


def test_files_with_other_columns(tmp_path: Path) -> None:
    PLAIN.to_parquet(tmp_path / "1.parquet")
    PLAIN.drop(columns="a").to_parquet(tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"1.parquet has a column 'a', and .*2.parquet has not"):
        TreeRank().fit(tmp_path, "y")


def test_options_of_a_stream(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="memory is 'much'; give a size such as '2GB'"):
        Stream([PLAIN], memory="much")
    with pytest.raises(ValueError, match="which is no folder"):
        Stream([PLAIN], folder=tmp_path / "none")
    with pytest.raises(ValueError, match="ignore is 'b', and the stream has no such column"):
        Stream([PLAIN], ignore=["b"])
    (tmp_path / "year=2020").mkdir()
    with pytest.raises(ValueError, match=r"whose name is a column; pass pyarrow.dataset.dataset"):
        Stream(tmp_path)


def test_a_weight_and_a_label_are_two_columns() -> None:
    with pytest.raises(ValueError, match="y and sample_weight are the same column, 'y'"):
        TreeRank().fit([PLAIN], "y", sample_weight="y")
