"""What the report of a study is made of: its sections, and records of its jobs.

The rules read it, too: nothing heavy is imported here.
"""

from collections.abc import Mapping

from xnbflow.data.contract import benchmark_of
from xnbflow.data.entries import Analysis
from xnbflow.data.study import Study

__all__ = ["SECTIONS", "benchmarks", "section_modules"]

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
