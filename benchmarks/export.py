"""The ONNX file of a forest in onnxruntime, one thread, compared with the library itself and with a plain forest.

A ranking tree takes more decisions per row than a plain one, and in the file some more to find the cell that it goes on
with, which are not counted. The plain forest is scikit-learn's, written with the same operator: what onnxruntime needs
for a decision at best.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from _data import weak_gaussians
from _timing import interleaved, parser, peer, print_header, print_table, ratio
from sklearn.ensemble import RandomForestClassifier

from rankforest import RankingForest
from rankforest.data.schema import Feature
from rankforest.export.model import program_of
from rankforest.export.onnx import onnx_model
from rankforest.program.program import Graph, Program, TreeSum


def plain_program(forest: RandomForestClassifier, n_features: int) -> Program:
    """A forest of scikit-learn in the form that the exports print."""
    graphs, values = [], []
    for member in forest.estimators_:
        tree = member.tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        place = np.empty(tree.node_count, dtype=int)
        place[inner] = np.arange(len(inner))
        leaves = np.flatnonzero(tree.children_left < 0)
        place[leaves] = ~np.arange(len(leaves))
        left, right = place[tree.children_left[inner]], place[tree.children_right[inner]]
        n = len(inner)
        graphs.append(
            Graph(
                tuple(tree.feature[inner].tolist()), tuple(tree.threshold[inner].tolist()), (None,) * n, (False,) * n,
                tuple(left.tolist()), tuple(right.tolist()), len(leaves),
            )
        )  # fmt: skip
        values.append(tree.value[leaves, 0, 1] / tree.value[leaves, 0].sum(axis=1))
    features = tuple(Feature(f"x{j}", "numeric") for j in range(n_features))
    score = TreeSum(tuple(range(len(graphs))), tuple(values), divisor=float(len(graphs)))
    return Program("RandomForestClassifier", features, tuple(graphs), {"score": score})


def decisions(program: Program, X: np.ndarray) -> float:
    """Mean number of decisions of a row in a tree, on few rows and trees."""
    counts = []
    for graph in program.graphs[:: max(1, len(program.graphs) // 10)]:
        for row in X[:100].tolist():
            node = n = 0
            while node >= 0:
                left = row[graph.feature[node]] <= graph.threshold[node]
                node, n = graph.left[node] if left else graph.right[node], n + 1
            counts.append(n)
    return float(np.mean(counts))


def session_of(program: Program) -> tuple[Any, float, float]:
    """A session of one thread, megabytes of the file, seconds to make it."""
    onnxruntime = peer("onnxruntime")
    assert onnxruntime is not None, "the benchmark ends where it is not installed"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    start = time.perf_counter()
    content = onnx_model(program).SerializeToString()
    seconds = time.perf_counter() - start
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session, len(content) / 1e6, seconds


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    if peer("onnxruntime") is None or peer("onnx") is None:
        return
    n_rows, n_trees, repeats = (1_000, 10, 2) if args.quick else (20_000, 500, 5)
    X_train, y_train = weak_gaussians(2_000, seed=1)
    X, _ = weak_gaussians(n_rows, seed=2)
    forest = RankingForest(n_trees, random_state=0).fit(X_train, y_train)
    plain = RandomForestClassifier(n_trees, min_samples_leaf=5, random_state=0).fit(X_train, y_train)
    ours, theirs = program_of(forest), plain_program(plain, X.shape[1])
    our_session, our_size, our_seconds = session_of(ours)
    their_session, their_size, their_seconds = session_of(theirs)
    difference = np.abs(our_session.run(["score"], {"X": X})[0] - forest.score_samples(X)).max()
    seconds = interleaved(
        {
            "RankingForest, library": lambda: forest.score_samples(X),
            "RankingForest, onnxruntime": lambda: our_session.run(["score"], {"X": X}),
            "plain forest, scikit-learn": lambda: plain.predict_proba(X),
            "plain forest, onnxruntime": lambda: their_session.run(["score"], {"X": X}),
        },
        repeats,
        time.process_time,
    )
    depth = {"RankingForest": decisions(ours, X), "plain forest": decisions(theirs, X)}
    print(f"{n_trees} trees, {n_rows:,} x {X.shape[1]}, one thread; largest difference of scores {difference:.1e}")
    print(f"files: {our_size:.1f} MB made in {our_seconds:.1f} s; plain {their_size:.1f} MB in {their_seconds:.1f} s\n")
    rows = []
    for name, spent in seconds.items():
        steps = depth[name.split(",")[0]]
        each = 1e9 * spent / (n_rows * n_trees * steps)
        against = ratio(spent / seconds["RankingForest, library"])
        rows.append([name, f"{1e3 * spent:.0f}", f"{steps:.1f}", f"{each:.2f}", against])
    print_table(["", "ms", "decisions per tree", "ns per decision", "time / library"], rows)


if __name__ == "__main__":
    main()
