"""Methods and citation: the exact configuration, the formulas' sources, how to cite, the tables."""

import json

import yaml

from xnbflow import __version__
from xnbflow.report.manuscript.paragraphs import methods_in_words, sections_of_text
from xnbflow.report.manuscript.references import bibtex, cited_keys, in_words
from xnbflow.report.page.blocks import Block, Code, Group, Links, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("methods")


def section(results: StudyResults) -> Section:
    """Return the information to repeat, to check and to cite the study."""
    methods = methods_in_words(results)
    plain = json.loads(json.dumps(results.configuration, default=str))
    configuration = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100).strip()

    # The files of every table of the study, of second cohorts and of analyses.
    groups = [results.tables, results.tables_of("cohorts"), results.tables_of("validation")]
    groups += map(results.analysis, results.analyses.values())
    links: list[tuple[str, str, list[str]]] = []
    for tables in groups:
        links += tables.links()

    # The methods in words, a group for each heading.
    methods_blocks = []
    for title, body in sections_of_text(methods).items():
        paragraphs = [Prose(in_words(paragraph)) for paragraph in body.split("\n\n")]
        methods_blocks.append(Group(title, paragraphs))

    blocks: list[Block] = [
        Prose(_TEXTS["repeat"].format(version=__version__)),
        Code(
            f"xnbflow run {results.study.id} --configfile study.yaml",
            "To repeat the study",
        ),
        *methods_blocks,
        Group("References (BibTeX)", [Code(bibtex(cited_keys(methods)), "The works cited above")]),
        Links(links),
        Group("Configuration", [Code(configuration, "The study as configured (YAML)")]),
    ]
    return Section(
        "methods",
        "Methods and citation",
        "The exact configuration, and every number on this page as a table for further use.",
        blocks,
    )
