"""The tables of a study, from the files of its data sets and classifiers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.series_audit import shared_by_series
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables
from xnbflow.inference.estimates import areas, estimates, pooled_performance
from xnbflow.inference.headlines import headline, subject
from xnbflow.inference.intervals import CROSS_VALIDATED, inflation_of
from xnbflow.inference.verdicts import copies, unequal_libraries, verdicts
from xnbflow.studies import (
    comparison,
    fold_scores,
    probability_tables,
    sample_errors,
    selected_features,
    study_overview,
)
from xnbflow.studies.concordances import concordances, graded_audit, inseparable
from xnbflow.studies.description import description_tables
from xnbflow.studies.phenotype_checks import phenotype_checks
from xnbflow.tables.contract import (
    AUDIT_TABLES,
    CHECK_TABLES,
    COHORT_TABLES,
    DESCRIPTION_TABLES,
    DIAGNOSTIC_TABLES,
    GENE_LIST_TABLES,
    NOTES_TABLE,
    PERMUTATION_TABLES,
    STUDY_TABLES,
    TRAINING_TABLES,
    TRUTH_TABLE,
    TableSchema,
)
from xnbflow.tables.storage import (
    read_parquet,
    read_stacked,
    read_tables,
    refuse_other_series,
    write_tables,
)


def compare(files: Any, params: Any, outputs: Any, check: Callable[[], None]) -> None:
    """Make and write the tables of a study and of its description, a job of the stage *compare*.

    ``files``, ``params`` and ``outputs`` are those of the rule; see `study_tables`. It is an
    `InputError` if a table of a classifier is of another series than the study's. ``check`` is
    called before files are written.
    """
    owners = params.owners
    for dataset, series in zip(owners["datasets"], files.series, strict=True):
        jobs = [i for i, (name, *_) in enumerate(owners["jobs"]) if name == dataset]
        paths: list[str] = []
        for table in TRAINING_TABLES:
            paths += [files[table][i] for i in jobs]
        refuse_other_series(paths, series)
    tables = study_tables(
        params.about,
        owners,
        files,
        alpha=params.alpha,
        entries=params.entries,
    )
    descriptions = description_tables(owners, params.entries, files)
    check()
    write_tables(
        tables, Path(outputs[0]).parent, STUDY_TABLES, others={*COHORT_TABLES, *GENE_LIST_TABLES}
    )
    write_tables(descriptions, Path(outputs.described[0]).parent, DESCRIPTION_TABLES)


def study_tables(
    about: Mapping[str, Any],
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    *,
    alpha: float,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]] | None = None,
) -> dict[str, pd.DataFrame]:
    """Make every table of a study but those of `xnbflow.studies.gene_lists`.

    ``about`` has ``study`` (its id), ``title``, ``summary``, ``labels`` (the classifiers' by id),
    ``kept`` (classifiers of which models are kept) and ``headline`` (the classifier that the
    configuration names; else empty). ``files`` are paths by the name of the table. ``owners`` are
    what the files belong to, in their order: ``datasets``, ``diagnosed`` and ``checked`` are data
    sets; ``jobs`` are a data set, scheme of folds and the classifiers of a job of training each;
    ``permuted`` a data set and classifier each. ``trained`` are the
    `xnbflow.evaluation.keyed_tables.Key` of all classifiers, in the order of the tables of the
    study, ``tested`` and ``halved`` the data sets and classifiers with these checks. ``alpha`` is
    the level of the normality test. ``entries`` have per data set the classifiers'
    configuration by id: intervals of those that tune themselves are wider.
    """
    headers = {}
    for name, path in zip(owners["datasets"], files["series"], strict=True):
        headers[name] = DataSet.read(path, values=False)
    predictions = read_training(owners, files, "predictions")
    selected = read_training(owners, files, "selected")
    ties = read_training(owners, files, "ties")
    fits = read_training(owners, files, "fits")
    halves = _read_checks(owners, files, "halves", owners["halved"])
    truth = read_tables(owners["datasets"], files["truth"], TRUTH_TABLE)
    truth = {name: table for name, table in truth.items() if len(table)}
    tables = {
        **_checked(owners, files, headers),
        **_described(owners, files, headers, fits=fits, alpha=alpha),
        **_scores(predictions, fits, headers),
        "selection": selected_features.selection(selected, fits, halves),
        "ties": selected_features.ties(ties, fits),
        "stability": selected_features.stability(selected, fits, headers, halves),
        "recovery": selected_features.recovery(selected, fits, truth),
    }
    inflations = _inflations(predictions, entries)
    results = _results(
        about, tables, predictions, fits=fits, headers=headers, inflations=inflations
    )
    return {
        **tables,
        **results,  # with the audit, graded
        **_probabilities(predictions, fits, headers, inflations),
        **_errors_of_samples(predictions, results["estimates"]),
    }


def _inflations(
    predictions: Tables, entries: Mapping[str, Mapping[str, Mapping[str, Any]]] | None
) -> dict[Key, float]:
    """Return by which factor the variance of each classifier's results is inflated."""
    if not entries:
        return dict.fromkeys(predictions, CROSS_VALIDATED)
    return {key: inflation_of(entries[key[0]][key[2]]) for key in predictions}


def _results(
    about: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
    predictions: Tables,
    *,
    fits: Tables,
    headers: Headers,
    inflations: Mapping[Key, float],
) -> dict[str, pd.DataFrame]:
    """Return the tables that need the classifier of the headline.

    The parameters are those of `study_tables`, and the ``tables`` that it has made before. The
    intervals of the classifier that was chosen by its results are corrected for the candidates.
    """
    chosen, candidates = subject(about, tables["selection"], tables["averages"])
    performances = {}
    curves = {}
    for key, table in predictions.items():
        if len(table):
            n_candidates = candidates if key[2] == chosen else 1
            results = (table, headers[key[0]], inflations[key], n_candidates)
            performances[key] = pooled_performance(*results)
            curves[key] = areas(*results)
    failed = {key: int((table["status"] != "ok").sum()) for key, table in fits.items()}
    estimated = estimates(performances, headers, failed, curves)
    audit = tables["audit"]
    within, within_pairs = concordances(predictions, headers, audit)
    label = about["labels"].get(chosen, "")
    return {
        "estimates": estimated,
        "concordance": within,
        "concordance_pairs": within_pairs,
        "audit": graded_audit(audit, within, classifier=chosen, label=label, headers=headers),
        "verdicts": verdicts(
            performances,
            tables["stability"],
            tables["permutation_tests"],
            copied=copies(audit, headers),
            inseparable=inseparable(within),
            unequal=unequal_libraries(audit, headers),
        ),
        "headline": headline(about, chosen, tables["summary"], estimated),
    }


def _probabilities(
    predictions: Tables, fits: Tables, headers: Headers, inflations: Mapping[Key, float]
) -> dict[str, pd.DataFrame]:
    """Return how far the probabilities of classifiers are right, and their ROC curves."""
    probabilities = probability_tables.probabilities
    return {
        "calibration": probabilities("calibration", predictions, headers, inflations),
        "confidence": probabilities("confidence", predictions, headers, inflations),
        "sets": probability_tables.sets(predictions, headers, inflations),
        "roc": probability_tables.roc(predictions, fits, headers),
    }


def _errors_of_samples(predictions: Tables, estimated: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return how often each sample is misclassified, and whose labels are doubtful."""
    samples = sample_errors.samples(predictions, estimated)
    return {
        "samples": samples,
        "hard_samples": sample_errors.hard_samples(samples),
        "suspects": sample_errors.suspects(samples),
        "misclassified": sample_errors.misclassified(samples),
    }


def _scores(predictions: Tables, fits: Tables, headers: Headers) -> dict[str, pd.DataFrame]:
    """Return the metrics of folds, repeats and classifiers, and how classifiers compare."""
    metrics = fold_scores.metrics(predictions, fits, headers)
    repeats = fold_scores.repeats(predictions, metrics, fits, headers)
    summary = fold_scores.summary(metrics, repeats, fits)
    seconds = study_overview.seconds(fits)
    confusion = probability_tables.confusion(predictions)
    return {
        "metrics": metrics,
        "repeats": repeats,
        "summary": summary,
        "averages": fold_scores.averages(summary, confusion, seconds),
        "seconds": seconds,
        "confusion": confusion,
        "ranks": comparison.ranks(repeats),
        "omnibus": comparison.omnibus(repeats),
        "pairwise": comparison.pairwise(repeats),
        "pairwise_within": comparison.pairwise_within(metrics),
    }


def _described(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    headers: Headers,
    *,
    fits: Tables,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """Return the tables on data sets, on fits and on permutation tests."""
    diagnosed = {}
    for name in ("normality", "normality_within", "dependence", "dependence_test"):
        diagnosed[name] = read_tables(owners["diagnosed"], files[name], DIAGNOSTIC_TABLES[name])
    permuted = read_tables(
        owners["permuted"], files["permutation"], PERMUTATION_TABLES["permutation"]
    )
    permuted |= _read_checks(owners, files, "label_test", owners["tested"])
    notes = [read_parquet(path, NOTES_TABLE) for path in files["notes"]]
    return {
        "datasets": study_overview.datasets(headers, fits),
        "class_sizes": study_overview.class_sizes(headers),
        "notes": _join_tables(notes, NOTES_TABLE),
        "problems": study_overview.problems(fits),
        "permutation_tests": _with_owner(permuted, "permutation_tests"),
        "diagnostics": study_overview.diagnostics(diagnosed, alpha),
        "p_values": study_overview.p_values(diagnosed["normality"]),
    }


def _checked(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    headers: Headers,
) -> dict[str, pd.DataFrame]:
    """Return the checks of classifiers and the audit of all data sets, as tables of the study."""
    curves = _read_checks(owners, files, "learning_curve", owners["tested"])
    tables = {
        "random_genes": _with_owner(_read_random_genes(owners, files), "random_genes"),
        "learning_curve": _with_owner(curves, "learning_curve"),
    }
    for name, schema in AUDIT_TABLES.items():
        tables[name] = _with_owner(read_tables(owners["datasets"], files[name], schema), name)
    paths = dict(zip(owners["datasets"], files["series"], strict=True))
    further = [phenotype_checks(headers[name]) for name in paths]
    further.append(shared_by_series(paths))
    return tables | {"audit": _join_tables([tables["audit"], *further], STUDY_TABLES["audit"])}


def _with_owner(tables: Mapping[Any, pd.DataFrame], name: str) -> pd.DataFrame:
    """Return tables of data sets, or of classifiers on them, as one table of the study."""
    owned = []
    for key, table in tables.items():
        dataset, classifier = (key, "") if isinstance(key, str) else key
        owned.append(table.assign(dataset=dataset, classifier=classifier))
    return _join_tables(owned, STUDY_TABLES[name])


def read_training(
    owners: Mapping[str, Sequence[Any]], files: Mapping[str, Sequence[str]], name: str
) -> Tables:
    """Return a table of training of every classifier of a study, in the order of its tables.

    For ``owners`` and ``files`` see `study_tables`.
    """
    tables: dict[Key, pd.DataFrame] = {}
    for (dataset, folds, classifiers), path in zip(owners["jobs"], files[name], strict=True):
        for classifier, table in read_stacked(path, TRAINING_TABLES[name], classifiers).items():
            tables[dataset, folds, classifier] = table
    return {tuple(key): tables[tuple(key)] for key in owners["trained"]}


def _read_random_genes(
    owners: Mapping[str, Sequence[Any]], files: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the comparison with random genes of the first classifiers, by data set."""
    tested = [tuple(key) for key in owners["tested"]]
    tables = {}
    for (dataset, _, classifiers), path in zip(owners["jobs"], files["random_genes"], strict=True):
        stacked = read_stacked(path, CHECK_TABLES["random_genes"], classifiers)
        for classifier, table in stacked.items():
            if (dataset, classifier) in tested and len(table):
                tables[dataset, classifier] = table
    empty = pd.DataFrame(columns=CHECK_TABLES["random_genes"].fixed)
    return {key: tables.get(key, empty) for key in tested}


def _read_checks(
    owners: Mapping[str, Sequence[Any]],
    files: Mapping[str, Sequence[str]],
    name: str,
    keys: Sequence[Any],
) -> dict[tuple[str, str], pd.DataFrame]:
    """Return a check of classifiers by data set and classifier, ``keys`` in their order."""
    wanted = [(key[0], key[1]) for key in keys]
    tables: dict[tuple[str, str], pd.DataFrame] = {}
    for checked, path in zip(owners["checked"], files[name], strict=True):
        classifiers = [classifier for dataset, classifier in wanted if dataset == checked]
        stacked = read_stacked(path, CHECK_TABLES[name], classifiers)
        tables |= {(checked, classifier): table for classifier, table in stacked.items()}
    return {key: tables[key] for key in wanted}


def _join_tables(tables: Sequence[pd.DataFrame], schema: TableSchema) -> pd.DataFrame:
    parts = [table for table in tables if len(table)]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=schema.fixed)
    open_ended = tuple(name.partition("{")[0] for name in schema.columns if "{" in name)
    return whole[schema.fixed + [name for name in whole if name.startswith(open_ended)]]
