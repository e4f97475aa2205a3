"""The features that a fitted classifier uses, and what it reports about them.

A classifier may be the last step of a pipeline, or the best estimator of a search over parameters.
It then has features of its own input, often numbered. `last_step` finds it, and gives its features
the names that they have in the data set; `feature_use` makes the tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.instances import is_instance
from xnbflow.evaluation.fitting import is_pipeline
from xnbflow.tables.contract import GROUPS
from xnbflow.tables.storage import table_of

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


#: Prefix of the columns with the distance of a class to another one.
DISTANCE_TO = "distance_to."
#: A class is nearly constant in a feature if at least this share of its values is equal, ...
_EQUAL_SHARE = 0.9
#: ... or if its standard deviation is at most this share of the one over all samples.
_SPREAD_SHARE = 0.01


@dataclass(frozen=True, kw_only=True)
class FeatureUse:
    """The features that a classifier uses.

    The tables have columns of the group ``training`` of the contract, for one fold. They are
    None if the classifier does not report them, or if they would be too large.

    Attributes
    ----------
    per_class, distinct : float
        The number of features, as mean over classes, and of all classes together; NaN where a
        transformer makes new features.
    selected : DataFrame or None
        The features of each class, if they are not all features. The columns `DISTANCE_TO` are the
        distances of the class to each other one. `only_constant` makes the further column
        ``constant``.
    explanations, priors : DataFrame or None
        What each feature contributes to each class in samples, and the constants to add.
    """

    per_class: float
    distinct: float
    selected: pd.DataFrame | None = None
    explanations: pd.DataFrame | None = None
    priors: pd.DataFrame | None = None


def feature_use(
    model: BaseEstimator, X: pd.DataFrame, *, explain: bool, most_rows: float = np.inf
) -> FeatureUse:
    """Return the features that a fitted classifier uses.

    The last estimator lists them as ``selected_features_``. Features of models that set effects to
    0 (`features_with_effect`) are counted, not listed. All other classifiers use all features that
    a selecting transformer leaves.

    With ``explain`` the samples ``X`` are explained, if the classifier supports it. Explanations
    are omitted if they would have more than ``most_rows`` rows, and distances if there would be
    more of them.
    """
    last = last_step(model, X.columns.to_numpy())
    if last.names is None:
        return FeatureUse(per_class=np.nan, distinct=np.nan)

    # A model that does not list features: its number of features with an effect, or all.
    estimator: Any = last.estimator
    selected_features = getattr(estimator, "selected_features_", None)
    if selected_features is None:
        has_effect = features_with_effect(estimator)
        if has_effect is not None:
            per_class = float(has_effect.sum(axis=1).mean())
            return FeatureUse(per_class=per_class, distinct=float(has_effect.any(axis=0).sum()))
        n_features = float(len(X.columns))
        if len(last.names) == n_features:
            return FeatureUse(per_class=n_features, distinct=n_features)
        selected_features = dict.fromkeys(model.classes_, last.names)

    # The features of each class, by their names in X.
    features_of_class = {}
    for label, features in selected_features.items():
        features_of_class[label] = [last.name_of.get(feature, feature) for feature in features]
    sizes = [len(features) for features in features_of_class.values()]

    # The distances of each class to every other one, and the explanations of samples.
    selected = _selected_rows(estimator, features_of_class)
    n_distances = sum(sizes) * (len(features_of_class) - 1)
    if n_distances <= most_rows:
        pair_distances = getattr(estimator, "pair_distances_", None)
        if pair_distances is not None:
            renamed = _rename_values(pair_distances, feature=last.name_of)
            selected = _with_distances(selected, renamed)
    explanations = priors = None
    has_terms = hasattr(estimator, "selected_features_") and hasattr(estimator, "explain")
    if explain and has_terms and sum(sizes) * len(X) <= most_rows:
        # Contributions are log densities in the feature's unit, evidence, or in another unit.
        scale = getattr(estimator, "explanation_scale_", "density")
        terms = last.explain(X).rename(columns={"evidence": "log_likelihood"})
        explanations = terms.assign(scale=scale)
        priors = class_priors(estimator)
    return FeatureUse(
        per_class=float(np.mean(sizes)),
        distinct=float(len(set().union(*features_of_class.values()))),
        selected=selected,
        explanations=explanations,
        priors=priors,
    )


def _selected_rows(
    estimator: BaseEstimator, features_of_class: Mapping[Any, Sequence[str]]
) -> pd.DataFrame:
    """Return the table ``selected`` of one fold: the features of each class by rank."""
    distances_of_class = getattr(estimator, "selected_distances_", {})
    parts = [
        table_of([], GROUPS["training"].tables["selected"], without=("repeat", "fold", "constant"))
    ]
    for label, features in features_of_class.items():
        # whole columns: some classifiers select tens of thousands of features
        columns = {
            "class": str(label),
            "rank": np.arange(1, len(features) + 1),
            "feature": [str(feature) for feature in features],
            "distance": distances_of_class.get(label, np.full(len(features), np.nan)),
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _with_distances(selected: pd.DataFrame, pair_distances: pd.DataFrame) -> pd.DataFrame:
    """Return selected features with a column for the distance of the class to each other one.

    ``pair_distances`` has a row per class, feature and other class.
    """
    texts = pair_distances.astype({"class": str, "other_class": str})
    wide = texts.pivot(index=["class", "feature"], columns="other_class", values="distance")
    wide = wide.add_prefix(DISTANCE_TO).rename_axis(columns=None)
    return selected.join(wide, on=["class", "feature"])


@dataclass(frozen=True, kw_only=True)
class LastStep:
    """The last estimator of a model, and what its input is.

    Attributes
    ----------
    estimator : BaseEstimator
    transformers : list of Pipeline
        The steps before it, which transform samples one after another.
    names : ndarray or None
        The names of its input features in the data set. None where a transformer makes new
        features, or does not name its output.
    is_model : bool
        Whether the model itself is the estimator, without pipeline or search. It then has the
        names of samples and features.
    """

    estimator: Any
    transformers: "list[Pipeline]"
    names: np.ndarray | None
    is_model: bool

    @property
    def name_of(self) -> dict[Any, Any]:
        """The name of each feature number; empty where the estimator has the names."""
        return {} if self.is_model or self.names is None else dict(enumerate(self.names))

    def transform(self, X: pd.DataFrame) -> Any:
        """Return samples of the model as input of the estimator."""
        samples: Any = X
        for transformers in self.transformers:
            samples = transformers.transform(samples)
        return samples

    def explain(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the estimator's explanations of samples, with their names and features' as text.

        Only for an estimator with ``explain`` whose input features have names.
        """
        sample_name = {} if self.is_model else dict(enumerate(X.index))
        terms = self.estimator.explain(self.transform(X))
        return _rename_values(terms, feature=self.name_of, sample=sample_name)


def last_step(model: BaseEstimator, names: np.ndarray) -> LastStep:
    """Return the last estimator of pipelines and searches, with the steps before it.

    ``names`` (n_features,) are the names of the model's features.
    """
    transformers = []
    estimator: Any = model
    input_names: np.ndarray | None = names
    while is_pipeline(estimator) or hasattr(estimator, "best_estimator_"):
        if not is_pipeline(estimator):
            estimator = estimator.best_estimator_
            continue
        if len(estimator) > 1 and input_names is not None:
            transformers.append(estimator[:-1])
            input_names = _output_names(transformers[-1], input_names)
        estimator = estimator[-1]
    return LastStep(
        estimator=estimator,
        transformers=transformers,
        names=input_names,
        is_model=estimator is model,
    )


def last_estimator(model: BaseEstimator) -> Any:
    """Return the last estimator of pipelines and searches."""
    estimator: Any = model
    while is_pipeline(estimator) or hasattr(estimator, "best_estimator_"):
        estimator = estimator[-1] if is_pipeline(estimator) else estimator.best_estimator_
    return estimator


def _output_names(transformers: "Pipeline", names: np.ndarray) -> np.ndarray | None:
    """Return the names of the features that transformers keep; None if they make new ones."""
    try:
        output_names = transformers.get_feature_names_out(names)
    except (AttributeError, NotImplementedError, ValueError):
        return None
    # `numpy.isin` would compare all pairs of names.
    return output_names if pd.Index(output_names).isin(names).all() else None


def _rename_values(table: pd.DataFrame, **names: Mapping[Any, Any]) -> pd.DataFrame:
    """Return a table with the values of some columns renamed, and as text.

    ``names`` has for each column the new name of a value; other values remain. With many classes
    the rows are millions and their distinct values few, so that only these are renamed.
    """
    renamed = {}
    for column, name_of in names.items():
        if not name_of and table[column].dtype == "str":
            continue
        numbers, values = pd.factorize(table[column], use_na_sentinel=False)
        texts = [str(name_of.get(value, value)) for value in values.tolist()]
        renamed[column] = pd.Series(texts, dtype=None if texts else "str").array.take(numbers)
    return table.assign(**renamed)


def class_priors(model: Any) -> pd.DataFrame:
    """Return ``class``, its ``log_prior`` and calibration ``intercept``, 0 without one."""
    intercept = getattr(model, "calibration_intercept_", np.zeros(len(model.classes_)))
    priors = {"class": model.classes_.astype(str), "log_prior": model.class_log_prior_}
    return pd.DataFrame({**priors, "intercept": intercept})


def features_with_effect(model: BaseEstimator) -> np.ndarray | None:
    """Return a mask of features with an effect in each class, for models that set effects to 0.

    * Nearest shrunken centroids: the class's centroid differs from the overall centroid.
    * A linear model with an l1 penalty, for all classes or one model per class: the coefficient is
      not 0.

    The result has shape (n_classes, n_features), or one row where two classes share the
    coefficients. It is None for any other model, which uses all features.

    Examples
    --------
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.1], [5.0, 0.9], [6.0, 1.0]]), ["a", "a", "b", "b"]
    >>> from sklearn.neighbors import NearestCentroid
    >>> features_with_effect(NearestCentroid(shrink_threshold=1.0).fit(X, y)).tolist()
    [[True, False], [True, False]]
    """
    if is_instance(model, "sklearn.neighbors.NearestCentroid"):
        return None if model.shrink_threshold is None else model.deviations_ != 0
    if is_instance(model, "sklearn.multiclass.OneVsRestClassifier"):
        masks = [features_with_effect(estimator) for estimator in model.estimators_]
        present = [mask for mask in masks if mask is not None]
        return np.vstack(present) if len(present) == len(masks) else None
    params = model.get_params(deep=False)
    is_sparse = params.get("penalty") in ("l1", "elasticnet") or bool(params.get("l1_ratio"))
    return model.coef_ != 0 if is_sparse and hasattr(model, "coef_") else None


def _nearly_constant(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, and a mask (n_features, n_classes) of features that are nearly constant.

    ``features`` have shape (n_features, n_samples). A class is nearly constant if at least 0.9 of
    its values are equal, or if its standard deviation is at most 0.01 of that over all samples.

    Examples
    --------
    >>> features = np.array([[0.0, 0.0, 0.0, 2.0, 5.0, 9.0], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]])
    >>> _nearly_constant(features, np.array(["a", "a", "a", "b", "b", "b"]))[1]
    array([[ True, False],
           [False, False]])
    """
    classes, codes = np.unique(labels, return_inverse=True)
    constant = np.empty((len(features), len(classes)), dtype=bool)
    overall = features.std(axis=1)
    for code in range(len(classes)):
        # Of sorted values n are equal where a value equals the one n - 1 positions before it.
        values = np.sort(features[:, codes == code], axis=1)
        n_equal = int(np.ceil(_EQUAL_SHARE * values.shape[1]))
        n_starts = values.shape[1] - n_equal + 1
        has_equal = (values[:, n_equal - 1 :] == values[:, :n_starts]).any(axis=1)
        constant[:, code] = has_equal | (values.std(axis=1) <= _SPREAD_SHARE * overall)
    return classes, constant


def only_constant(selected: pd.DataFrame, X: pd.DataFrame, labels: np.ndarray) -> np.ndarray:
    """Return a mask of features that are selected only because a class is nearly constant.

    A feature that is selected for a class is marked in these cases (`_nearly_constant`):

    * it is nearly constant in this class;
    * there are two classes, and it is nearly constant in the other class;
    * there are more classes and distances, it is nearly constant in the other class at the greatest
      distance, and its distances to all classes in which it varies are less than half of this
      distance.

    ``selected`` is the table of `FeatureUse`, ``X`` the training samples and ``labels`` their
    classes. The mask has an element for each row of ``selected``.
    """
    # Several classes may select a feature, of many classes most: its values are examined once.
    feature_numbers, features = pd.factorize(selected["feature"])
    classes, constant_features = _nearly_constant(X[features].to_numpy().T, labels)
    constant = constant_features[feature_numbers]  # by row of `selected` and class
    selecting_class = pd.Index(classes.astype(str)).get_indexer(selected["class"])
    selected_rows = np.arange(len(selected))
    is_constant = constant[selected_rows, selecting_class]
    if len(classes) == 2:
        return constant.any(axis=1)

    # Distances by row of `selected` and other class; -inf to the class itself and where unknown.
    columns = [f"{DISTANCE_TO}{label}" for label in classes]
    distance_to = selected.reindex(columns=columns).to_numpy(dtype=float)
    has_distances = ~np.isnan(distance_to).all(axis=1)
    distance_to = np.nan_to_num(distance_to, nan=-np.inf)

    farthest_is_constant = constant[selected_rows, distance_to.argmax(axis=1)]
    greatest = distance_to.max(axis=1)
    greatest_varying = np.where(constant, -np.inf, distance_to).max(axis=1)
    only_constant_is_far = farthest_is_constant & (2 * greatest_varying < greatest)
    return is_constant | (has_distances & only_constant_is_far)
