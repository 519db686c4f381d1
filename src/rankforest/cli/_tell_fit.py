"""What `fit` prints: the model, its figures on held-out rows, and what to try next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..data.database import without_password
from ..metrics.titles import SCALE
from ..words import area, count, features, figure_name, number, rows
from ._describe import fitted_figures
from ._kinds import TO_READ
from ._say import print_json, print_table, say

__all__ = ["Outcome", "forest_command"]


@dataclass
class Outcome:
    """All that a fit has found.

    Attributes
    ----------
    estimator : FittedModel
    training : TrainingFile or StreamTraining
    choice : Choice
    output : str
        The model file.
    judged : Evaluation or None
        Figures of rows that the judged models have not seen.
    how : str
        How they were held out, in words.
    of_folds : list of float
        AUC, or C-index, of each fold.
    on_all_rows : bool
        Whether the rows that judged are also training rows of the model in the file.
    trials : list of dict
        Of the tuning, the best first.
    forest : str or None
        What a forest would add.
    hint : str or None
        The command to fit a forest.
    """

    estimator: Any
    training: Any
    choice: Any
    output: str
    judged: Any = None
    how: str = ""
    of_folds: list[float] = field(default_factory=list)
    on_all_rows: bool = True
    trials: list[dict[str, Any]] = field(default_factory=list)
    forest: str | None = None
    hint: str | None = None

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        model, training = self.estimator, self.training
        found: dict[str, Any] = {
            "model": self.output,
            "bytes": os.path.getsize(self.output),
            "kind": type(model).__name__,
            "rows": training.n_rows,
            "features": training.n_features,
            "labels": training.counts,
            **fitted_figures(model),
            **({"constraints": model.constraints()} if model.constraints() else {}),
        }
        if self.trials:
            found["tuning"] = self.trials
        if self.judged is not None:
            columns = self.judged.to_dict()
            found["judged"] = {
                "how": self.how,
                "rows": self.judged.n_rows,
                "confidence": self.judged.confidence,
                "metrics": [dict(zip(columns, row)) for row in zip(*columns.values())],
                "of_folds": self.of_folds,
            }
        return found

    def tell(self, as_json: bool) -> None:
        """Print it."""
        if as_json:
            print_json(self.plain())
            return
        model, training = self.estimator, self.training
        labels = ", ".join(f"{count(n)} {label}" for label, n in training.counts.items())
        say(f"{type(model).__name__} fitted on {rows(training.n_rows)} and {features(training.n_features)} ({labels}).")
        for name, value in fitted_figures(model).items():
            say(f"  {figure_name(name)}: {number(value, 4) if isinstance(value, float) else value}")
        for sentence in model.constraints():
            say(f"  {sentence}")
        if self.choice.holds_out_by is not None:
            say(f"  column {self.choice.holds_out_by!r} is not a feature")
        self._tell_trials()
        self._tell_judged()
        say(f"Model: {self.output} ({count(os.path.getsize(self.output))} bytes)")
        if self.hint:
            say(f"{self.forest or 'A forest may order the rows better, without rules to read.'} To fit it:")
            say(f"  {self.hint}")

    def _tell_trials(self) -> None:
        if self.trials:
            name = "held-out C-index" if self.estimator.ordered else "held-out AUC"
            lines = [
                [one["name"], area(one["mean"]), area(one["standard_error"]), "chosen" if not k else ""]
                for k, one in enumerate(self.trials)
            ]
            print_table(["setting", name, "standard error", ""], lines)

    def _tell_judged(self) -> None:
        if self.judged is None:
            return
        if not self.trials:  # a table ends with an empty line
            say()
        say(f"Judged on {self.how}:" if not self.of_folds else f"Judged by {self.how}:")
        lines = [[row.metric, area(row.value), f"[{area(row.low)}, {area(row.high)}]"] for row in self.judged.rows]
        print_table(["metric", "value", f"{number(self.judged.confidence * 100, 6)}% interval"], lines)
        if self.of_folds:
            name = "C-index" if self.estimator.ordered else "AUC"
            say(f"{name} of the folds: {', '.join(map(area, self.of_folds))}")
        if not self.estimator.ordered:
            say(SCALE)
        if self.on_all_rows:
            say(f"The model in the file is fitted to all {rows(self.training.n_rows)}, also those that judged.")


def forest_command(arguments: Sequence[str], model: str) -> str | None:
    """The command that fits a forest instead of a model to read; None for other models.

    Examples
    --------
    >>> forest_command(["fit", "a.csv", "-t", "y", "-m", "tree", "-o", "a.rankforest"], "tree")
    'rankforest fit a.csv -t y --model forest -o forest.rankforest'
    >>> forest_command(["fit", "a.csv", "-t", "y", "--set", "max_depth=3"], "tree")
    'rankforest fit a.csv -t y --model forest -o forest.rankforest'
    """
    if model not in TO_READ:
        return None
    kept: list[str] = []
    left = iter(arguments)
    for argument in left:
        name = argument.partition("=")[0]
        if name in ("-m", "--model", "-o", "--output", "--set"):
            if "=" not in argument:
                next(left, None)
        elif not (argument.startswith(("-m", "-o")) and not argument.startswith("--") and len(argument) > 2):
            kept.append(argument)
    end = kept.index("--") if "--" in kept else len(kept)
    choice = ["--model", "forest", "-o", "forest.rankforest"]
    return shlex.join(["rankforest", *map(without_password, kept[:end]), *choice, *kept[end:]])
