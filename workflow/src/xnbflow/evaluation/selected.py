"""The features that a fitted classifier uses, and its reports about them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.deferred import is_instance
from xnbflow.evaluation.fitting import is_pipeline, sample_columns
from xnbflow.tables.contract import TRAINING_TABLES
from xnbflow.tables.storage import table_of

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline


@dataclass(frozen=True, kw_only=True)
class FeatureUse:
    """The features that a classifier uses; tables are None where it does not report them.

    The tables are those of `xnbflow.tables.contract.TRAINING_TABLES`, of one fold. ``per_class`` is
    the number of features, mean over classes, ``distinct`` that of those that any class uses;
    missing where a transformer makes new ones. ``selected`` is for a classifier that does not use
    all; its column ``constant`` is made by `only_constant`.
    """

    per_class: float
    distinct: float
    selected: pd.DataFrame | None = None
    distances: pd.DataFrame | None = None
    explanations: pd.DataFrame | None = None
    priors: pd.DataFrame | None = None
    ties: pd.DataFrame | None = None


def feature_use(
    model: BaseEstimator, X: pd.DataFrame, *, explain: bool, most_rows: float = np.inf
) -> FeatureUse:
    """Return the features that a fitted classifier uses.

    The model reports them as ``selected_features_``, and interchangeable ones as ``tied_features_``
    (see `ties_of`). In a pipeline the last step and transformers that select features report them,
    in a search over parameters the best estimator. For models that set effects to 0
    (`features_with_effect`) features are counted, not listed. The samples ``X`` are explained if
    ``explain`` is set and the classifier supports it. Explanations, and distances, are left out if
    they would have more than ``most_rows`` rows.
    """
    everything = float(len(X.columns) - len(sample_columns(model)))
    last, before, names = last_step(model, X.columns.to_numpy())
    if names is None:
        return FeatureUse(per_class=np.nan, distinct=np.nan)

    # A model that lists no features of its classes: their number, if it has one.
    chosen = getattr(last, "selected_features_", None)
    if chosen is None:
        used = features_with_effect(last)
        if used is not None:
            return FeatureUse(
                per_class=float(used.sum(axis=1).mean()), distinct=float(used.any(axis=0).sum())
            )
        if len(names) == everything:
            return FeatureUse(per_class=everything, distinct=everything)
        chosen = dict.fromkeys(model.classes_, names)

    # The features of each class. The last step of a pipeline may have their positions only.
    rename = dict(enumerate(names)) if last is not model else {}
    features_of_class = {}
    for label, features in chosen.items():
        features_of_class[label] = [rename.get(feature, feature) for feature in features]

    # What the model has beside them, if the tables are not too large.
    distances = explanations = priors = ties = None
    n_terms = sum(len(features) for features in features_of_class.values())
    has_room = n_terms * (len(features_of_class) - 1) <= most_rows
    # A property, whose table may be large: it is computed once.
    pair_distances = getattr(last, "pair_distances_", None) if has_room else None
    if pair_distances is not None:
        distances = _renamed(pair_distances, feature=rename)
    explain = explain and n_terms * len(X) <= most_rows
    if explain and hasattr(last, "selected_features_") and hasattr(last, "explain"):
        explanations = last.explain(transformed(before, X))
        samples = X.index if last is not model else []
        explanations = with_names(explanations, samples, names if last is not model else [])
        # log densities in the feature's unit, evidence, or in another unit of the classifier
        explanations["scale"] = getattr(last, "explanation_scale_", "density")
        priors = class_priors(last)
    if hasattr(last, "tied_features_"):
        ties = ties_of(last.tied_features_, features_of_class, rename)
    sizes = [len(features) for features in features_of_class.values()]
    return FeatureUse(
        per_class=float(np.mean(sizes)),
        distinct=float(len(set().union(*features_of_class.values()))),
        selected=_selected_rows(last, features_of_class),
        distances=distances,
        explanations=explanations,
        priors=priors,
        ties=ties,
    )


def _selected_rows(last: BaseEstimator, chosen: Mapping[Any, Sequence[str]]) -> pd.DataFrame:
    measured = getattr(last, "selected_distances_", {})
    rows = []
    for label, features in chosen.items():
        distances = measured.get(label, np.full(len(features), np.nan))
        for position, (feature, distance) in enumerate(zip(features, distances, strict=True)):
            rows.append(
                {
                    "class": str(label),
                    "rank": position + 1,
                    "feature": str(feature),
                    "distance": float(distance),
                }
            )
    return table_of(rows, TRAINING_TABLES["selected"], without=("repeat", "fold", "constant"))


def class_priors(model: Any) -> pd.DataFrame:
    """Return ``class``, its ``log_prior`` and calibration ``intercept``, 0 without one."""
    intercept = getattr(model, "calibration_intercept_", np.zeros(len(model.classes_)))
    priors = {"class": model.classes_.astype(str), "log_prior": model.class_log_prior_}
    return pd.DataFrame({**priors, "intercept": intercept})


def last_step(
    model: BaseEstimator, names: np.ndarray | None = None
) -> tuple[BaseEstimator, "list[Pipeline]", np.ndarray | None]:
    """Return the last estimator of pipelines and searches, the steps before it, and its input.

    ``names`` are those of the model's features; without them only the last step is returned. The
    steps before transform samples, see `transformed`. The names of the last step's features are
    None where a transformer makes new ones or does not name them.
    """
    before = []
    while is_pipeline(model) or hasattr(model, "best_estimator_"):
        if not is_pipeline(model):
            model = model.best_estimator_
            continue
        if len(model) > 1 and names is not None:
            before.append(model[:-1])
            names = _names_after(before[-1], names)
        model = model[-1]
    return model, before, names


def transformed(before: "Sequence[Pipeline]", X: pd.DataFrame) -> Any:
    """Return samples as input of the last step."""
    for transformers in before:
        X = transformers.transform(X)
    return X


def _names_after(transformers: "Pipeline", names: np.ndarray) -> np.ndarray | None:
    try:
        after = transformers.get_feature_names_out(names)
    except (AttributeError, NotImplementedError, ValueError):
        return None
    return after if pd.Index(after).isin(names).all() else None  # numpy.isin compares all pairs


def with_names(terms: pd.DataFrame, samples: Iterable[Any], names: Iterable[Any]) -> pd.DataFrame:
    """Return explanations of a pipeline's last step with the names of samples and features."""
    return _renamed(terms, feature=dict(enumerate(names)), sample=dict(enumerate(samples)))


def _renamed(table: pd.DataFrame, **names: Mapping[Any, Any]) -> pd.DataFrame:
    """Return a table with the values of some columns replaced, and as text."""
    changed = {}
    for column, names_of_column in names.items():
        # With many classes the rows are millions, and their distinct values few.
        places, values = pd.factorize(table[column], use_na_sentinel=False)
        texts = [str(names_of_column.get(value, value)) for value in values.tolist()]
        changed[column] = pd.Series(texts, dtype=None if texts else "str").array.take(places)
    return table.assign(**changed)


def features_with_effect(model: BaseEstimator) -> np.ndarray | None:
    """Return a mask of features with an effect in each class, for models that set effects to 0.

    In nearest shrunken centroids a feature has an effect in a class whose centroid differs from the
    overall one; in a linear model with an l1 penalty, alone or one per class, if the coefficient is
    not 0. The result has shape (n_classes, n_features), or one row where two classes share the
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


#: A class is nearly constant in a feature if at least this share of its values is equal.
_EQUAL_SHARE = 0.9
#: It is also if its standard deviation is at most this share of the one over all samples.
_SPREAD_SHARE = 0.01


def nearly_constant(features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a mask of features in which a class is (almost) constant.

    ``features`` have shape (n_features, n_samples). The result is the classes, and a bool of shape
    (n_features, n_classes): at least 0.9 of the class's values are equal, or its standard deviation
    is at most 0.01 of that over all samples.

    Examples
    --------
    >>> features = np.array([[0.0, 0.0, 0.0, 2.0, 5.0, 9.0], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]])
    >>> nearly_constant(features, np.array(["a", "a", "a", "b", "b", "b"]))[1]
    array([[ True, False],
           [False, False]])
    """
    classes, codes = np.unique(labels, return_inverse=True)
    constant = np.empty((len(features), len(classes)), dtype=bool)
    overall = features.std(axis=1)
    for code in range(len(classes)):
        values = np.sort(features[:, codes == code], axis=1)
        n_equal = int(np.ceil(_EQUAL_SHARE * values.shape[1]))
        equal = (values[:, n_equal - 1 :] == values[:, : values.shape[1] - n_equal + 1]).any(axis=1)
        constant[:, code] = equal | (values.std(axis=1) <= _SPREAD_SHARE * overall)
    return classes, constant


def only_constant(
    selected: pd.DataFrame, distances: pd.DataFrame | None, X: pd.DataFrame, labels: np.ndarray
) -> np.ndarray:
    """Return a mask of features selected only because a class is (almost) constant.

    ``X`` are the training samples; tables are as in `FeatureUse`, and the mask has an element for
    each row of ``selected``. This holds if the class for which the
    feature is selected is nearly constant in it. It also holds if the other class at the greatest
    distance is nearly constant, and the distances to classes that are not are below half of that;
    without distances, if the other of two classes is.
    """
    # Several classes may use a feature, of many classes most: its values are examined once.
    feature_numbers, names = pd.factorize(selected["feature"])
    classes, constant_features = nearly_constant(X[names].to_numpy().T, labels)
    constant = constant_features[feature_numbers]  # by row of `selected` and class
    class_numbers = pd.Index(classes.astype(str))
    selecting = class_numbers.get_indexer(selected["class"])
    is_constant = constant[np.arange(len(selected)), selecting]
    if len(classes) == 2:
        return constant.any(axis=1)
    if distances is None:
        return is_constant

    # Distances as an array by row of `selected` and other class; missing to the class itself.
    row_of = np.full((len(classes), len(names) + 1), -1)  # the last column: no selected feature
    row_of[selecting, feature_numbers] = np.arange(len(selected))
    features = pd.Index(names).get_indexer(distances["feature"])
    rows = row_of[class_numbers.get_indexer(distances["class"]), features]
    listed = rows >= 0
    others = class_numbers.get_indexer(distances["other_class"])
    by_class = np.full(constant.shape, np.nan)
    by_class[rows[listed], others[listed]] = distances["distance"].to_numpy()[listed]

    has_distances = ~np.isnan(by_class).all(axis=1)
    ordered = np.nan_to_num(by_class, nan=-np.inf)
    farthest = ordered.argmax(axis=1)
    farthest_is_constant = constant[np.arange(len(selected)), farthest]
    largest_varying = np.where(constant, -np.inf, ordered).max(axis=1)  # -inf: all are constant
    is_near = 2 * largest_varying < ordered.max(axis=1)
    return is_constant | (has_distances & farthest_is_constant & is_near)


def ties_of(
    tied: Mapping[Any, Sequence[Sequence[Any]]],
    selected: Mapping[Any, Sequence[Any]],
    rename: Mapping[Any, Any] | None = None,
) -> pd.DataFrame:
    """Return the ties of one fit as a table.

    ``tied`` is a classifier's ``tied_features_``: for each class label its groups of
    interchangeable features. ``selected`` has for each the names of the features selected in the
    data set, and ``rename`` those of the features of ``tied``, where these differ.

    Examples
    --------
    >>> ties_of({"tumour": [["g1", "g7"]]}, {"tumour": ["g1", "g3"]})
        class  group feature  selected  exchangeable
    0  tumour      0      g1      True          True
    1  tumour      0      g7     False          True
    """
    rows = []
    rename = rename or {}
    for label, groups in tied.items():
        chosen = {str(feature) for feature in selected.get(label, ())}
        for number, group in enumerate(groups):
            names = [str(rename.get(feature, feature)) for feature in group]
            exchangeable = not chosen.issuperset(names)
            common = {"class": str(label), "group": number, "exchangeable": exchangeable}
            rows += [{**common, "feature": name, "selected": name in chosen} for name in names]
    table = table_of(rows, TRAINING_TABLES["ties"], without=("repeat", "fold"))
    return table.astype({"group": int, "selected": bool, "exchangeable": bool})
