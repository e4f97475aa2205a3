"""What the report of a study is made of: its sections, and records of its jobs.

The rules read it, too: nothing heavy is imported here.
"""

from xnbflow.data.contract import benchmark_of
from xnbflow.studies.registry import known_analyses
from xnbflow.workflow.config import Study

__all__ = ["benchmarks", "section_modules"]


def section_modules(study: Study) -> list[str]:
    """Return the modules that hold the sections of a study's report, in order.

    First what was found and what the study is about, then what it rests on, last what was run.
    """
    names: list[str] = []
    if study.classifiers:
        names += ["answer", "explanation", "samples", "accuracy", "comparison"]
    if study.diagnostics and study.datasets:
        names.append("diagnostics")
    kept = ["signature"] * bool(study.final) + ["validation"] * bool(study.validate)
    general = "xnbflow.report.sections"
    return [
        *(f"{general}.{name}" for name in [*names[:1], *kept]),
        *filter(None, (known_analyses()[name].section for name in study.analyses)),
        *(f"{general}.{name}" for name in [*names[1:], "overview", "methods"]),
    ]


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
