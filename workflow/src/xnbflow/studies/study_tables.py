"""The tables of a study, from the files of its data sets and classifiers.

`study_tables` reads the files, and makes the tables in an order in which each has what it needs:
data sets and folds first, then estimates and verdicts, then what depends on these.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow.core.findings import Finding
from xnbflow.core.study import Study
from xnbflow.diagnostics.series_fingerprints import shared_by_series
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables
from xnbflow.inference.class_pairs import class_pairs
from xnbflow.inference.equal_priors import with_equal_priors
from xnbflow.inference.estimates import areas, estimates, pooled_performance
from xnbflow.inference.headlines import headline_classifier, headline_table
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.verdicts import (
    class_pair_findings,
    cohort_findings,
    column_findings,
    verdicts,
)
from xnbflow.studies import (
    comparison,
    fold_scores,
    probability_tables,
    sample_errors,
    selected_features,
    study_overview,
)
from xnbflow.studies.description import SELECTION_KEY, description_tables
from xnbflow.studies.recognition import inseparable, recognition
from xnbflow.studies.study_reader import DatasetClassifier, StudyReader
from xnbflow.tables.contract import GROUPS


def study_tables(
    inputs: StudyReader,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    *,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """Make every table of a study.

    ``entries`` have per data set the classifiers' configuration by id: intervals of those that tune
    themselves are wider. ``alpha`` is the level of the normality test.
    """
    tables = _results(inputs, entries, alpha=alpha)
    described = description_tables(inputs, entries)
    profiles = described.pop("profiles")
    selection = tables["selection"].merge(
        profiles, on=SELECTION_KEY, how="left", validate="one_to_one"
    )
    return {**tables, **described, "selection": selection}


def _results(
    inputs: StudyReader,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    *,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """Return the tables of results: data sets, estimates, verdicts, selected features, samples.

    ``selection`` is without the columns `xnbflow.studies.description.PROFILE`.
    """
    # The files of the jobs.
    headers = inputs.headers()
    predictions = inputs.training_tables("predictions")
    selected = inputs.training_tables("selected")
    fits = inputs.training_tables("fits")
    halves = inputs.check_tables("halves", inputs.checks.halves)
    agreement = inputs.check_tables("agreement", inputs.checks.halves)
    truths = inputs.dataset_tables("acquired", "truth")
    planted = {name: table for name, table in truths.items() if len(table)}

    # The configuration of each classifier, and by how much it widens intervals.
    configurations = {}
    for dataset, folds, classifier in predictions:
        configurations[dataset, folds, classifier] = entries[dataset][classifier]
    inflations = {key: inflation_of(entry) for key, entry in configurations.items()}

    # Data sets and their checks, the scores of folds, and the selected features.
    tables = {
        **_dataset_tables(inputs, headers, fits=fits, alpha=alpha),
        **_score_tables(predictions, fits, headers),
        "selection": selected_features.selection(selected, fits, halves),
        "stability": selected_features.stability(
            selected, fits, headers, halves, agreement=agreement, truth=planted
        ),
    }

    # Estimates, verdicts and headline.
    tables |= _result_tables(
        inputs.study,
        tables=tables,
        data_findings=data_findings(inputs),
        associations=inputs.tables("audit")["associations"],
        predictions=predictions,
        fits=fits,
        headers=headers,
        configurations=configurations,
        inflations=inflations,
        cohort_tests=inputs.cohort_tests(),
    )

    # How far the probabilities of classifiers are right, and their ROC curves.
    tables |= {
        "calibration": probability_tables.calibration(predictions, headers, inflations),
        "sets": probability_tables.sets(predictions, headers, inflations),
        "roc": probability_tables.roc(predictions, fits, headers),
    }

    # How often each sample is misclassified, and whose labels are doubtful.
    samples = sample_errors.samples(predictions, tables["estimates"])
    inseparable_columns = inseparable(tables["recognition"])
    return tables | {
        "samples": samples,
        "suspects": sample_errors.suspects(samples, tables["findings"], inseparable_columns),
    }


def _result_tables(
    study: Study,
    *,
    tables: Mapping[str, pd.DataFrame],
    data_findings: pd.DataFrame,
    associations: pd.DataFrame,
    predictions: Tables,
    fits: Tables,
    headers: Headers,
    configurations: Mapping[Key, Mapping[str, Any]],
    inflations: Mapping[Key, float],
    cohort_tests: pd.DataFrame,
) -> dict[str, pd.DataFrame]:
    """Return the estimates, the verdicts with their findings, and the headline.

    ``tables`` are the tables of the study that are made before, ``data_findings`` the findings on
    its data sets, ``associations`` the table of their audits, ``cohort_tests`` the table of
    `StudyReader.cohort_tests`. If the classifier of the headline was chosen by its results, its
    intervals are corrected for the number of candidates.
    """
    # The performance of each classifier, and its AUCs.
    headline, n_candidates = headline_classifier(study, tables["selection"], tables["averages"])
    candidates = {key: n_candidates if key[2] == headline else 1 for key in predictions}
    performances = {}
    class_areas = {}
    for key, table in predictions.items():
        if len(table):
            header = headers[key[0]]
            performances[key] = pooled_performance(table, header, inflations[key], candidates[key])
            class_areas[key] = areas(table, header, inflations[key], candidates[key])
    n_failed = {key: int((table["status"] != "ok").sum()) for key, table in fits.items()}
    estimate_table = with_equal_priors(
        estimates(performances, headers, n_failed, class_areas),
        predictions,
        headers,
        configurations,
    )

    # Whether columns of the samples, or single pairs of classes, explain the result.
    biology = {name: study.design_of(name).biology for name in headers}
    recognition_table = recognition(predictions, headers, associations, biology)
    class_pair_table = class_pairs(predictions, headers, inflations, candidates)

    # The verdicts, by all evidence.
    verdict_tables = verdicts(
        performances,
        headers,
        fits={key: (n_failed[key], len(table)) for key, table in fits.items()},
        stability=tables["stability"],
        label_tests=tables["label_tests"],
        data_findings=data_findings,
        further=_further_findings(
            fits,
            headers,
            recognition_table=recognition_table,
            class_pair_table=class_pair_table,
            cohort_tests=cohort_tests,
        ),
    )
    return {
        "estimates": estimate_table,
        "class_pairs": class_pair_table,
        "recognition": recognition_table,
        **verdict_tables,
        "headline": headline_table(headline, tables["summary"], estimate_table),
    }


def _further_findings(
    fits: Tables,
    headers: Headers,
    *,
    recognition_table: pd.DataFrame,
    class_pair_table: pd.DataFrame,
    cohort_tests: pd.DataFrame,
) -> dict[Key, list[Finding]]:
    """Return the findings on each classifier that its recalls alone do not show.

    They come from columns of the samples, pairs of classes, and second cohorts.
    ``recognition_table`` and ``class_pair_table`` are the tables ``recognition`` and
    ``class_pairs`` of the study, ``cohort_tests`` the table of
    `StudyReader.cohort_tests`.
    """
    by_column = column_findings(recognition_table, headers)
    by_class_pair = class_pair_findings(class_pair_table)
    by_cohort = cohort_findings(cohort_tests)
    findings = {}
    for key in fits:
        dataset, _, classifier = key
        findings[key] = [
            *by_column.get(key, ()),
            *by_class_pair.get(key, ()),
            *by_cohort.get((dataset, classifier), ()),
        ]
    return findings


def _score_tables(predictions: Tables, fits: Tables, headers: Headers) -> dict[str, pd.DataFrame]:
    """Return the metrics of folds, repeats and classifiers, and how classifiers compare."""
    metrics = fold_scores.metrics(predictions, fits, headers)
    repeats = fold_scores.repeats(predictions, metrics, fits, headers)
    summary = fold_scores.summary(metrics, repeats, fits)
    confusion = probability_tables.confusion(predictions)
    return {
        "repeats": repeats,
        "summary": summary,
        "averages": fold_scores.averages(summary, confusion),
        "confusion": confusion,
        "ranks": comparison.ranks(repeats),
        "comparison": comparison.comparison(metrics, repeats),
    }


def _dataset_tables(
    inputs: StudyReader, headers: Headers, *, fits: Tables, alpha: float
) -> dict[str, pd.DataFrame]:
    """Return the tables on data sets, on fits and on label tests."""
    names = ("normality", "dependence", "dependence_test")
    diagnostic_tables = {name: inputs.diagnostic_tables(name) for name in names}
    diagnosed = study_overview.diagnostics(diagnostic_tables, alpha)
    label_tests = inputs.check_tables("label_test", inputs.checks.label_tests)
    return {
        "datasets": study_overview.datasets(headers, fits, diagnosed),
        "class_sizes": study_overview.class_sizes(headers),
        "problems": study_overview.problems(fits),
        "label_tests": _with_keys(label_tests, "label_tests"),
        "random_genes": _with_keys(inputs.random_genes(), "random_genes"),
    }


def data_findings(inputs: StudyReader) -> pd.DataFrame:
    """Return the findings on all data sets.

    Those of readers are in the files of *acquire*, those of the audit in the files of *diagnose*;
    those on samples in several series need the files of all series.
    """
    parts: list[pd.DataFrame] = []
    for group in ("audit", "acquired"):
        parts += inputs.dataset_tables(group, "findings").values()
    parts.append(shared_by_series(inputs.series_paths))
    return pd.concat(parts, ignore_index=True)


def _with_keys(tables: Mapping[DatasetClassifier, pd.DataFrame], name: str) -> pd.DataFrame:
    """Join tables by data set and classifier to a table of the study, with these columns."""
    columns = GROUPS["study"].tables[name].fixed
    parts = []
    for (dataset, classifier), table in tables.items():
        if len(table):
            parts.append(table.assign(dataset=dataset, classifier=classifier))
    joined = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return joined[columns]
