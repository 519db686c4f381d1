from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

UNLIMITED: int
LEAST_GAIN: float

class Constraints:
    monotonic: Sequence[int]
    order: Sequence[Sequence[int]]
    groups: Sequence[Sequence[int]]
    most_together: int

class InnerParams:
    criterion: int
    missing: int
    max_depth: int
    max_leaf_nodes: int
    max_features: int
    min_samples_leaf: int
    levels: Sequence[float]
    random_cuts: bool
    min_mass_leaf: float
    class_unit: Sequence[float]
    label_noise: float
    constraints: Constraints

class MasterParams:
    inner: InnerParams
    max_depth: int
    max_leaf_nodes: int
    max_features: int
    min_samples_leaf: int
    path: Sequence[int]
    top: float
    seed: int

class TableArrays:
    def __init__(
        self,
        codes: NDArray[Any],
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
        cuts: NDArray[np.float64],
        cut_offsets: NDArray[np.int64],
        bin_means: NDArray[np.float64],
        mean_offsets: NDArray[np.int64],
        rows: Any = None,
        cell_bytes: int = 0,
    ) -> None: ...

class FarTrees:
    @property
    def n_trees(self) -> int: ...
    def begin(self, tree: int) -> None: ...
    def next(self, tree: int) -> tuple[bytes, int, bytes, int, int] | None: ...
    def give(self, tree: int, words: NDArray[np.uint64], rows: Sequence[NDArray[np.uint64]]) -> None: ...

class TreePart:
    def __init__(
        self,
        table: TableArrays,
        labels: NDArray[np.uint8],
        weights: NDArray[np.int64] | None,
        times: NDArray[np.uint32] | None,
        n_classes: int,
        packed: bool,
    ) -> None: ...
    def follow(self, moves: bytes) -> None: ...
    def answer(self, n_nodes: int, questions: bytes) -> tuple[NDArray[np.uint64], list[NDArray[np.uint64]]]: ...

class Dag:
    def __init__(
        self,
        feature: NDArray[np.int32],
        threshold: NDArray[np.float64],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        missing_left: NDArray[np.uint8],
        set_offset: NDArray[np.int32],
        sets: NDArray[np.uint64],
        terminal_label: NDArray[np.int32],
        n_codes: Sequence[int],
    ) -> None: ...
    def walk(self, X: NDArray[np.float64], n_threads: int) -> NDArray[np.int32]: ...

class Forest:
    def __init__(self, dags: Sequence[Dag]) -> None: ...
    @staticmethod
    def of_arrays(
        feature: NDArray[np.int32],
        threshold: NDArray[np.float64],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        missing_left: NDArray[np.uint8],
        set_offset: NDArray[np.int32],
        sets: NDArray[np.uint64],
        node_bounds: NDArray[np.int64],
        leaf_bounds: NDArray[np.int64],
        set_bounds: NDArray[np.int64],
        n_codes: Sequence[int],
    ) -> Forest: ...
    def is_coded(self, n_rows: int) -> bool: ...
    def n_symmetric(self) -> int: ...

class GradientTreeParams:
    max_depth: int
    max_leaf_nodes: int
    max_features: int
    min_samples_leaf: int
    min_hessian_leaf: float
    l2: float
    category_smoothing: float
    category_l2: float
    category_discount: bool
    random_cuts: bool
    symmetric: bool
    constraints: Constraints

class BoostParams:
    tree: GradientTreeParams
    loss: int
    threshold: bool
    learning_rate: float
    subsample: float
    tree_features: int
    seed: int

class Boosters:
    def __init__(
        self,
        table: TableArrays,
        labels: NDArray[np.uint8],
        weights: NDArray[np.float64] | None,
        held_out: NDArray[np.uint8],
        boosters: Sequence[BoostParams],
    ) -> None: ...
    def advance(self, n_rounds: int, n_threads: int) -> None: ...
    def resume(self, grown: Sequence[Sequence[BoostedTree]]) -> None: ...
    def grown(self, booster: int, first: int) -> list[BoostedTree]: ...
    @property
    def n_rounds(self) -> int: ...
    @property
    def best_round(self) -> int: ...
    def starts(self) -> list[float]: ...
    def curves(self) -> list[NDArray[np.float64]]: ...
    def fitted(self) -> list[NDArray[np.float64]]: ...
    def held_out_scores(self, n_rounds: int) -> list[NDArray[np.float64]]: ...
    def trees(self, n_rounds: int) -> dict[str, NDArray[Any]]: ...

class BoostedTree:
    @property
    def n_leaves(self) -> int: ...

class FarBoosters:
    def __init__(
        self,
        table: TableArrays,
        labels: NDArray[np.uint8],
        weights: NDArray[np.float64] | None,
        held_out: NDArray[np.uint8],
        boosters: Sequence[BoostParams],
    ) -> None: ...
    def resume(self, grown: Sequence[Sequence[BoostedTree]]) -> None: ...
    def begin(self, n_rounds: int) -> None: ...
    def stop(self) -> None: ...
    def questions(self) -> list[tuple[int, bool, bytes]]: ...
    def answer_words(self, booster: int, words: NDArray[np.uint64]) -> None: ...
    def answer_parts(self, booster: int, parts: Sequence[NDArray[np.uint8]]) -> None: ...
    def starts(self) -> list[float]: ...
    def curves(self) -> list[NDArray[np.float64]]: ...
    def grown(self, booster: int, first: int) -> list[BoostedTree]: ...

class BoosterPart:
    def __init__(
        self,
        table: TableArrays,
        labels: NDArray[np.uint8],
        weights: NDArray[np.float64] | None,
        held_out: NDArray[np.uint8],
        first_row: int,
        start: float,
    ) -> None: ...
    def knows(self, question: bytes) -> bool: ...
    def follow(self, question: bytes) -> None: ...
    def words(self, question: bytes) -> NDArray[np.uint64]: ...
    def leaves(self, question: bytes) -> NDArray[np.uint8]: ...

class TreeSum:
    def __init__(self, forest: Forest, value: NDArray[np.float64], bounds: NDArray[np.int64]) -> None: ...
    def sum(self, X: NDArray[np.float64], first: int, last: int, n_threads: int) -> NDArray[np.float64]: ...
    def shapley(
        self,
        X: NDArray[np.float64],
        Z: NDArray[np.float64],
        weight: NDArray[np.float64],
        pair_weight: NDArray[np.float64] | None,
        interactions: bool,
        n_threads: int,
    ) -> NDArray[np.float64]: ...

def flat_trees(table: TableArrays, trees: Sequence[BoostedTree]) -> dict[str, NDArray[Any]]: ...
def boosted_trees(table: TableArrays, trees: dict[str, NDArray[Any]], n_boosters: int) -> list[list[BoostedTree]]: ...
def best_round(curves: Sequence[NDArray[np.float64]], n_rounds: int) -> int: ...
def boosted_margins(
    table: TableArrays, trees: Sequence[BoostedTree], start: float, rows: NDArray[np.uint8] | None
) -> NDArray[np.float64]: ...
def instruction_set() -> str: ...
def loss_gradients(
    loss: int,
    scores: NDArray[np.float64],
    labels: NDArray[np.uint8],
    weights: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def find_bins(
    columns: Sequence[NDArray[np.float64]], max_bins: int, max_sample: int, seed: int, n_threads: int
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64]]]: ...
def sample_rows(n_rows: int, max_sample: int, seed: int) -> NDArray[np.int64]: ...
def neighbours(
    columns: Sequence[NDArray[np.float64]], cuts: Sequence[NDArray[np.float64]], n_threads: int
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
def digits_of_cuts(
    low: NDArray[np.float64], cuts: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.uint8]: ...
def encode(
    columns: Sequence[NDArray[np.float64]],
    cuts: Sequence[NDArray[np.float64]],
    codes: NDArray[Any],
    first_feature: int,
    n_threads: int,
) -> None: ...
def grow(
    table: TableArrays,
    labels: NDArray[np.uint8],
    weights: NDArray[np.int64] | None,
    unit: float,
    params: MasterParams,
    sample_size: int,
    replace: bool,
    n_trees: int,
    first_tree: int,
    n_threads: int,
    finished: Callable[[int], None] | None = None,
    root_key: int | None = None,
    class_sizes: Sequence[int] | None = None,
    times: NDArray[np.uint32] | None = None,
    groups: NDArray[np.int32] | None = None,
) -> list[dict[str, NDArray[Any]]]: ...

class HeldOutParams:
    n_folds: int
    prunes: bool
    held_out: bool
    one_standard_error: bool
    groups: Sequence[int]
    def __init__(self) -> None: ...

def grow_held_out(
    table: TableArrays,
    labels: NDArray[np.uint8],
    samples: Sequence[tuple[NDArray[np.int32], NDArray[np.int64] | None, float, MasterParams]],
    held_out: HeldOutParams,
    root_key: int,
    n_threads: int,
) -> list[dict[str, NDArray[Any]]]: ...
def stratified_folds(labels: NDArray[np.uint8], n_folds: int, seed: int) -> NDArray[np.int32]: ...
def group_folds(
    labels: NDArray[np.uint8],
    groups: NDArray[np.int32],
    n_classes: int,
    every_class: bool,
    n_folds: int,
    seed: int,
) -> NDArray[np.int32]: ...
def weakest_link(
    parent: Sequence[int], left: Sequence[int], right: Sequence[int], own: Sequence[float]
) -> NDArray[np.float64]: ...
def grow_ordinal(
    table: TableArrays,
    labels: NDArray[np.uint8],
    weights: NDArray[np.int64] | None,
    unit: float,
    params: InnerParams,
    seed: int,
    sample_size: int,
    replace: bool,
    n_trees: int,
    first_tree: int,
    n_threads: int,
    finished: Callable[[int], None] | None = None,
    times: NDArray[np.uint32] | None = None,
    groups: NDArray[np.int32] | None = None,
) -> list[dict[str, NDArray[Any]]]: ...
def sum_tables(
    dags: Sequence[Dag],
    tables: Sequence[NDArray[np.float64]],
    X: NDArray[np.float64],
    out_of_bag: NDArray[np.uint8] | None,
    first_row: int,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def ordinal_gain(
    criterion: int, left: Sequence[float], node: Sequence[float], cell: Sequence[float], levels: Sequence[float]
) -> tuple[float, float]: ...
def tree_scores(
    forest: Forest, values: Sequence[NDArray[np.float64]], X: NDArray[np.float64], n_threads: int
) -> NDArray[np.float64]: ...
def out_of_bag_sums(
    forest: Forest,
    values: Sequence[NDArray[np.float64]],
    X: NDArray[np.float64],
    out_of_bag: NDArray[np.uint8],
    first_row: int,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def out_of_bag_bits(
    labels: NDArray[np.uint8],
    size: int,
    replace: bool,
    class_sizes: Sequence[int] | None,
    seed: int,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    groups: NDArray[np.int32] | None = None,
) -> NDArray[np.uint8]: ...
def sample_of_tree(
    labels: NDArray[np.uint8],
    size: int,
    replace: bool,
    class_sizes: Sequence[int] | None,
    seed: int,
    tree: int,
    groups: NDArray[np.int32] | None = None,
) -> NDArray[np.uint32]: ...

class PairOrder:
    mean: ClassVar[PairOrder]
    median: ClassVar[PairOrder]
    majority: ClassVar[PairOrder]

def out_of_bag_pairs(
    scores: NDArray[np.float64],
    out_of_bag: NDArray[np.uint8],
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    order: PairOrder,
    n_threads: int,
) -> NDArray[np.float64]: ...
def histograms(
    table: TableArrays,
    labels: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
    packed: bool,
    features: Sequence[int],
    in_child: Sequence[int],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def merge_leaves(
    masses: Sequence[float], counts: Sequence[float], min_count: float, at_cell_odds: bool = False
) -> tuple[list[int], int, float]: ...
def draw_features(pool: Sequence[int], count: int, key: int) -> list[int]: ...
def root_key(seed: int, tree: int) -> int: ...
def child_key(key: int, child: int) -> int: ...
def draw_rows(n: int, size: int, replace: bool, key: int) -> NDArray[np.uint32]: ...
def draw_rows_of_range(n: int, size: int, replace: bool, key: int, begin: int, end: int) -> NDArray[np.uint32]: ...
def sample_key(seed: int, tree: int) -> int: ...
def kendall_masses(
    first: NDArray[np.float64], second: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[float, float, float]: ...
def kendall_matrix(
    profile: NDArray[np.float64], weights: NDArray[np.float64] | None, penalty: float, n_threads: int
) -> NDArray[np.float64]: ...
def preference_counts(
    profile: NDArray[np.float64], ranking_weights: NDArray[np.float64] | None, n_threads: int
) -> NDArray[np.float64]: ...
def pair_gains(
    profile: NDArray[np.float64],
    ranking_weights: NDArray[np.float64] | None,
    item_weights: NDArray[np.float64] | None,
    n_threads: int,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def copeland_scores(
    profile: NDArray[np.float64],
    ranking_weights: NDArray[np.float64] | None,
    item_weights: NDArray[np.float64] | None,
    n_threads: int,
) -> NDArray[np.float64]: ...
def pair_totals(
    profile: NDArray[np.float64],
    ranking_weights: NDArray[np.float64] | None,
    item_weights: NDArray[np.float64] | None,
    n_threads: int,
) -> tuple[float, float, float]: ...
def majority_components(margin: NDArray[Any], tied: NDArray[Any], strict: bool) -> NDArray[np.int32]: ...
def insertion_search(
    margin: NDArray[Any],
    tied: NDArray[Any],
    start: NDArray[np.int32],
    strict: bool,
    n_restarts: int,
    n_kicks: int,
    seed: int,
    n_threads: int,
) -> tuple[NDArray[np.int32], int]: ...

class PRankParams:
    def __init__(self, n_levels: int, n_epochs: int, shuffle: bool, average: bool, share: float, seed: int) -> None: ...

def prank(
    X: NDArray[np.float64], labels: NDArray[np.uint8], params: PRankParams, n_learners: int, n_threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def prank_scores(X: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]: ...
def kernel_prank_scores(
    X: NDArray[np.float64],
    points: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
) -> NDArray[np.float64]: ...
def kernel_prank(
    X: NDArray[np.float64],
    labels: NDArray[np.uint8],
    params: PRankParams,
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
