"""Sections of a page."""

from dataclasses import replace

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.report.outline import OPTIONAL, section_modules
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
    some = replace(study, omit_sections=("context", "samples"))
    left_out = set(section_modules(study, {})) - set(section_modules(some, {}))
    assert {name.rpartition(".")[2] for name in left_out} == {"context", "samples"}


def test_the_section_of_a_paper_is_the_first_of_its_page():
    """Its question is that of the study; the sections of the series follow."""
    configuration = default_configuration()
    analyses = known_analyses()
    for study in _read_studies(configuration).values():
        if study.analyses:
            first = section_modules(study, analyses)[0]
            assert first == analyses[next(iter(study.analyses))].section


def test_missing_data_sets_have_a_section_that_cannot_be_left_out():
    study = _read_studies(default_configuration())["baselines"]
    missing = study.without({"Khan2001": "no place has it"})
    assert "xnbflow.report.sections.missing" in section_modules(missing, known_analyses())
    assert "xnbflow.report.sections.missing" not in section_modules(study, known_analyses())
    assert "missing" not in OPTIONAL
