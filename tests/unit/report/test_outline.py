"""Sections of a page."""

from dataclasses import replace

from xnbflow.core.study import Study
from xnbflow.report.outline import section_modules


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
