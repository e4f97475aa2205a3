"""What the report of a study is made of: its sections, and records of its jobs.

The rules read it, too: nothing heavy is imported here.
"""

from collections.abc import Mapping, Sequence

from xnbflow.data.contract import benchmark_of
from xnbflow.data.entries import Analysis
from xnbflow.data.study import Study

__all__ = ["SECTIONS", "benchmarks", "figure_labels", "section_modules"]

_ANALYSES = "those of the analyses"
#: The sections of a page in order: first what was found and what the study is about, then what it
#: rests on, last what was run. Beside each module the attribute of a `Study` that calls for it.
SECTIONS = {
    "xnbflow.report.sections.answer": "classifiers",
    "xnbflow.report.sections.signature": "final",
    "xnbflow.report.sections.validation": "validate",
    _ANALYSES: "analyses",
    "xnbflow.report.sections.explanation": "classifiers",
    "xnbflow.report.sections.samples": "classifiers",
    "xnbflow.report.sections.accuracy": "classifiers",
    "xnbflow.report.sections.comparison": "classifiers",
    "xnbflow.report.sections.diagnostics": "diagnostics",
    "xnbflow.report.sections.overview": "id",
    "xnbflow.report.sections.methods": "id",
}


def section_modules(study: Study, analyses: Mapping[str, Analysis]) -> list[str]:
    """Return the modules that hold the sections of a study's report, in order.

    Parameters
    ----------
    study : Study
        Its configuration.
    analyses : mapping of str to Analysis
        Those that it names, or all that are known.
    """
    of_analyses = [analyses[name].section for name in study.analyses]
    called_for = [name for name, attribute in SECTIONS.items() if getattr(study, attribute)]
    lists = [of_analyses if name == _ANALYSES else [name] for name in called_for]
    return [module for modules in lists for module in modules if module]


def benchmarks(study: Study) -> dict[str, list[str]]:
    """Return patterns of the files in which Snakemake records a study's jobs, per stage.

    A job of ``classify`` is recorded under its first classifier only.
    """
    trained = [
        dict(zip(("dataset", "folds", "classifier"), each, strict=True)) for each in study.trained
    ]
    stages = {
        "acquire": [{"dataset": name} for name in study.datasets],
        "diagnose": [{"dataset": name} for name in study.datasets if study.diagnostics],
        "classify": trained,
        "train": [{**each, "batch": "*"} for each in trained],
        "compare": [{"study": study.id}],
        "validate": [{"study": study.id} for _ in study.validate[:1]],
        "analyse": [{"study": study.id, "analysis": name} for name in study.analyses],
    }
    return {
        stage: [benchmark_of(stage).of(**job) for job in jobs]
        for stage, jobs in stages.items()
        if jobs
    }


#: What stands for the data set of a figure that shows several, or none.
OF_ALL = "all data sets"


def figure_labels(
    figure: str, datasets: Sequence[str], folds: Sequence[str], classifiers: Sequence[str]
) -> dict[str, str]:
    """Return what a figure shows, by its name.

    Parameters
    ----------
    figure : str
        Its kind and, as far as it is of one, a data set, scheme of folds, classifier and number,
        with hyphens between them.
    datasets, folds, classifiers : sequence of str
        The ids of the study's.

    Returns
    -------
    dict of str to str
        ``data set``, ``figure``, ``folds``, ``classifier`` and ``number``; all but the first two
        are empty where the figure is not of one.

    Examples
    --------
    >>> labels = figure_labels("density-wine-10-fold-xnb-07", ["wine"], ["10-fold"], ["xnb"])
    >>> list(labels.values())
    ['wine', 'density', '10-fold', 'xnb', '07']
    >>> figure_labels("trade-off", ["wine"], ["10-fold"], ["xnb"])["data set"]
    'all data sets'
    """
    kind, dataset, rest = _parted(figure, datasets, 1)
    if dataset:
        before, scheme, after = _parted(rest, folds)
        rest = after if scheme else before
    else:
        kind, scheme, rest = _parted(figure, folds, 1)
    before, classifier, after = _parted(rest, classifiers)
    return {
        "data set": dataset or OF_ALL,
        "figure": kind,
        "folds": scheme,
        "classifier": classifier,
        "number": after if classifier else before,
    }


def _parted(text: str, names: Sequence[str], least: int = 0) -> tuple[str, str, str]:
    """Return what stands before and after the longest of some names in a text, between hyphens.

    Before it there are ``least`` characters or more.
    """
    for name in sorted(names, key=len, reverse=True):
        found = f"-{text}-".find(f"-{name}-", least)
        if found >= 0:
            return text[: max(0, found - 1)], name, text[found + len(name) + 1 :]
    return text, "", ""
