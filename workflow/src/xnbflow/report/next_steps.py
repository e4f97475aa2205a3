"""Next steps after a result, in the order in which a statistician would take them."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.core.nouns import counted, listed
from xnbflow.inference.verdicts import INSEPARABLE
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import (
    contradictions,
    difference_of,
    most_are_selected,
    quoted_columns,
)

#: Suspected labels, and columns, that are named.
_MOST_NAMED = 4
#: Gain of balanced accuracy by twice the samples; above it more samples are recommended.
_WORTH_SAMPLES = 0.03
#: Differences of gains that rounding makes.
_ROUNDING = 1e-9
#: Steps after warnings of the audit, by its check.
_CORRECTIONS = {
    "repeated sample": "leave copies of samples out, or keep them together in folds (group=)",
    "scale": "correct the scale of the values (see the audit)",
    "sex": "check the samples whose recorded sex does not fit",
}


def next_steps(results: StudyResults, place: dict[str, str]) -> list[str]:
    """Return recommended steps, the most urgent first; ``place`` is data set, folds, classifier.

    A column that cannot be separated from the class comes first, since no analysis of these samples
    corrects the design, and adjustment does not, either; later samples, cohorts and assays of the
    same design are not recommended then. Errors in the data come before more samples, and a second
    cohort comes before an assay.
    """
    dataset = place["dataset"]
    columns = results.rows("concordance", **place)
    columns = columns[columns["status"].isin(INSEPARABLE) & columns["limits"].astype(bool)]
    if design := _other_design(results, dataset, columns):
        return [design, *_corrections(results, dataset)]
    return [*_corrections(results, dataset), *_confirmations(results, place)]


def _other_design(results: StudyResults, dataset: str, columns: pd.DataFrame) -> str:
    """Return the design in which columns do not separate the classes; empty if none does here."""
    complete = columns[columns["pairs"] == 0]
    if len(complete):
        names = _quoted(complete)
        n_classes = len(results.rows("class_sizes", dataset=dataset))
        classes = "both classes" if n_classes == 2 else "all classes"
        return (
            f"compare the classes in a cohort where {classes} have the same {names}: in these "
            f"samples effects of the class and of {names} cannot be separated"
        )
    separating_pairs = columns[columns["inseparable"] != ""]
    if separating_pairs.empty and len(columns):
        names = _quoted(columns)
        return (
            f"compare the classes in samples in which {names} does not go with the class: in these "
            f"samples {names} explains the classes as well as the features do, and no adjustment "
            "separates the two"
        )
    if separating_pairs.empty:
        return ""
    column = separating_pairs.iloc[0]
    name = quoted_columns(column["column"])
    return (
        f"compare the classes in a cohort where they have the same {name}: in these samples the "
        f"difference between {difference_of(column['inseparable'])} cannot be separated from {name}"
    )


def _quoted(columns: pd.DataFrame) -> str:
    return listed([quoted_columns(name) for name in columns["column"]], _MOST_NAMED)


def _corrections(results: StudyResults, dataset: str) -> Iterator[str]:
    """Yield steps to correct values, samples and labels."""
    audit = results.rows("audit", dataset=dataset)
    checks = set(audit.loc[audit["severity"].isin(["severe", "warning"]), "check"])
    for check, step in _CORRECTIONS.items():
        if check in checks:
            yield step
    suspects = results.rows("suspects", dataset=dataset)["sample"].tolist()
    if suspects:
        names = listed(suspects, _MOST_NAMED)
        yield f"check {counted(len(suspects), 'label')} that the classifiers doubt ({names})"


def _confirmations(results: StudyResults, place: dict[str, str]) -> Iterator[str]:
    """Yield steps to more samples, other cohorts and assays."""
    dataset = place["dataset"]
    classifier = place["classifier"]
    if step := _more_samples(results, place):
        yield step
    against = contradictions(results, dataset, classifier)
    if against:
        yield f"find out why {against[0]}"
    elif _is_supported(results, place):
        if not (results.study.validate or results.study.cohorts):
            yield "test the model on a second cohort (option validate)"
        if (dataset, classifier) in results.study.models:
            yield f"choose {results.noun(dataset)}s for an assay with “xnbflow panel”"


def _is_supported(results: StudyResults, place: dict[str, str]) -> bool:
    level = results.rows("verdicts", **place)["level"].iloc[0]
    return bool(level != "not supported")


def _more_samples(results: StudyResults, place: dict[str, str]) -> str:
    """Return whether more samples are needed, by stability first, then by the forecast."""
    dataset = place["dataset"]
    classifier = place["classifier"]
    noun = results.noun(dataset)
    limits = results.rows("verdicts", **place)["reasons"].iloc[0].split("; ")
    curve = results.rows("learning_curve", dataset=dataset, classifier=classifier)
    forecasts = curve[(curve["kind"] == "forecast") & ~curve["unreliable"].astype(bool)]
    if "stability unknown" in limits:
        return f"add samples: with these the stability of the {noun}s cannot be judged"
    if "stability" in limits and most_are_selected(results, place):
        return f"add samples: with these most {noun}s are selected"
    if "stability" in limits:
        return f"add samples: halves of these select different {noun}s"
    if len(forecasts):
        today, twice = forecasts.iloc[0], forecasts.iloc[-1]
        gain = twice["balanced_accuracy"] - today["balanced_accuracy"]
        worth = gain > _WORTH_SAMPLES + _ROUNDING
        advice = "add samples" if worth else "more samples would add little"
        n_samples = f"{twice['training_samples']:,.0f} training samples"
        return f"{advice} (forecast {twice['balanced_accuracy']:.0%} with {n_samples})"
    return "" if _is_supported(results, place) else "add samples"
