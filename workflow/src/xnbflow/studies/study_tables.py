"""The tables of a study, from the files of its data sets and classifiers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from xnbflow.core.study import Study
from xnbflow.diagnostics.series_fingerprints import shared_by_series
from xnbflow.evaluation.keyed_tables import Headers, Key, Tables
from xnbflow.inference.class_pairs import class_pairs
from xnbflow.inference.equal_priors import equal_priors
from xnbflow.inference.estimates import areas, estimates, pooled_performance
from xnbflow.inference.headlines import headline_table, subject
from xnbflow.inference.intervals import inflation_of
from xnbflow.inference.verdict_reasons import Reason
from xnbflow.inference.verdicts import (
    class_pair_reasons,
    cohort_reasons,
    column_reasons,
    reasons_of_data,
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
from xnbflow.studies.concordances import concordances, graded_audit, inseparable
from xnbflow.studies.phenotype_checks import phenotype_checks
from xnbflow.studies.study_inputs import StudyInputs
from xnbflow.tables.contract import (
    AUDIT_TABLES,
    DIAGNOSTIC_PATH,
    NOTES,
    NOTES_TABLE,
    STUDY_TABLES,
    TRUTH,
    TRUTH_TABLE,
    TableSchema,
)


def study_tables(
    inputs: StudyInputs,
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    *,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """Make every table of a study but those of `xnbflow.studies.gene_lists`.

    ``entries`` have per data set the classifiers' configuration by id: intervals of those that tune
    themselves are wider. ``alpha`` is the level of the normality test.
    """
    # What the jobs wrote.
    headers = inputs.headers()
    predictions = inputs.training("predictions")
    selected = inputs.training("selected")
    ties = inputs.training("ties")
    fits = inputs.training("fits")
    halves = inputs.checked("halves", inputs.checks.halved)
    agreement = inputs.checked("agreement", inputs.checks.halved)
    planted = inputs.of_datasets(TRUTH, TRUTH_TABLE)
    planted = {name: table for name, table in planted.items() if len(table)}
    configured = {key: entries[key[0]][key[2]] for key in predictions}
    inflations = {key: inflation_of(entry) for key, entry in configured.items()}

    # Data sets and their checks, the scores of folds, and the selected features.
    tables = {
        **checked_tables(inputs, headers),
        **_dataset_tables(inputs, headers, fits=fits, alpha=alpha),
        **_score_tables(predictions, fits, headers),
        "selection": selected_features.selection(selected, fits, halves),
        "ties": selected_features.ties(ties, fits),
        "stability": selected_features.stability(
            selected, fits, headers, halves, agreement=agreement
        ),
        "recovery": selected_features.recovery(selected, fits, planted),
    }

    # Estimates, verdicts and headline; the audit is graded by them.
    tables |= _verdict_tables(
        inputs.study,
        tables=tables,
        predictions=predictions,
        fits=fits,
        headers=headers,
        inflations=inflations,
        cohort_tests=inputs.cohort_tests(),
    )

    # How far the probabilities of classifiers are right, and their ROC curves.
    probabilities = probability_tables.probabilities
    tables |= {
        "calibration": probabilities("calibration", predictions, headers, inflations),
        "confidence": probabilities("confidence", predictions, headers, inflations),
        "sets": probability_tables.sets(predictions, headers, inflations),
        "roc": probability_tables.roc(predictions, fits, headers),
        "equal_priors": equal_priors(predictions, headers, configured),
    }

    # How often each sample is misclassified, and whose labels are doubtful.
    samples = sample_errors.samples(predictions, tables["estimates"])
    limited = inseparable(tables["concordance"])
    return tables | {
        "samples": samples,
        "hard_samples": sample_errors.hard_samples(samples),
        "suspects": sample_errors.suspects(samples, tables["audit"], limited),
        "misclassified": sample_errors.misclassified(samples),
    }


def _verdict_tables(
    study: Study,
    *,
    tables: Mapping[str, pd.DataFrame],
    predictions: Tables,
    fits: Tables,
    headers: Headers,
    inflations: Mapping[Key, float],
    cohort_tests: pd.DataFrame,
) -> dict[str, pd.DataFrame]:
    """Return the tables that need the classifier of the headline.

    The parameters are those of `study_tables`, the ``tables`` that it has made before, and the
    ``cohort_tests`` of `StudyInputs.cohort_tests`. The intervals of the classifier that was chosen
    by its results are corrected for the candidates.
    """
    # The performance of each classifier; that of the chosen one is corrected for the candidates.
    chosen, candidates = subject(study, tables["selection"], tables["averages"])
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

    # Whether columns of the samples, or single pairs of classes, explain the result.
    audit = tables["audit"]
    biology = {name: study.design_of(name).biology for name in headers}
    within, within_pairs = concordances(predictions, headers, audit, biology)
    of_classes = class_pairs(
        predictions,
        headers,
        inflations,
        {key: candidates for key in predictions if key[2] == chosen},
    )

    # The verdicts, by all evidence.
    judged = verdicts(
        performances,
        headers,
        fits={key: (failed[key], len(table)) for key, table in fits.items()},
        stability=tables["stability"],
        permutation_tests=tables["permutation_tests"],
        further=further_reasons(
            fits,
            headers,
            audit=audit,
            column_pairs=within_pairs,
            pairs_of_classes=of_classes,
            cohort_tests=cohort_tests,
        ),
    )
    return {
        "estimates": estimated,
        "class_pairs": of_classes,
        "concordance": within,
        "concordance_pairs": within_pairs,
        "audit": graded_audit(audit, within, classifier=chosen, headers=headers),
        **judged,
        "headline": headline_table(study, chosen, tables["summary"], estimated),
    }


def further_reasons(
    fits: Tables,
    headers: Headers,
    *,
    audit: pd.DataFrame,
    column_pairs: pd.DataFrame,
    pairs_of_classes: pd.DataFrame,
    cohort_tests: pd.DataFrame,
) -> dict[Key, list[Reason]]:
    """Return the reasons against each classifier that its recalls alone do not show.

    ``column_pairs`` is the table ``concordance_pairs``, ``pairs_of_classes`` the table
    ``class_pairs``, and ``cohort_tests`` those of `StudyInputs.cohort_tests`.
    """
    of_data = reasons_of_data(audit, headers)
    of_columns = column_reasons(column_pairs, headers)
    of_classes = class_pair_reasons(pairs_of_classes)
    of_cohorts = cohort_reasons(cohort_tests)
    reasons = {}
    for key in fits:
        dataset, _, classifier = key
        reasons[key] = [
            *of_data[dataset],
            *of_columns.get(key, ()),
            *of_classes.get(key, ()),
            *of_cohorts.get((dataset, classifier), ()),
        ]
    return reasons


def _score_tables(predictions: Tables, fits: Tables, headers: Headers) -> dict[str, pd.DataFrame]:
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


def _dataset_tables(
    inputs: StudyInputs, headers: Headers, *, fits: Tables, alpha: float
) -> dict[str, pd.DataFrame]:
    """Return the tables on data sets, on fits and on permutation tests."""
    names = ("normality", "normality_within", "dependence", "dependence_test")
    diagnosed = {name: inputs.diagnosed(name) for name in names}
    permuted = inputs.permutation_tests() | inputs.checked("label_test", inputs.checks.tested)
    notes = list(inputs.of_datasets(NOTES, NOTES_TABLE).values())
    return {
        "datasets": study_overview.datasets(headers, fits),
        "class_sizes": study_overview.class_sizes(headers),
        "notes": _join_tables(notes, NOTES_TABLE),
        "problems": study_overview.problems(fits),
        "permutation_tests": _with_keys(permuted, "permutation_tests"),
        "diagnostics": study_overview.diagnostics(diagnosed, alpha),
        "p_values": study_overview.p_values(diagnosed["normality"]),
    }


def checked_tables(inputs: StudyInputs, headers: Headers) -> dict[str, pd.DataFrame]:
    """Return the checks of classifiers and the audit of all data sets, as tables of the study."""
    curves = inputs.checked("learning_curve", inputs.checks.tested)
    tables = {
        "random_genes": _with_keys(inputs.random_genes(), "random_genes"),
        "learning_curve": _with_keys(curves, "learning_curve"),
    }
    for name, schema in AUDIT_TABLES.items():
        path = DIAGNOSTIC_PATH.fill(table=name)
        tables[name] = _with_keys(inputs.of_datasets(path, schema), name)
    # Findings about the phenotype alone, and about samples in several series, need all headers.
    audits = [tables["audit"], *(phenotype_checks(header) for header in headers.values())]
    audits.append(shared_by_series(inputs.series_paths))
    return tables | {"audit": _join_tables(audits, STUDY_TABLES["audit"])}


def _with_keys(tables: Mapping[Any, pd.DataFrame], name: str) -> pd.DataFrame:
    """Return tables of data sets, or of classifiers on them, as one table of the study."""
    keyed = []
    for key, table in tables.items():
        dataset, classifier = (key, "") if isinstance(key, str) else key
        keyed.append(table.assign(dataset=dataset, classifier=classifier))
    return _join_tables(keyed, STUDY_TABLES[name])


def _join_tables(tables: Sequence[pd.DataFrame], schema: TableSchema) -> pd.DataFrame:
    """Return the rows of several tables, with the columns of the contract."""
    parts = [table for table in tables if len(table)]
    whole = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=schema.fixed)
    open_ended = tuple(name.partition("{")[0] for name in schema.columns if "{" in name)
    return whole[schema.fixed + [name for name in whole if name.startswith(open_ended)]]
