"""A panel of few genes for an assay such as qPCR, and its accuracy.

A plate measures differences to reference genes of the same sample: minus ΔCt is the difference of
log2 expression. The genes are from different modules, so that they are not redundant.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.density.standard import StandardFeatures
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.evaluation.training import train
from xnbflow.inference.intervals import TUNED, share_interval
from xnbflow.models.reading import symbols_of
from xnbflow.models.recalibration import RECALIBRATION
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model
from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.modules import ResidualCorrelation

#: Genes with a greater correlation within classes, to either side, are of one module; features with
#: a greater one over all samples may be probes of one gene.
_ALIKE, _ONE_GENE = 0.7, 0.9
_REFERENCES = 3
_MOST_CANDIDATES, _MOST_SUBSTITUTES = 300, 5
#: Upper bound of logarithms to base 2 of intensities or counts.
_MOST_LOG = 40.0
#: Share of the largest variance that is added to each, so that no gene with a small one dominates.
_SMOOTHING = 0.1
_METHOD = {"method": "gaussian_nb", "params": {"var_smoothing": _SMOOTHING}}
#: Probes of Affymetrix for controls, and of the External RNA Controls Consortium.
_CONTROL = re.compile(r"(AFFX|ERCC)[-_.]", re.IGNORECASE)


@dataclass(frozen=True)
class Panel:
    """A panel: its ``genes`` in order with substitutes, ``references``, figures and a model.

    ``accuracy`` has a row for each number of genes. The ``model`` takes differences to the mean of
    the references, named as the genes; its evidence is divided by the temperature that has the
    least log loss in the folds.
    """

    genes: pd.DataFrame
    references: list[str]
    accuracy: pd.DataFrame
    model: TrainedModel


def choose_genes(
    values: np.ndarray,
    codes: np.ndarray,
    ranked: np.ndarray,
    n_genes: int,
    floor: float,
    symbols: Sequence[frozenset[str]],
) -> tuple[np.ndarray, np.ndarray]:
    """Choose one gene of each module, and reference genes; return their positions.

    ``values`` (n_features, n_samples) are log2 expression, ``ranked`` the positions of candidates,
    best first, ``floor`` a quantile of the features' medians: a gene must reach it in the class
    where it is highest, a reference gene in every class. References vary least over all samples,
    are not candidates of the panel, are not constant (a constant feature is below the background or
    saturated), and are of one gene, since an assay measures one. ``symbols`` are the gene symbols
    of each feature (`gene_symbols`): no two features chosen share one, and a feature without any, a
    control, is not chosen.

    Examples
    --------
    >>> values = [[1.0, 2, 8, 9], [1, 2, 8, 9], [9, 8, 1, 3], [5, 5, 5, 5.1], [0, 0, 0, 0]]
    >>> codes, ranked = np.array([0, 0, 1, 1]), np.arange(3)
    >>> symbols = [frozenset({name}) for name in "abcde"]
    >>> genes, references = choose_genes(np.array(values), codes, ranked, 2, 0.2, symbols)
    >>> genes.tolist(), references.tolist()
    ([0, 2], [3])
    """
    medians = np.stack([np.median(values[:, codes == c], axis=1) for c in np.unique(codes)])
    least = np.quantile(np.median(values, axis=1), floor)
    is_gene = np.array([bool(own) for own in symbols])
    ranked = ranked[(medians.max(axis=0)[ranked] >= least) & is_gene[ranked]][:_MOST_CANDIDATES]
    alike = np.abs(ResidualCorrelation(values[ranked], codes).columns(slice(None))) >= _ALIKE
    standard = StandardFeatures(values[ranked])[:] / np.sqrt(values.shape[1])
    alike |= standard @ standard.T > _ONE_GENE
    kept: list[int] = []
    taken: set[str] = set()
    for place, feature in enumerate(ranked):
        if len(kept) < n_genes and not alike[place, kept].any() and not taken & symbols[feature]:
            kept.append(place)
            taken |= symbols[feature]
    is_single = np.array([len(own) == 1 for own in symbols])
    usable = (medians.min(axis=0) >= least) & (np.ptp(values, axis=1) > 0) & is_single
    spread = np.where(usable, values.std(axis=1), np.inf)
    spread[ranked] = np.inf
    references: list[int] = []
    for feature in np.argsort(spread, kind="stable")[: int(np.isfinite(spread).sum())]:
        if len(references) < _REFERENCES and not taken & symbols[feature]:
            references.append(int(feature))
            taken |= symbols[feature]
    return ranked[kept], np.array(references, dtype=int)


def gene_symbols(features: Iterable[str], known: Mapping[str, str]) -> list[frozenset[str]]:
    """Return the symbols of each feature, its own name where none is known, none of a control.

    Examples
    --------
    >>> names, known = ["p1", "p2", "AFFX-BioB-3_at"], {"p1": "DDR1 /// MIR4640"}
    >>> [sorted(own) for own in gene_symbols(names, known)]
    [['DDR1', 'MIR4640'], ['p2'], []]
    """
    found = []
    for name in map(str, features):
        parts = [part.strip(" -") for part in known.get(name, "").split("///")]
        own = frozenset(filter(None, parts)) or frozenset({name})
        found.append(frozenset() if _CONTROL.match(name) else own)
    return found


def design_panel(
    series: DataSet, model: TrainedModel, n_genes: int = 8, floor: float = 0.5, splits: int = 5
) -> Panel:
    """Design a panel from a model's signature and cross-validate it with 1, 2, ... genes.

    The ``series`` is what the model was fitted to: log2 expression without missing values. In each
    fold the classifier is fitted, and genes and references are chosen (`choose_genes`), from the
    training samples only; probabilities are calibrated by the other folds. Gene symbols are those
    of the series and the model; without symbols, features of one gene are recognised only by their
    correlation.
    """
    if model.signature.empty or series.missing or np.quantile(series.values, 0.99) > _MOST_LOG:
        what = "uses all features for every class" if model.signature.empty else (
            "was fitted to data with missing values or without logarithms, of which differences "
            "are no ΔCt (transform=log2 makes logarithms)")  # fmt: skip
        msg = f"the model {what}; a panel cannot be chosen. Fit csnb-cv to log2 expression"
        raise InputError(msg)
    codes = np.searchsorted(series.classes, series.labels)
    symbols = gene_symbols(series.features, symbols_of(series) | model.symbols)
    size = (n_genes, floor, symbols)
    genes, references = _chosen(series, codes, slice(None), model.signature, size)
    folds = draw_folds(series, splits, 1)
    selected = train(series, folds, model.entry, explain=False)["selected"]
    places = np.zeros(series.n_samples, int)
    evidence = np.zeros((n_genes, series.n_samples, len(series.classes)))
    priors = np.full(evidence.shape[1:], -np.inf)
    for fold, samples in folds.groupby("fold")["sample"]:
        test = np.isin(series.samples, samples.to_numpy(dtype=str))
        signature = selected[selected["fold"] == fold]
        own = _chosen(series, codes, ~test, signature, size)
        X = _differences(series.values, *own)
        for k in range(n_genes):
            fitted = GaussianNB(var_smoothing=_SMOOTHING)
            fitted.fit(X[: k + 1, ~test].T, series.labels[~test])
            known = np.ix_(test, np.isin(series.classes, fitted.classes_))
            priors[known], places[test] = fitted.class_log_prior_, fold
            evidence[k][known] = fitted.predict_joint_log_proba(X[: k + 1, test].T) - priors[known]
    held_out = [_calibrated(each, priors, codes, places) for each in evidence[: len(genes)]]
    rows = [_figures(series, k, log_posterior) for k, (_, log_posterior) in enumerate(held_out, 1)]
    slope, log_posterior = held_out[-1]
    tested = folds.set_index("sample").loc[series.samples].reset_index()
    predicted = series.classes[log_posterior.argmax(axis=1)]
    final = tested.assign(true=series.labels, predicted=predicted)
    nothing = pd.DataFrame(columns=["repeat", "fold", "class", "feature"])
    X, names = _differences(series.values, genes, references), series.features[genes]
    plate = DataSet(
        f"{series.name}-panel", X, list(names), list(series.samples), series.labels,
        groups=series.groups,
    )  # fmt: skip
    validation = CrossValidation(final, nothing, series, TUNED)
    origin = {"references": series.features[references].tolist()}
    made = fit_model(plate, _METHOD, validation, symbols=model.symbols, origin=origin)
    intercept = (1.0 - slope) * made.estimator.class_log_prior_
    made.series[RECALIBRATION] = {"slope": slope, "intercept": intercept.tolist()}
    table = _table(series, codes, genes, model)
    return Panel(table, origin["references"], pd.DataFrame(rows), made)


def _chosen(
    series: DataSet, codes: np.ndarray, training: Any, signature: pd.DataFrame, size: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return genes and references from a signature: the best of each class, then the second."""
    names = signature.sort_values("rank", kind="stable")["feature"].drop_duplicates()
    ranked = pd.Index(series.features).get_indexer(names)
    genes, references = choose_genes(series.values[:, training], codes[training], ranked, *size)
    if not len(genes) or not len(references):
        what = "gene of the signature reaches the expression floor; lower --floor"
        if len(genes):
            what = (
                "reference gene: none reaches the expression floor in every class, varies, is no "
                "control and no candidate of the panel; lower --floor, or fit with fewer genes"
            )
        raise InputError(f"{series.name}: no {what}")
    return genes, references


def _differences(values: np.ndarray, genes: np.ndarray, references: np.ndarray) -> np.ndarray:
    return values[genes] - values[references].mean(axis=0)


def _calibrated(
    evidence: np.ndarray, priors: np.ndarray, codes: np.ndarray, places: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the factor of all folds for evidence, and the log posteriors, each by other folds.

    Held-out evidence and log priors have shape (n_samples, n_classes), ``places`` are the folds.
    """
    found = np.empty(evidence.shape)
    for fold in np.unique(places):
        rest = places != fold
        one = fit_temperature(evidence[rest], priors[rest], codes[rest])
        found[~rest] = log_softmax(one(evidence[~rest]) + priors[~rest], axis=1)
    return 1.0 / fit_temperature(evidence, priors, codes).temperature, found


def _figures(series: DataSet, k: int, log_posterior: np.ndarray) -> Mapping[str, Any]:
    predicted = series.classes[log_posterior.argmax(axis=1)]
    found = share_interval(predicted == series.labels, series.groups, TUNED)
    metrics = fold_metrics(series.labels, predicted, log_posterior, series.classes)
    shown = ("balanced_accuracy", "log_loss", "brier")
    limits = {"accuracy": found.value, "lower": found.lower, "upper": found.upper}
    return {"genes": k, **limits, **{name: metrics[name] for name in shown}}


def _table(
    series: DataSet, codes: np.ndarray, genes: np.ndarray, model: TrainedModel
) -> pd.DataFrame:
    """Return the genes with the features that could replace each: ties, and of the same module."""
    signature = model.signature.drop_duplicates("feature").set_index("feature")
    own = ResidualCorrelation(series.values, codes)
    standard = StandardFeatures(series.values)[:] / np.sqrt(series.n_samples)
    rows = []
    for place in genes:
        name = str(series.features[place])
        within = own.columns(slice(place, place + 1))[:, 0]
        within = np.where(standard @ standard[place] >= _ALIKE, within, 0.0)
        within[place] = 0.0
        near = np.argsort(-within, kind="stable")[:_MOST_SUBSTITUTES]
        ties = signature.loc[name, "interchangeable"].split()
        partners = [*ties, *series.features[near[within[near] >= _ALIKE]]]
        row = {"gene": name, "symbol": model.symbols.get(name, "")}
        row |= signature.loc[name, ["class", "direction"]].to_dict()
        substitutes = (name for name in dict.fromkeys(partners) if not _CONTROL.match(name))
        rows.append(row | {"substitutes": " ".join(substitutes)})
    return pd.DataFrame(rows)
