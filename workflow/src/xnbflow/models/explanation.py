"""Explanation of the prediction for one sample: evidence for and against each class, in nats."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, listed
from xnbflow.evaluation.selected import class_priors
from xnbflow.models.alignment import align, resolve_missing
from xnbflow.models.pipelines import (
    described_values,
    explainer,
    is_relative,
    keeps_values,
    takes_features_apart,
    terms_of,
)
from xnbflow.models.prediction import Prediction, predict_table
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import typicality_features

#: Features of a class that the text lists; the others are summed.
_LISTED_FEATURES = 12
#: Columns of `Explanation.terms`.
_TERM_COLUMNS = ["class", "feature", "symbol", "value", "evidence", "log_reference"]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The evidence for and against each class in one sample.

    Attributes
    ----------
    sample : str
    prediction : Prediction
        Of this sample alone.
    terms : DataFrame
        One row per class and feature that the class uses: ``class``, ``feature``, ``symbol``,
        ``value``, ``evidence`` in nats (above 0 for the class) and ``log_reference``, the
        log density in all classes together that it is measured against (0 where the classifier
        itself compares), the strongest first.
    priors : dict of str to float
        Log prior of each class.
    intercepts : dict of str to float
        Intercept of the classifier's calibration, 0 without one. The score of a class is the sum of
        its log prior, intercept, evidence and references.
    """

    sample: str
    prediction: Prediction
    terms: pd.DataFrame
    priors: dict[str, float]
    intercepts: dict[str, float]

    @property
    def offsets(self) -> dict[str, float]:
        """Log prior and calibration intercept of each class."""
        return {label: prior + self.intercepts[label] for label, prior in self.priors.items()}

    def scores(self) -> pd.Series:
        """Return each class's offset, evidence and references, summed."""
        scores = self.terms["evidence"] + self.terms["log_reference"]
        sums = scores.groupby(self.terms["class"], sort=False).sum()
        return pd.Series(self.offsets).add(sums, fill_value=0.0)

    def as_text(self) -> str:
        """Return the explanation for people."""
        label = self.prediction.table.iloc[0]["label"]
        lines = [f"sample {self.sample}: {label}"]
        for class_label in self.priors:
            # The strongest terms of the class's score, one in a line, and their sum.
            probability = self.prediction.table.iloc[0].get(f"probability.{class_label}", np.nan)
            rows = self.terms[self.terms["class"] == class_label]
            strongest = rows.head(_LISTED_FEATURES)
            others = rows["evidence"].iloc[_LISTED_FEATURES:]
            reference = rows["log_reference"].sum()
            intercept = self.intercepts[class_label]
            terms = []
            for term in strongest.to_dict("records"):
                name = term["symbol"] or term["feature"]
                terms.append((term["evidence"], f"{name} = {term['value']:.4g}"))
            if len(others):
                terms.append((others.sum(), counted(len(others), "further feature")))
            if intercept:
                terms.append((intercept, "intercept of the calibration"))
            if reference:
                terms.append((reference, "reference densities of its features"))
            score = self.offsets[class_label] + rows["evidence"].sum() + reference
            terms.append((score, "in all"))
            prior = self.priors[class_label]
            lines += ["", f"{class_label}: probability {probability:.3f}, log prior {prior:+.2f}"]
            lines += [f"  {value:+8.2f}  {name}" for value, name in terms]
        lines += ["", "evidence in nats: above 0 for the class, below 0 against it"]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the explanation for programs."""
        return {
            "sample": self.sample,
            "prediction": self.prediction.table.to_dict("records")[0],
            "notes": self.prediction.notes,
            "log_priors": self.priors,
            "intercepts": self.intercepts,
            "terms": self.terms.to_dict("records"),
        }


def explain_sample(
    model: TrainedModel, X: pd.DataFrame, sample: str, missing: str = "auto"
) -> Explanation:
    """Explain the prediction for the ``sample`` of that name in X's index; see `predict_table`.

    The model's classifier has explanations, as naive Bayes does, alone or after steps that take
    each feature by itself; others are refused.
    """
    missing = resolve_missing(model, missing)
    names = X.index.astype(str)
    is_named = np.asarray(names == sample)
    if is_named.sum() != 1:
        n_samples = counted(is_named.sum(), "sample", "is", "are")
        raise InputError(f"{n_samples} called {sample!r}; there are {listed(names)}")
    row = X[is_named]

    # The classifier whose evidence is that of the table's values; refuse others.
    last = explainer(model.estimator)
    if last is None:
        name = type(model.estimator).__name__
        msg = f"{name} has no evidence of single features; use a naive Bayes classifier"
        raise InputError(msg)
    # evidence relative to a common reference does not depend on the unit of the values
    comparable = is_relative(last) or keeps_values(model.estimator)
    if not takes_features_apart(model.estimator) or not comparable:
        msg = (
            f"{type(last).__name__} gets other values than the table's, because a step before it "
            "changes them; explain a model without that step"
        )
        raise InputError(msg)

    prediction = predict_table(model, row, missing)
    aligned = align(model, row, missing)
    frame = aligned.frame
    terms: Any = terms_of(model.estimator, frame)  # not None, because the last step explains
    if missing == "drop":
        terms = terms[~terms["feature"].isin(model.required[aligned.lacking[0]])]
    terms["log_reference"] = _reference_densities(model, last, frame, terms)
    terms["evidence"] = terms["log_likelihood"] - terms["log_reference"]
    terms["symbol"] = [model.symbols.get(feature, "") for feature in terms["feature"]]
    terms["value"] = frame.iloc[0].reindex(terms["feature"]).to_numpy(dtype=float)
    terms["class"] = terms["class"].astype(str)
    by_strength = (-terms["evidence"].abs()).argsort(kind="stable")
    priors = class_priors(last)
    return Explanation(
        sample=sample,
        prediction=prediction,
        terms=terms.iloc[by_strength][_TERM_COLUMNS].reset_index(drop=True),
        priors=dict(zip(model.classes, priors["log_prior"].tolist(), strict=True)),
        intercepts=dict(zip(model.classes, priors["intercept"].tolist(), strict=True)),
    )


def _reference_densities(
    model: TrainedModel, last: BaseEstimator, frame: pd.DataFrame, terms: pd.DataFrame
) -> np.ndarray:
    """Return the reference of each term: the log density in all classes together.

    It is 0 if the classifier's terms are already relative; the mixture of the classifier's
    densities by its priors if every class has the feature; else the density of the training
    samples.
    """
    if is_relative(last):
        return np.zeros(len(terms))
    by_class = terms.pivot(index="feature", columns="class", values="log_likelihood")
    if not by_class.isna().to_numpy().any():
        priors = np.exp(last.class_log_prior_)
        mixture = logsumexp(by_class[last.classes_], axis=1, b=priors)
        references = pd.Series(np.where(np.isfinite(mixture), mixture, 0.0), by_class.index)
        return references[terms["feature"]].to_numpy()
    described_features = model.features[typicality_features(model.used)]
    values = described_values(model.estimator, frame).iloc[0]
    log_density: dict[str, float] = {}
    for row, feature in enumerate(described_features):
        point = values[[feature]].to_numpy()
        log_density[feature] = model.typicality.log_reference(row, point)[0]
    references = [log_density.get(feature, 0.0) for feature in terms["feature"]]
    return np.nan_to_num(references, neginf=0.0)
