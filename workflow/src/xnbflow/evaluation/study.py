"""The tables of a study: reads what data sets and classifiers left behind, and puts it together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import (
    DIAGNOSTIC_TABLES,
    NOTES_TABLE,
    PERMUTATION_TABLES,
    STUDY_TABLES,
    TRAINING_TABLES,
    TRUTH_TABLE,
)
from xnbflow.data.dataset import DataSetHeader, read_header
from xnbflow.data.tables import read_parquet
from xnbflow.evaluation import comparison, summaries
from xnbflow.evaluation.headlines import headline, subject
from xnbflow.evaluation.intervals import CROSS_VALIDATED, inflation_of

__all__ = ["Key", "study_tables"]

#: What identifies the results of a classifier: data set, scheme of folds, classifier.
Key = tuple[str, str, str]


def study_tables(
    about: Mapping[str, Any],
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    alpha: float,
    paper: Mapping[str, str] | None = None,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.data.contract.STUDY_TABLES`.

    Parameters
    ----------
    about : mapping
        ``study`` (its id), ``title``, ``summary``, ``labels`` (the classifiers' by id), ``kept``
        (classifiers of which models are kept) and ``headline`` (the classifier that the study is
        about; empty where the configuration names none).
    owners : mapping of str to sequence
        What the files belong to, in their order: ``datasets`` and ``diagnosed`` are data sets,
        ``trained`` a `Key` each, ``permuted`` a data set and classifier each.
    files : mapping of str to sequence of path
        Of the data sets ``series``, ``truth`` and ``notes``, of the diagnosed ones ``normality``,
        ``normality_within``, ``dependence`` and ``dependence_test``, of what is trained
        ``predictions``, ``selected``, ``ties`` and ``fits``, of what is permuted ``permutation``;
        and ``paper``, the tables it prints.
    alpha : float
        Level of the normality test.
    paper : mapping of str to str, optional
        Which classifier plays the part of the paper's ``nb``, and of its ``xnb``.
    entries : mapping of str to mapping, optional
        Per data set the classifiers' configuration by id: intervals of those that tune themselves
        are wider.

    Returns
    -------
    dict of str to DataFrame
    """
    headers = {
        dataset: read_header(path)
        for dataset, path in zip(owners["datasets"], files["series"], strict=True)
    }
    printed = [pd.read_csv(path, sep="\t") for path in files["paper"]]
    diagnostics = _diagnostics(owners["diagnosed"], files, alpha)
    tables = {
        "datasets": _datasets(headers, _trained("fits", owners, files)),
        "notes": _notes(files["notes"]),
        "permutation_tests": _permutation_tests(owners["permuted"], files["permutation"]),
        "class_sizes": _class_sizes(headers),
        "diagnostics": diagnostics,
        "p_values": _p_values(owners["diagnosed"], files["normality"]),
        **_selected(owners, files, headers),
    }
    tables |= _predicted(owners, files, headers, entries or {}, about, tables)
    samples, repeats = tables["samples"], tables["repeats"]
    return tables | {
        "paper": summaries.paper(repeats, diagnostics, printed, paper or {}),
        "headline": headline(about, tables),
        "averages": summaries.averages(tables["summary"], tables["seconds"]),
        "hard_samples": summaries.hard_samples(samples),
        "misclassified": summaries.misclassified(samples),
        "ranks": comparison.ranks(repeats),
        "omnibus": comparison.omnibus(repeats),
        "pairwise": comparison.pairwise(repeats),
        "pairwise_within": comparison.pairwise_within(tables["metrics"]),
    }


def _trained(
    name: str, owners: Mapping[str, Sequence[Any]], files: Mapping[str, Sequence[str]]
) -> dict[Key, pd.DataFrame]:
    """Return a table of every classifier that was trained."""
    return {
        tuple(key): read_parquet(path, TRAINING_TABLES[name])
        for key, path in zip(owners["trained"], files[name], strict=True)
    }


def _predicted(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    headers: Mapping[str, DataSetHeader],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    about: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Return what follows from the predictions and how the fits went, and the verdicts."""
    predictions, fits = (_trained(name, owners, files) for name in ("predictions", "fits"))
    inflations = {
        key: inflation_of(entries[key[0]][key[2]]) for key in predictions if key[0] in entries
    }
    found = summaries.performances(predictions, headers, inflations)
    metrics = summaries.metrics(predictions, fits, headers)
    repeats = summaries.repeats(predictions, metrics, fits, headers)
    summary = summaries.summary(predictions, metrics, repeats, fits, headers, found)
    recall = summaries.recall(predictions, found, headers)
    chosen, choices = subject(about, tables["selection"], summary)
    corrected = {
        key: summaries.pooled_performance(
            predictions[key], headers[key[0]], inflations.get(key, CROSS_VALIDATED), choices
        )
        for key in found
        if key[2] == chosen and choices > 1
    }
    return {
        "metrics": metrics,
        "repeats": repeats,
        "summary": summary,
        "confusion": summaries.confusion(predictions),
        "calibration": summaries.calibration(predictions, headers, inflations),
        "confidence": summaries.confidence(predictions, headers, inflations),
        "recall": recall,
        "samples": summaries.samples(predictions, recall),
        "seconds": summaries.seconds(fits),
        "problems": summaries.problems(fits),
        "verdicts": summaries.verdicts(
            found | corrected,
            headers,
            tables["stability"],
            tables["permutation_tests"],
            {chosen: choices},
        ),
    }


def _selected(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    headers: Mapping[str, DataSetHeader],
) -> dict[str, pd.DataFrame]:
    """Return what follows from the features that were selected."""
    selected, ties, fits = (_trained(name, owners, files) for name in ("selected", "ties", "fits"))
    truth = {
        dataset: read_parquet(path, TRUTH_TABLE)
        for dataset, path in zip(owners["datasets"], files["truth"], strict=True)
    }
    truth = {dataset: table for dataset, table in truth.items() if len(table)}
    return {
        "selection": summaries.selection(selected, fits, ties),
        "ties": summaries.ties(ties, fits),
        "stability": summaries.stability(selected, fits, ties, headers),
        "recovery": summaries.recovery(selected, fits, truth),
    }


def _p_values(diagnosed: Sequence[str], paths: Sequence[str]) -> pd.DataFrame:
    pairs = zip(diagnosed, paths, strict=True)
    return summaries.p_values(
        {dataset: read_parquet(path, DIAGNOSTIC_TABLES["normality"]) for dataset, path in pairs}
    )


def _datasets(
    headers: Mapping[str, DataSetHeader], fits: Mapping[Key, pd.DataFrame]
) -> pd.DataFrame:
    imputed = dict.fromkeys(headers, 0)
    for (dataset, *_), table in fits.items():
        imputed[dataset] = max(imputed[dataset], int(table["imputed"].max()))
    rows = [
        (
            header.name,
            len(header.samples),
            header.n_features,
            len(header.classes),
            np.nan if header.groups is None else len(np.unique(header.groups)),
            header.missing,
            imputed[header.name],
        )
        for header in headers.values()
    ]
    return pd.DataFrame(rows, columns=STUDY_TABLES["datasets"].fixed)


def _notes(paths: Sequence[str]) -> pd.DataFrame:
    parts = [read_parquet(path, NOTES_TABLE) for path in paths]
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=NOTES_TABLE.fixed)


def _permutation_tests(owners: Sequence[tuple[str, str]], paths: Sequence[str]) -> pd.DataFrame:
    parts = [
        read_parquet(path, PERMUTATION_TABLES["permutation"]).assign(
            dataset=dataset, classifier=classifier
        )
        for (dataset, classifier), path in zip(owners, paths, strict=True)
    ]
    columns = STUDY_TABLES["permutation_tests"].fixed
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _class_sizes(headers: Mapping[str, DataSetHeader]) -> pd.DataFrame:
    tables: list[Any] = [
        pd.Series(h.labels)
        .value_counts()
        .sort_index()
        .rename_axis("class")
        .reset_index(name="samples")
        for h in headers.values()
    ]
    for table, name in zip(tables, headers, strict=True):
        table.insert(0, "dataset", name)
    empty = pd.DataFrame(columns=STUDY_TABLES["class_sizes"].fixed)
    return pd.concat(tables, ignore_index=True) if tables else empty


def _diagnostics(
    diagnosed: Sequence[str], files: Mapping[str, Sequence[str]], alpha: float
) -> pd.DataFrame:
    rows = []
    for i, dataset in enumerate(diagnosed):
        read = {
            name: read_parquet(files[name][i], DIAGNOSTIC_TABLES[name])
            for name in ("normality", "normality_within", "dependence", "dependence_test")
        }
        ratios = summaries.diagnostics(
            read["normality"], read["normality_within"], read["dependence"], alpha
        )
        rows.append({"dataset": dataset, **ratios, **read["dependence_test"].iloc[0].to_dict()})
    return pd.DataFrame(rows, columns=STUDY_TABLES["diagnostics"].fixed)
