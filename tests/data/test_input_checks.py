"""A small estimator behind the readers passes all of scikit-learn's own checks: their words and types are right."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from rankforest.data.labels import check_two_classes, read_labels
from rankforest.data.read_weights import read_weights
from rankforest.data.table import read_table


class NearestMean(ClassifierMixin, BaseEstimator):
    """Score along the line between the two class means; a missing value counts as the overall mean."""

    def __init__(self, categorical=None, pos_label=None):
        self.categorical = categorical
        self.pos_label = pos_label

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        table = read_table(X, categorical=self.categorical, estimator_name=type(self).__name__)
        labels = read_labels(y, n_rows=table.n_rows, pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        check_two_classes(labels.codes, weights)
        codes = labels.codes
        if weights is None:
            weights = np.ones(table.n_rows)
        elif (weights == 0).any():
            kept = weights > 0
            table, codes, weights = table.take(kept), codes[kept], weights[kept]
        means = np.zeros((2, table.n_features))
        self.mean_ = np.zeros(table.n_features)
        for j in range(table.n_features):
            column = table.column(j)
            seen = ~np.isnan(column)
            self.mean_[j] = np.average(column[seen], weights=weights[seen])
            filled = np.where(seen, column, self.mean_[j])
            means[:, j] = [np.average(filled[codes == k], weights=weights[codes == k]) for k in (0, 1)]
        self.coef_ = means[1] - means[0]
        self.middle_ = means.mean(axis=0) @ self.coef_
        self.schema_ = table.schema
        self.classes_ = labels.classes
        self.n_features_in_ = table.n_features
        if table.schema.named:
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator_name=type(self).__name__)
        blocks = [np.where(np.isnan(block), self.mean_, block) @ self.coef_ for block in table.blocks()]
        return np.concatenate(blocks) - self.middle_

    def predict_proba(self, X):
        positive = expit(self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def predict(self, X):
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]


@parametrize_with_checks([NearestMean()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_data_frame_names():
    check_dataframe_column_names_consistency("NearestMean", NearestMean())


def test_the_warning_points_at_the_users_line():
    model = NearestMean().fit(pl.DataFrame({"a": [0.0, 1.0]}), [0, 1])
    with pytest.warns(UserWarning, match="valid feature names") as caught:
        model.decision_function([[0.5]])
    assert caught[0].filename == __file__


def test_fit_on_pandas_and_score_polars():
    data = {"a": [0.0, 1.0, None, 3.0], "c": ["u", "v", "u", "v"], "k": [3, 5, 5, 3]}
    model = NearestMean(categorical=["k"], pos_label="no").fit(pd.DataFrame(data), ["no", "yes", "no", "yes"])
    assert model.classes_.tolist() == ["yes", "no"]
    scores = model.decision_function(pd.DataFrame(data))
    assert np.isfinite(scores).all()
    assert len(set(scores)) > 1
    assert_allclose(model.decision_function(pl.DataFrame(data)), scores)
    unseen = model.decision_function(pl.DataFrame({"a": [0.0], "c": ["w"], "k": [4]}))
    assert_allclose(unseen, [-model.mean_[0] * model.coef_[0] + (model.mean_ @ model.coef_ - model.middle_)])
