"""Sections of a page."""

from dataclasses import replace

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.report.outline import section_modules
from xnbflow.running.config import _read_studies
from xnbflow.running.project import default_configuration


def test_a_page_leaves_out_the_sections_that_a_study_omits():
    study = Study(
        id="s",
        title="s",
        summary="",
        datasets=("d",),
        classifiers=("c",),
        folds=("f",),
        diagnostics=False,
        analyses={},
    )
    some = replace(study, omit_sections=("audit", "samples"))
    left_out = set(section_modules(study, {})) - set(section_modules(some, {}))
    assert {name.rpartition(".")[2] for name in left_out} == {"audit", "samples"}


def test_the_section_of_a_paper_is_the_first_of_its_page():
    """Its question is that of the study; the sections of the series follow."""
    configuration = default_configuration()
    analyses = known_analyses()
    for study in _read_studies(configuration).values():
        if study.analyses:
            first = section_modules(study, analyses)[0]
            assert first == analyses[next(iter(study.analyses))].section
