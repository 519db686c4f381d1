"""An estimator whose card is made by hand: `fit` only counts the rows of its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cards import SCHEMA, coded_rows, small_card
from rankforest.estimators._card_model import CardModel
from rankforest.scorecard.card import Scorecard


class HandCard(CardModel):
    """A model with a card that is given; it learns the mass of the steps and the calibration."""

    def __init__(
        self,
        card: Any = None,
        *,
        categorical_features: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.card = card
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HandCard:
        training = self._reading(X, y, sample_weight)
        rows = training.sample.training_rows()
        block = rows.values(slice(None))
        weights = np.ones(len(rows.labels)) if rows.weights is None else rows.weights
        card = replace(small_card() if self.card is None else self.card, schema=training.sample.table.schema)
        terms = []
        for term in card.terms:
            mass = np.zeros((len(term.table), 2))
            np.add.at(mass, (term.codes(block), rows.labels), weights)
            terms.append(replace(term, mass=mass.reshape(term.mass.shape)))
        n = len(card.steps)
        card = replace(card, steps=tuple(terms[:n]), pairs=tuple(terms[n:]))
        return self._keep_card(card, training, card.total(block))


def table_of(block: np.ndarray) -> pd.DataFrame:
    """Coded rows as a user has them."""
    columns: dict[str, Any] = {}
    for j, feature in enumerate(SCHEMA.features):
        values = block[:, j]
        if feature.categories is not None:
            names = np.array([*feature.categories, None], dtype=object)
            columns[feature.name] = names[np.where(np.isnan(values), len(feature.categories), values).astype(int)]
        else:
            columns[feature.name] = values
    return pd.DataFrame(columns)


def labelled_rows(n: int = 300, seed: int = 1, card: Scorecard | None = None) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows of the small card, positive the more often the greater their total is."""
    block = np.nan_to_num(coded_rows(n, seed), nan=np.nan, posinf=99.0, neginf=1.0)
    block[np.isnan(block[:, 1]), 1] = 0.0
    block[:4, 1] = np.arange(4.0)  # every category is there
    total = (small_card() if card is None else card).total(block)
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-(total - np.median(total)) / 15))
    return table_of(block), (rng.random(n) < chance).astype(int)


def hand_model(n: int = 300, *, pairs: bool = False, seed: int = 1, **how: Any) -> tuple[HandCard, Any, np.ndarray]:
    """A fitted model with its training rows."""
    card = small_card(pairs=pairs)
    X, y = labelled_rows(n, seed, card)
    return HandCard(card, **how).fit(X, y), X, y
