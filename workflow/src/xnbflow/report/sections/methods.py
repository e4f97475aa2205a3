"""Methods and citation: the exact configuration, the formulas' sources, how to cite, the tables."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from xnbflow import __version__
from xnbflow.report.manuscript.paragraphs import facts, render
from xnbflow.report.manuscript.references import cited_keys, in_words
from xnbflow.report.manuscript.writer import bibtex, sections_of_text
from xnbflow.report.page.blocks import Block, Code, Group, Links, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.sources.sheet import SheetRow, sheet_text


def section(results: StudyResults) -> Section:
    """Return the information to repeat, to check and to cite the study."""
    text = render("methods.md", facts(results))
    rows = dict(results.configuration.get("datasets", {}))
    configuration = {k: v for k, v in results.configuration.items() if k != "datasets"}
    plain = json.loads(json.dumps(configuration, default=str))
    yaml_text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100).strip()
    files = [
        results.tables,
        results.cohorts,
        results.validation,
        *map(results.analysis, results.analyses.values()),
    ]
    blocks: list[Block] = [
        Prose(
            f"Cite this software (version {__version__}) and the paper whose method you use. To "
            "repeat the study, save the configuration below as study.yaml, and a sheet of data "
            "sets that is not part of the workflow under its name, and run the command."
        ),
        Code(
            f"xnbflow run {results.study.id} --configfile study.yaml",
            "To repeat the study",
        ),
        *_in_words(text),
        Group("References (BibTeX)", [Code(bibtex(cited_keys(text)), "The works cited above")]),
        Links([link for tables in files for link in tables.links()]),
        Group("Configuration", [Code(yaml_text, "The study as configured (YAML)")]),
    ]
    if rows:
        blocks.append(Group("Data sets", list(_sheets(rows))))
    return Section(
        "methods",
        "Methods and citation",
        "The exact configuration, and every number on this page as a table for further use.",
        blocks,
    )


def _in_words(text: str) -> Iterator[Group]:
    """Yield the methods in words, a group for each heading."""
    for title, body in sections_of_text(text).items():
        yield Group(title, [Prose(in_words(part)) for part in body.split("\n\n")])


def _sheets(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Code]:
    """Yield the study's rows of each sheet of data sets."""
    sheets: dict[str, list[SheetRow]] = {}
    for row in rows.values():
        dataset = SheetRow(**{key: value for key, value in row.items() if key != "sheet"})
        sheets.setdefault(row["sheet"], []).append(dataset)
    for name, datasets in sheets.items():
        yield Code(sheet_text(datasets), f"{name}: the rows of this study (separated by tabs)")
