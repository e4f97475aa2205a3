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
from xnbflow.models.prediction import Prediction, aligned, predict_table, resolved_missing
from xnbflow.models.recalibration import RECALIBRATION
from xnbflow.models.steps import (
    described_values,
    explainer,
    is_relative,
    keeps_values,
    takes_features_apart,
    terms_of,
)
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import features_to_look_at

_SHOWN = 12


@dataclass(frozen=True)
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
        row = self.prediction.table.iloc[0]
        lines = [f"sample {self.sample}: {row['label']}"]
        for label, prior in self.priors.items():
            rows = self.terms[self.terms["class"] == label]
            probability = row.get(f"probability.{label}", np.nan)
            lines += ["", f"{label}: probability {probability:.3f}, log prior {prior:+.2f}"]
            terms = [
                (term["evidence"], f"{term['symbol'] or term['feature']} = {term['value']:.4g}")
                for term in rows.head(_SHOWN).to_dict("records")
            ]
            rest, reference = rows["evidence"].iloc[_SHOWN:], rows["log_reference"].sum()
            if len(rest):
                terms.append((rest.sum(), counted(len(rest), "further feature")))
            if intercept := self.intercepts[label]:
                terms.append((intercept, "intercept of the calibration"))
            if reference:
                terms.append((reference, "reference densities of its features"))
            terms.append((self.offsets[label] + rows["evidence"].sum() + reference, "in all"))
            lines += [f"  {value:+8.2f}  {what}" for value, what in terms]
        return "\n".join(
            [*lines, "", "evidence in nats: above 0 for the class, below 0 against it"]
        )

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
    missing = resolved_missing(model, missing)
    names = X.index.astype(str)
    if (names == sample).sum() != 1:
        n = counted((names == sample).sum(), "sample", "is", "are")
        raise InputError(f"{n} called {sample!r}; there are {listed(names)}")
    last, kind = explainer(model.estimator), type(model.estimator).__name__
    if last is None:
        msg = f"{kind} has no evidence of single features; use a naive Bayes classifier"
        raise InputError(msg)
    seen = is_relative(last) or keeps_values(model.estimator)
    if not takes_features_apart(model.estimator) or not seen:
        msg = (
            f"{type(last).__name__} gets other values than the table's, because a step before it "
            "changes them; explain a model without that step"
        )
        raise InputError(msg)
    own = X[names == sample]
    prediction = predict_table(model, own, missing)
    frame, lacking = aligned(model, own, missing)
    terms: Any = terms_of(model.estimator, frame)  # there are some: it explains
    if missing == "drop":
        terms = terms[~terms["feature"].isin(model.required[lacking[0]])]
    terms["log_reference"] = _references(model, last, frame, terms)
    terms["evidence"] = terms["log_likelihood"] - terms["log_reference"]
    found = model.series.get(RECALIBRATION, {"slope": 1.0, "intercept": 0.0})
    slope = found["slope"]
    terms[["evidence", "log_reference"]] *= slope
    terms["symbol"] = [model.symbols.get(feature, "") for feature in terms["feature"]]
    terms["value"] = frame.iloc[0].reindex(terms["feature"]).to_numpy(dtype=float)
    terms["class"] = terms["class"].astype(str)
    order = (-terms["evidence"].abs()).argsort(kind="stable")
    columns = ["class", "feature", "symbol", "value", "evidence", "log_reference"]
    known = class_priors(last)
    offsets = slope * (known["log_prior"] + known["intercept"]) + found["intercept"]
    return Explanation(
        sample,
        prediction,
        terms.iloc[order][columns].reset_index(drop=True),
        dict(zip(model.classes, known["log_prior"].tolist(), strict=True)),
        dict(zip(model.classes, (offsets - known["log_prior"]).tolist(), strict=True)),
    )


def _references(
    model: TrainedModel, last: BaseEstimator, frame: pd.DataFrame, terms: pd.DataFrame
) -> np.ndarray:
    """Return the reference of each term: the log density in all classes together.

    It is 0 if the classifier's terms are already relative; the mixture of the classifier's
    densities by its priors if every class has the feature; else the density of the training
    samples.
    """
    if is_relative(last):
        return np.zeros(len(terms))
    wide = terms.pivot(index="feature", columns="class", values="log_likelihood")
    if not wide.isna().to_numpy().any():
        priors = np.exp(last.class_log_prior_)
        known = pd.Series(logsumexp(wide[last.classes_], axis=1, b=priors), wide.index)
        known = known.where(np.isfinite(known), 0.0)
        return known[terms["feature"]].to_numpy()
    looked_at = model.features[features_to_look_at(model.used)]
    values = described_values(model.estimator, frame).iloc[0]
    logs = {
        feature: model.typicality.log_reference(row, values[[feature]].to_numpy())[0]
        for row, feature in enumerate(looked_at)
    }
    return np.nan_to_num([logs.get(feature, 0.0) for feature in terms["feature"]], neginf=0.0)
