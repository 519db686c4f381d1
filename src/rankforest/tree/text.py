"""A ranking tree as text, to be read from the cell with the most likely positives to the one with the least."""

from __future__ import annotations

from ..data.positive_words import POSITIVE, PositiveWords
from ..words import area, percent, rows
from .conditions import conjunction
from .master_tree import MasterTree
from .rules import left_rule
from .subtree import strata_below

__all__ = ["export_text"]


def export_text(
    tree: MasterTree,
    *,
    max_depth: int | None = None,
    max_alternatives: int = 6,
    positive: PositiveWords = POSITIVE,
) -> str:
    """The tree as text: each split with the rule of the side where positives are more likely, which comes first.

    Parameters
    ----------
    tree : MasterTree
    max_depth : int or None
        Master nodes deeper than this are summed up in a line.
    max_alternatives : int
        Most alternatives printed of a rule.
    positive : PositiveWords
        What positives are called.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> print(export_text(model.tree_))
    3 rows, 33.3% positive; split adds 0.5000 to the AUC
      positive more likely if x0 > 2.5
    [+] stratum 1: 1 row, 100.0% positive
    [-] stratum 2: 2 rows, 0.0% positive
    """
    lines: list[str] = []
    lead_in = positive.more_likely_if
    held_out = "held-out " if tree.held_out else ""
    stratum = {int(leaf): i for i, leaf in enumerate(tree.leaves)}
    open_cells = [(0, "", "")]  # with their indent and what leads in; a stack, as trees can be deeper than Python's
    while open_cells:
        cell, indent, lead = open_cells.pop()
        if tree.cell_left[cell] < 0:
            lines.append(f"{indent}{lead}stratum {stratum[cell] + 1}: {_described(tree, cell, positive)}")
            continue
        if max_depth is not None and int(tree.cell_depth[cell]) >= max_depth:
            first, last = strata_below(tree, cell)
            lines.append(f"{indent}{lead}strata {first + 1}-{last + 1}: {_described(tree, cell, positive)}")
            continue
        gain = area(tree.cell_gain[cell] / 2)
        lines.append(f"{indent}{lead}{_described(tree, cell, positive)}; split adds {gain} to the {held_out}AUC")
        rule = left_rule(tree, cell)
        inside = indent + ("    " if lead else "")
        for i, alternative in enumerate(rule[:max_alternatives]):
            words = conjunction(alternative) if alternative else "always"
            lines.append(f"{inside}  {lead_in if i == 0 else 'or'.rjust(len(lead_in))} {words}")
        if len(rule) > max_alternatives:
            lines.append(f"{inside}  {'or'.rjust(len(lead_in))} {len(rule) - max_alternatives} more")
        open_cells.append((int(tree.cell_right[cell]), inside, "[-] "))
        open_cells.append((int(tree.cell_left[cell]), inside, "[+] "))
    return "\n".join(lines)


def _described(tree: MasterTree, cell: int, positive: PositiveWords) -> str:
    negatives, positives = tree.cell_mass[cell]
    return f"{rows(tree.cell_count[cell])}, {percent(positives / (negatives + positives))} {positive.of_rows}"
