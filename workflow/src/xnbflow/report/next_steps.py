"""Next steps after a result, in the order in which a statistician would take them."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.core.counts import counted, listed
from xnbflow.inference.verdicts import INSEPARABLE
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import contradictions, difference_of, quoted_columns

#: Suspected labels, and columns, that are named.
_MOST_NAMED = 4
#: Least gain of balanced accuracy by twice the samples for their recommendation.
_WORTH_SAMPLES = 0.03
#: Steps after warnings of the audit, by its check.
_ERRORS = {
    "repeated sample": "leave copies of samples out, or keep them together in folds (group=)",
    "scale": "correct the scale of the values (see the audit)",
    "sex": "check the samples whose recorded sex does not fit",
}


def next_steps(results: StudyResults, place: dict[str, str]) -> list[str]:
    """Return recommended steps, the most urgent first; ``place`` is data set, folds, classifier.

    A column that separates the classes completely comes first, since no analysis of these samples
    corrects the design; later samples, cohorts and assays of the same design are not recommended
    then. Errors in the data come before other associated columns, these before more samples, and
    a second cohort comes before an assay.
    """
    columns = results.rows("concordance", **place)
    columns = columns[columns["status"].isin(INSEPARABLE)]
    complete = columns[columns["pairs"] == 0]
    of_pairs = columns[columns["inseparable"] != ""].head(1)
    if len(complete):
        names, sizes = _quoted(complete), results.rows("class_sizes", dataset=place["dataset"])
        classes = "both classes" if len(sizes) == 2 else "all classes"
        design = (
            f"compare the classes in a cohort where {classes} have the same {names}: in these "
            f"samples effects of the class and of {names} cannot be separated"
        )
        return [design, *_errors(results, place["dataset"])]
    if len(of_pairs):
        classes = difference_of(of_pairs["inseparable"].iloc[0])
        names = quoted_columns(of_pairs["column"].iloc[0])
        design = (
            f"compare the classes in a cohort where they have the same {names}: in these samples "
            f"the difference between {classes} cannot be separated from {names}"
        )
        return [design, *_errors(results, place["dataset"])]
    batch = columns[columns["handling"].astype(bool)].head(1)
    steps = [*_errors(results, place["dataset"])]
    if len(batch):
        balanced = f"{_quoted(batch)} balanced over the classes"
        steps.append(f"repeat the study with {balanced}, or adjust for it")
    return [*steps, *_confirmation(results, place)]


def _quoted(columns: pd.DataFrame) -> str:
    return listed([quoted_columns(name) for name in columns["column"]], _MOST_NAMED)


def _errors(results: StudyResults, dataset: str) -> Iterator[str]:
    """Yield steps to correct values, samples and labels."""
    audit = results.rows("audit", dataset=dataset)
    found = {*audit.loc[audit["severity"].isin(["severe", "warning"]), "check"]}
    yield from (step for check, step in _ERRORS.items() if check in found)
    suspects = results.rows("suspects", dataset=dataset)["sample"].tolist()
    if suspects:
        names = listed(suspects, _MOST_NAMED)
        yield f"check {counted(len(suspects), 'label')} that all classifiers doubt ({names})"


def _confirmation(results: StudyResults, place: dict[str, str]) -> Iterator[str]:
    """Yield steps to more samples, other cohorts and assays."""
    dataset, classifier = place["dataset"], place["classifier"]
    noun, row = results.noun(dataset), results.rows("verdicts", **place).iloc[0]
    supported = row["level"] != "not supported"
    curve = results.rows("learning_curve", dataset=dataset, classifier=classifier)
    forecast = curve[(curve["kind"] == "forecast") & ~curve["unreliable"].astype(bool)]
    if "stability unknown" in row["reasons"]:
        yield f"add samples: with these the stability of the {noun}s cannot be judged"
    elif "stability" in row["reasons"]:
        yield f"add samples: halves of these select different {noun}s"
    elif len(forecast):
        now, last = forecast.iloc[0], forecast.iloc[-1]
        gain = last["balanced_accuracy"] - now["balanced_accuracy"]
        more = "add samples" if gain > _WORTH_SAMPLES else "more samples would add little"
        n_samples = f"{last['training_samples']:,.0f} training samples"
        yield f"{more} (forecast {last['balanced_accuracy']:.0%} with {n_samples})"
    elif not supported:
        yield "add samples"
    elsewhere = contradictions(results, dataset, classifier)
    if elsewhere:
        yield f"find out why {elsewhere[0]}"
    elif supported:
        if not (results.study.validate or results.study.cohorts):
            yield "test the model on a second cohort (option validate)"
        if (dataset, classifier) in results.study.models:
            yield f"choose {noun}s for an assay with “xnbflow panel”"
