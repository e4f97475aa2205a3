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
from xnbflow.data.gene_names import is_symbol, split_genes
from xnbflow.density.standard import StandardFeatures
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.evaluation.training import train
from xnbflow.inference.intervals import TUNED_INFLATION, accuracy_interval
from xnbflow.models.reading import symbols_of
from xnbflow.models.recalibration import RECALIBRATION
from xnbflow.models.trained import CrossValidation, TrainedModel, fit_model
from xnbflow.naive_bayes.evidence_calibration import fit_temperature
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.modules import ResidualCorrelation

#: Genes with at least this correlation within classes, to either side, are of one module.
_MODULE_CORRELATION = 0.7
#: Features with a greater correlation over all samples may be probes of one gene.
_ONE_GENE_CORRELATION = 0.9
#: Reference genes: three are common, since the mean of several varies less than one.
_MOST_REFERENCES = 3
#: Candidates, best first, whose correlations with each other are computed.
_MOST_CANDIDATES = 300
#: Substitutes of the same module that are listed for a gene, beside ties.
_MOST_SUBSTITUTES = 5
#: Upper bound of logarithms to base 2 of intensities or counts.
_LARGEST_LOGARITHM = 40.0
#: Share of the largest variance that is added to each, so that no gene with a small one dominates.
_SMOOTHING = 0.1
#: The classifier of a panel.
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


@dataclass(frozen=True)
class PanelDemands:
    """What `choose_genes` demands of a panel: its parameters of these names."""

    n_genes: int
    floor: float
    symbols: Sequence[frozenset[str]]


@dataclass(frozen=True)
class _HeldOut:
    """Evidence of panels for samples that they were not chosen and fitted with.

    Attributes
    ----------
    evidence : ndarray of shape (n_genes, n_samples, n_classes)
        Log likelihoods, by the number of genes less 1.
    priors : ndarray of shape (n_samples, n_classes)
        Log priors; minus infinity for a class that is absent from the training samples.
    folds : ndarray of int, shape (n_samples,)
        The fold that tests a sample.
    """

    evidence: np.ndarray
    priors: np.ndarray
    folds: np.ndarray


def choose_genes(
    values: np.ndarray,
    codes: np.ndarray,
    ranked: np.ndarray,
    *,
    n_genes: int,
    floor: float,
    symbols: Sequence[frozenset[str]],
) -> tuple[np.ndarray, np.ndarray]:
    """Choose one gene of each module, and reference genes; return their positions.

    ``values`` (n_features, n_samples) are log2 expression, ``ranked`` the positions of candidates,
    best first, ``floor`` a quantile of the features' medians: a gene must reach it in the class
    where it is highest, a reference gene in every class. References vary least over all samples,
    are not candidates of the panel, and are not constant (a constant feature is below the
    background or saturated). ``symbols`` are the gene symbols of each feature (`gene_symbols`): no
    two features chosen share one, and a feature of several genes, or of none (a control), is not
    chosen, since an assay measures one gene.

    Examples
    --------
    >>> values = [[1.0, 2, 8, 9], [1, 2, 8, 9], [9, 8, 1, 3], [5, 5, 5, 5.1], [0, 0, 0, 0]]
    >>> codes, ranked = np.array([0, 0, 1, 1]), np.arange(3)
    >>> symbols = [frozenset({name}) for name in "abcde"]
    >>> genes, references = choose_genes(
    ...     np.array(values), codes, ranked, n_genes=2, floor=0.2, symbols=symbols
    ... )
    >>> genes.tolist(), references.tolist()
    ([0, 2], [3])
    """
    medians = np.stack([np.median(values[:, codes == c], axis=1) for c in np.unique(codes)])
    least = np.quantile(np.median(values, axis=1), floor)
    has_one_symbol = np.array([len(feature_symbols) == 1 for feature_symbols in symbols])
    expressed = medians.max(axis=0) >= least
    candidates = ranked[expressed[ranked] & has_one_symbol[ranked]][:_MOST_CANDIDATES]
    if codes.max() > 1:
        candidates = candidates[_by_nearest_class(values[candidates], codes)]

    # The first candidates of different modules and genes, best first, and their symbols.
    candidate_values = values[candidates]
    within = np.abs(ResidualCorrelation(candidate_values, codes).columns(slice(None)))
    standard = StandardFeatures(candidate_values)[:] / np.sqrt(candidate_values.shape[1])
    similar = (within >= _MODULE_CORRELATION) | (standard @ standard.T > _ONE_GENE_CORRELATION)
    chosen: list[int] = []
    used_symbols: set[str] = set()
    for i, feature in enumerate(candidates):
        if len(chosen) == n_genes:
            break
        if not similar[i, chosen].any() and not used_symbols & symbols[feature]:
            chosen.append(i)
            used_symbols |= symbols[feature]
    genes = candidates[chosen]
    expressed_in_all = medians.min(axis=0) >= least
    usable = expressed_in_all & (np.ptp(values, axis=1) > 0) & has_one_symbol
    usable[candidates] = False
    spread = np.where(usable, values.std(axis=1), np.inf)
    references: list[int] = []
    for feature in np.argsort(spread, kind="stable")[: int(usable.sum())]:
        if len(references) < _MOST_REFERENCES and not used_symbols & symbols[feature]:
            references.append(int(feature))
            used_symbols |= symbols[feature]
    return genes, np.array(references, dtype=int)


def _by_nearest_class(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the order of candidates in which each class is separated from its nearest one.

    The first genes of all classes may separate the same one: healthy tissue from early and late
    cancers, which they do not separate. The nearest class of a class is the one from which the
    best candidate separates it least, by the difference of means in standard deviations within
    classes. The order has the best candidate of each class against its nearest one, then the
    second best, and so on; equal ones keep their order.

    Parameters
    ----------
    values : ndarray of shape (n_candidates, n_samples)
    codes : ndarray of int, shape (n_samples,)

    Examples
    --------
    Gene 0 separates class 0 from both others, gene 1 class 1 from class 2:

    >>> codes = np.repeat([0, 1, 2], 4)
    >>> noise = np.tile([0.0, 0.1], 6)
    >>> values = np.stack([9.0 * (codes == 0), 8.5 * (codes == 0), 3.0 * (codes == 1)]) + noise
    >>> _by_nearest_class(values, codes).tolist()
    [0, 2, 1]
    """
    n_classes = codes.max() + 1
    present = np.flatnonzero(np.bincount(codes, minlength=n_classes))
    means = np.stack([values[:, codes == code].mean(axis=1) for code in present])
    residuals = values - means[np.searchsorted(present, codes)].T
    spread = residuals.std(axis=1)
    smoothing = _SMOOTHING * spread.max(initial=0.0)
    apart = np.abs(means[:, None] - means[None]) / (spread + smoothing + np.finfo(float).tiny)
    best = apart.max(axis=2) if values.size else np.zeros(apart.shape[:2])
    np.fill_diagonal(best, np.inf)
    nearest = best.argmin(axis=1)
    orders = []
    for position, other in enumerate(nearest.tolist()):
        orders.append(np.argsort(-apart[position, other], kind="stable"))
    # The first of the ranking, then the best of each class, then the second best.
    rounds = np.stack(orders, axis=1).ravel()
    rounds = np.append(np.zeros(min(1, len(values)), dtype=int), rounds)
    first = np.unique(rounds, return_index=True)[1]
    return np.asarray(rounds[np.sort(first)])


def gene_symbols(features: Iterable[str], symbols: Mapping[str, str]) -> list[frozenset[str]]:
    """Return the symbols of each feature, its name where ``symbols`` lacks it, none of a control.

    A name may be several symbols, where a table has merged the probes of each symbol.

    Examples
    --------
    >>> names = ["p1", "p2", "MYC///PVT1", "AFFX-BioB-3_at"]
    >>> symbols = gene_symbols(names, {"p1": "DDR1 /// MIR4640"})
    >>> [sorted(feature_symbols) for feature_symbols in symbols]
    [['DDR1', 'MIR4640'], ['p2'], ['MYC', 'PVT1'], []]
    """
    symbols_of_features: list[frozenset[str]] = []
    for name in map(str, features):
        if _CONTROL.match(name):
            symbols_of_features.append(frozenset())
            continue
        genes = split_genes(symbols.get(name, "")) or split_genes(name)
        symbols_of_features.append(frozenset(genes))
    return symbols_of_features


#: How samples are found in a table; the other options of a model change values of its features.
_READING = ("label", "id_column", "orientation")


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
    refuse_unsuitable_panel(series, model)
    codes = np.searchsorted(series.classes, series.labels)
    demands = PanelDemands(
        n_genes, floor, gene_symbols(series.features, symbols_of(series) | model.symbols)
    )
    everyone = np.ones(series.n_samples, dtype=bool)
    genes, references = choose_panel(
        series, codes, training=everyone, signature=model.signature, demands=demands
    )
    folds = draw_folds(series, splits, 1)
    held_out = _held_out_evidence(series, codes, folds=folds, entry=model.entry, demands=demands)
    slope = 1.0
    log_posterior = np.empty(held_out.priors.shape)
    figures = []
    for k in range(len(genes)):
        slope, log_posterior = calibrate_evidence(
            held_out.evidence[k], held_out.priors, codes, held_out.folds
        )
        figures.append(accuracy_row(series, k + 1, log_posterior))
    # slope and posteriors are now those of the whole panel
    reference_names = series.features[references].tolist()
    found_by = {name: model.series[name] for name in _READING if name in model.series}
    fitted = fit_model(
        DataSet(
            f"{series.name}-panel",
            _differences(series.values, genes, references),
            features=list(series.features[genes]),
            samples=list(series.samples),
            labels=series.labels,
            groups=series.groups,
        ),
        _METHOD,
        panel_folds(series, folds, log_posterior),
        symbols=model.symbols,
        origin={"references": reference_names, **found_by},
    )
    # the slope multiplies log posteriors, but only the evidence is calibrated, not the prior
    intercept = (1.0 - slope) * fitted.estimator.class_log_prior_
    fitted.series[RECALIBRATION] = {"slope": slope, "intercept": intercept.tolist()}
    return Panel(
        genes=panel_genes(series, codes, genes, model, demands.symbols),
        references=reference_names,
        accuracy=pd.DataFrame(figures),
        model=fitted,
    )


def refuse_unsuitable_panel(series: DataSet, model: TrainedModel) -> None:
    """Refuse a model without a signature, and data whose differences are no ΔCt."""
    problem = ""
    if model.signature.empty:
        problem = "uses all features for every class"
    elif series.missing or np.quantile(series.values, 0.99) > _LARGEST_LOGARITHM:
        problem = (
            "was fitted to data with missing values or without logarithms, of which differences "
            "are no ΔCt (transform=log2 makes logarithms)"
        )
    if problem:
        msg = f"the model {problem}; a panel cannot be chosen. Fit csnb-cv to log2 expression"
        raise InputError(msg)


def choose_panel(
    series: DataSet,
    codes: np.ndarray,
    training: np.ndarray,
    signature: pd.DataFrame,
    demands: PanelDemands,
) -> tuple[np.ndarray, np.ndarray]:
    """Return genes and references from a signature: the best of each class, then the second.

    ``training`` (n_samples,) is the mask of the samples to choose by.
    """
    names = signature.sort_values("rank", kind="stable")["feature"].drop_duplicates()
    genes, references = choose_genes(
        series.values[:, training],
        codes[training],
        pd.Index(series.features).get_indexer(names),
        n_genes=demands.n_genes,
        floor=demands.floor,
        symbols=demands.symbols,
    )
    if not len(genes):
        msg = f"{series.name}: no gene of the signature reaches the expression floor; lower --floor"
        raise InputError(msg)
    if not len(references):
        msg = (
            f"{series.name}: no reference gene: none reaches the expression floor in every class, "
            "varies, is no control and no candidate of the panel; lower --floor, or fit with fewer "
            "genes"
        )
        raise InputError(msg)
    return genes, references


def _differences(values: np.ndarray, genes: np.ndarray, references: np.ndarray) -> np.ndarray:
    """Return values (n_features, n_samples) of genes less the mean of the references."""
    return values[genes] - values[references].mean(axis=0)


def _held_out_evidence(
    series: DataSet,
    codes: np.ndarray,
    folds: pd.DataFrame,
    entry: Mapping[str, Any],
    demands: PanelDemands,
) -> _HeldOut:
    """Choose and fit panels of 1, 2, ... genes in each fold, and test them on the other samples.

    In a fold with fewer genes than demanded the last evidence repeats.
    """
    selected = train(series, folds, entry, explain=False)["selected"]
    n_classes = len(series.classes)
    fold_of_sample = np.zeros(series.n_samples, int)
    evidence = np.zeros((demands.n_genes, series.n_samples, n_classes))
    priors = np.full((series.n_samples, n_classes), -np.inf)
    for fold, samples in folds.groupby("fold")["sample"]:
        test = np.isin(series.samples, samples.to_numpy(dtype=str))
        fold_of_sample[test] = fold
        signature = selected[selected["fold"] == fold]
        genes, references = choose_panel(
            series, codes, training=~test, signature=signature, demands=demands
        )
        X = _differences(series.values, genes, references).T
        for k in range(demands.n_genes):
            panel = GaussianNB(var_smoothing=_SMOOTHING)
            panel.fit(X[~test, : k + 1], series.labels[~test])
            cells = np.ix_(test, np.isin(series.classes, panel.classes_))
            priors[cells] = panel.class_log_prior_
            joint = panel.predict_joint_log_proba(X[test, : k + 1])
            evidence[k][cells] = joint - priors[cells]
    return _HeldOut(evidence, priors, fold_of_sample)


def calibrate_evidence(
    evidence: np.ndarray, priors: np.ndarray, codes: np.ndarray, folds: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the factor for evidence, and log posteriors, each with the factor of the other folds.

    Held-out evidence and log priors have shape (n_samples, n_classes), ``folds`` (n_samples,).
    """
    log_posterior = np.empty(evidence.shape)
    for fold in np.unique(folds):
        test = folds == fold
        calibrate = fit_temperature(evidence[~test], priors[~test], codes[~test])
        log_posterior[test] = log_softmax(calibrate(evidence[test]) + priors[test], axis=1)
    return 1.0 / fit_temperature(evidence, priors, codes).temperature, log_posterior


def panel_folds(series: DataSet, folds: pd.DataFrame, log_posterior: np.ndarray) -> CrossValidation:
    """Return the cross-validation of the whole panel, which chooses its own size and slope."""
    predictions = folds.set_index("sample").loc[series.samples].reset_index()
    predicted = series.classes[log_posterior.argmax(axis=1)]
    predictions = predictions.assign(true=series.labels, predicted=predicted)
    no_selection = pd.DataFrame(columns=["repeat", "fold", "class", "feature"])
    return CrossValidation(
        predictions=predictions, selected=no_selection, series=series, inflation=TUNED_INFLATION
    )


def accuracy_row(series: DataSet, n_genes: int, log_posterior: np.ndarray) -> dict[str, Any]:
    """Return a row of `Panel.accuracy`."""
    predicted = series.classes[log_posterior.argmax(axis=1)]
    right = (predicted == series.labels).astype(float)
    accuracy = accuracy_interval(right, series.labels, series.groups, TUNED_INFLATION)
    metrics = fold_metrics(series.labels, predicted, log_posterior, series.classes)
    return {
        "genes": n_genes,
        "accuracy": accuracy.value,
        "lower": accuracy.lower,
        "upper": accuracy.upper,
        "balanced_accuracy": metrics["balanced_accuracy"],
        "log_loss": metrics["log_loss"],
        "brier": metrics["brier"],
    }


def panel_genes(
    series: DataSet,
    codes: np.ndarray,
    genes: np.ndarray,
    model: TrainedModel,
    symbols: Sequence[frozenset[str]],
) -> pd.DataFrame:
    """Return the genes with the features that could replace each: ties, and of the same module.

    A feature of the module has at least the correlation of a module, with the same sign, both
    within classes and over all samples. As the genes themselves, substitutes are of one gene.
    """
    is_one_gene = dict(zip(series.features, (len(genes) == 1 for genes in symbols), strict=True))
    signature = model.signature.drop_duplicates("feature").set_index("feature")
    residuals = ResidualCorrelation(series.values, codes)
    standard = StandardFeatures(series.values)[:] / np.sqrt(series.n_samples)
    rows = []
    for gene in genes:
        name = str(series.features[gene])
        within = residuals.columns(slice(gene, gene + 1))[:, 0]
        over_all = standard @ standard[gene]
        within = np.where(over_all >= _MODULE_CORRELATION, within, 0.0)
        within[gene] = 0.0
        nearest = np.argsort(-within, kind="stable")[:_MOST_SUBSTITUTES]
        of_module = series.features[nearest[within[nearest] >= _MODULE_CORRELATION]]
        ties = signature.loc[name, "interchangeable"].split()
        candidates = dict.fromkeys([*ties, *of_module])
        substitutes = [feature for feature in candidates if is_one_gene.get(feature, False)]
        rows.append(
            {
                "gene": name,
                "symbol": model.symbols.get(name, name if is_symbol(name) else ""),
                "class": signature.loc[name, "class"],
                "direction": signature.loc[name, "direction"],
                "substitutes": " ".join(substitutes),
            }
        )
    return pd.DataFrame(rows)
