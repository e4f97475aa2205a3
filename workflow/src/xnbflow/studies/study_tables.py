"""The tables of a study: reads what data sets and classifiers left behind, and puts it together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.dataset import read_header
from xnbflow.diagnostics.series_audit import shared_by_series
from xnbflow.inference.headlines import headline, subject
from xnbflow.inference.intervals import CROSS_VALIDATED, inflation_of
from xnbflow.studies import comparison, summaries
from xnbflow.studies.enrichment import enrichment, read_gene_sets
from xnbflow.studies.phenotype_checks import phenotype_checks
from xnbflow.tables.contract import (
    AUDIT_TABLES,
    CHECK_TABLES,
    DIAGNOSTIC_TABLES,
    MODEL_TABLES,
    NOTES_TABLE,
    PERMUTATION_TABLES,
    STUDY_TABLES,
    TRAINING_TABLES,
    TRUTH_TABLE,
    TableSchema,
)
from xnbflow.tables.storage import read_parquet

__all__ = ["study_tables"]

#: The checks of the classifiers that come first.
_CHECKS = ("random_genes", "learning_curve")


def study_tables(
    about: Mapping[str, Any],
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    alpha: float,
    paper: Mapping[str, str] | None = None,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.tables.contract.STUDY_TABLES`.

    ``about`` has ``study`` (its id), ``title``, ``summary``, ``labels`` (the classifiers' by id),
    ``kept`` (classifiers of which models are kept) and ``headline`` (the classifier that the
    configuration names; else empty). ``files`` are paths by the name of the table; ``paper`` are
    the tables that it prints. ``owners`` say what the files belong to, in their order: ``datasets``
    and ``diagnosed`` are data sets, ``trained`` a `xnbflow.studies.summaries.Key` each,
    ``permuted``, ``tested`` and ``halved`` a data set and classifier each. ``alpha`` is the level
    of the normality test. The mapping ``paper`` says which classifier is the paper's ``nb``, and
    which its ``xnb``. ``entries`` have per data set the classifiers' configuration by id: intervals
    of those that tune themselves are wider.
    """
    headers = dict(zip(owners["datasets"], map(read_header, files["series"]), strict=True))
    predictions, selected, ties, fits = (
        _read([tuple(key) for key in owners["trained"]], files[name], TRAINING_TABLES[name])
        for name in ("predictions", "selected", "ties", "fits")
    )
    diagnosed = {
        name: _read(owners["diagnosed"], files[name], DIAGNOSTIC_TABLES[name])
        for name in ("normality", "normality_within", "dependence", "dependence_test")
    }
    truth = _read(owners["datasets"], files["truth"], TRUTH_TABLE)
    permuted = _read(owners["permuted"], files["permutation"], PERMUTATION_TABLES["permutation"])
    permuted |= _read(owners["tested"], files["label_test"], CHECK_TABLES["label_test"])
    halves = _read(owners["halved"], files["halves"], CHECK_TABLES["halves"])
    printed = [pd.read_csv(path, sep="\t") for path in files["paper"]]
    notes = [read_parquet(path, NOTES_TABLE) for path in files["notes"]]
    tables = {
        **_checked(owners, files, headers),
        "datasets": _datasets(headers, fits),
        "notes": _joined(notes, NOTES_TABLE),
        "permutation_tests": _named(permuted, "permutation_tests"),
        "class_sizes": _class_sizes(headers),
        "enrichment": _enrichment(owners, files),
        "diagnostics": _diagnostics(diagnosed, alpha),
        "p_values": summaries.p_values(diagnosed["normality"]),
        "selection": summaries.selection(selected, fits, ties, halves),
        "ties": summaries.ties(ties, fits),
        "stability": summaries.stability(selected, fits, ties, headers, halves),
        "recovery": summaries.recovery(selected, fits, {k: t for k, t in truth.items() if len(t)}),
    }
    tables |= _predicted(predictions, fits, headers, entries or {}, about, tables)
    samples, repeats = tables["samples"], tables["repeats"]
    return tables | {
        "paper": summaries.paper(repeats, tables["diagnostics"], printed, paper or {}),
        "headline": headline(about, tables),
        "averages": summaries.averages(tables["summary"], tables["seconds"]),
        "hard_samples": summaries.hard_samples(samples),
        "suspects": summaries.suspects(samples),
        "misclassified": summaries.misclassified(samples),
        "ranks": comparison.ranks(repeats),
        "omnibus": comparison.omnibus(repeats),
        "pairwise": comparison.pairwise(repeats),
        "pairwise_within": comparison.pairwise_within(tables["metrics"]),
    }


def _checked(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    headers: summaries.Headers,
) -> dict[str, pd.DataFrame]:
    """Return the checks of classifiers and the audit of all data sets, as tables of the study."""
    checks = {name: (owners["tested"], CHECK_TABLES[name]) for name in _CHECKS}
    checks |= {name: (owners["datasets"], schema) for name, schema in AUDIT_TABLES.items()}
    tables = {
        name: _named(_read(keys, files[name], schema), name)
        for name, (keys, schema) in checks.items()
    }
    paths = dict(zip(owners["datasets"], files["series"], strict=True))
    signatures = _signatures(owners, files)
    found = [phenotype_checks(path, headers[name], signatures) for name, path in paths.items()]
    found.append(shared_by_series(paths))
    return tables | {"audit": _joined([tables["audit"], *found], STUDY_TABLES["audit"])}


def _signatures(
    owners: Mapping[str, Sequence[Any]], files: Mapping[str, Sequence[str]]
) -> dict[Any, pd.DataFrame]:
    """Return the signature of each model by its data set and classifier."""
    models = [tuple(key) for key in owners["models"]]
    return _read(models, files["signature"], MODEL_TABLES["signature"])


def _named(tables: Mapping[Any, pd.DataFrame], name: str) -> pd.DataFrame:
    """Return tables of data sets, or of classifiers on them, as one table of the study."""
    owned = [((key, "") if isinstance(key, str) else key, table) for key, table in tables.items()]
    parts = [table.assign(dataset=key[0], classifier=key[1]) for key, table in owned]
    return _joined(parts, STUDY_TABLES[name])


def _enrichment(owners: Mapping[str, Sequence[Any]], files: Mapping[str, Any]) -> pd.DataFrame:
    """Return the over-represented gene sets; none where the study names no file of sets."""
    if not files.get("gene_sets"):
        return enrichment({}, {}, {})
    genes = _read(owners["datasets"], files["genes"], DIAGNOSTIC_TABLES["genes"])
    path, signatures = files["gene_sets"], _signatures(owners, files)
    return enrichment(genes, signatures, read_gene_sets(path if isinstance(path, str) else path[0]))


def _read(keys: Sequence[Any], paths: Sequence[str], table: TableSchema) -> dict[Any, pd.DataFrame]:
    return {key: read_parquet(path, table) for key, path in zip(keys, paths, strict=True)}


def _joined(tables: Sequence[pd.DataFrame], schema: TableSchema) -> pd.DataFrame:
    parts = [table for table in tables if len(table)]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=schema.fixed)
    open_ended = tuple(name.partition("{")[0] for name in schema.columns if "{" in name)
    return whole[schema.fixed + [name for name in whole if name.startswith(open_ended)]]


def _predicted(
    predictions: summaries.Tables,
    fits: summaries.Tables,
    headers: summaries.Headers,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    about: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Return what follows from the predictions and how the fits went, and the verdicts."""
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
    verdicts = summaries.verdicts(
        found | corrected,
        headers,
        tables["stability"],
        tables["permutation_tests"],
        {chosen: choices},
        summaries.copies(tables["audit"], headers),
    )
    return {
        "metrics": metrics,
        "repeats": repeats,
        "summary": summary,
        "confusion": summaries.confusion(predictions),
        **{
            name: summaries.probabilities(name, predictions, headers, inflations)
            for name in ("calibration", "confidence")
        },
        "roc": summaries.roc(predictions, fits, headers),
        "sets": summaries.sets(predictions, headers, inflations),
        "recall": recall,
        "samples": summaries.samples(predictions, recall),
        "seconds": summaries.seconds(fits),
        "problems": summaries.problems(fits),
        "verdicts": verdicts,
    }


def _datasets(headers: summaries.Headers, fits: summaries.Tables) -> pd.DataFrame:
    imputed = dict.fromkeys(headers, 0)
    for (dataset, *_), table in fits.items():
        imputed[dataset] = max(imputed[dataset], int(table["imputed"].max()))
    rows = [
        (name, len(each.samples), each.n_features, len(each.classes),
         np.nan if each.groups is None else len(np.unique(each.groups)), each.missing,
         imputed[name])
        for name, each in headers.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=STUDY_TABLES["datasets"].fixed)


def _class_sizes(headers: summaries.Headers) -> pd.DataFrame:
    rows = [
        (name, label, int(n))
        for name, each in headers.items()
        for label, n in zip(*np.unique(each.labels, return_counts=True), strict=True)
    ]
    return pd.DataFrame(rows, columns=STUDY_TABLES["class_sizes"].fixed)


def _diagnostics(tables: Mapping[str, Mapping[str, pd.DataFrame]], alpha: float) -> pd.DataFrame:
    rows = []
    for dataset, test in tables["dependence_test"].items():
        if test.empty:  # fewer than two features without missing values
            continue
        overall, within = tables["normality"][dataset], tables["normality_within"][dataset]
        ratios = summaries.diagnostics(overall, within, tables["dependence"][dataset], alpha)
        rows.append({"dataset": dataset, **test.iloc[0].to_dict(), **ratios})
    fixed = STUDY_TABLES["diagnostics"].fixed
    others = [name for name in pd.DataFrame(rows) if name not in fixed]
    return pd.DataFrame(rows, columns=[*fixed, *others])
