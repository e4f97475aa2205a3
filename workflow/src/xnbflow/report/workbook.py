"""A study as a workbook: summary, genes and gene sets by contrast, core, samples, methods."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.atomic import write_atomically
from xnbflow.data.controls import shown_classes
from xnbflow.report.findings import finding_in_words
from xnbflow.report.manuscript.paragraphs import methods_in_words
from xnbflow.report.manuscript.references import in_words
from xnbflow.report.numbers import capitalized
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import headline_sentence, tests_sentence, verdict_sentence
from xnbflow.tables.storage import without_formula

#: Most letters of the name of a sheet.
_LONGEST = 31
#: Characters that the name of a sheet cannot have, and those that a cell cannot have.
_REFUSED = re.compile(r"[\[\]:*?/\\']+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
#: Most rows of a sheet.
_MOST_ROWS = 1_048_575
#: Sheets of gene sets, and the tables whose rows of all data sets they have.
_GENE_SETS = {"gene sets": "class", "gene sets of comparisons": "contrast"}
#: Width of columns in letters: of numbers, and at most of texts.
_NARROW = 12
_WIDE = 60


def write_workbook(results: StudyResults, path: Path) -> None:
    """Write the tables of a study as a workbook (Office Open XML), a sheet each.

    Text that a spreadsheet would run as a formula gets a ``'`` before it, as in TSV files. Sheets
    without rows are left out. It is a `ModuleNotFoundError` if openpyxl is not installed.
    """
    from openpyxl import Workbook  # noqa: PLC0415  an optional package

    book = Workbook(write_only=True)
    book.properties.creator = "xnbflow"  # by which a later export recognises its own file
    names: set[str] = set()
    for title, frame in _workbook_sheets(results):
        if len(frame) or title == "summary":
            _write_sheet(book, _sheet_name(title, names), frame)
    write_atomically(path, partial(_save, book))


def _save(book: Any, path: Path) -> None:
    book.save(path)


def _workbook_sheets(results: StudyResults) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sheets of a workbook: name and rows."""
    yield "summary", _summary(results)
    yield "verdicts", _with_labels(results, results.tables["verdicts"])
    yield "findings", _with_sentences(results, _with_labels(results, results.tables["findings"]))
    yield "estimates", _with_labels(results, results.tables["estimates"])
    for dataset in results.study.datasets:
        yield from _genes(results, dataset)
        further = results.tables_of("genes", dataset=dataset)["contrasts"]
        for comparison, rows in further.groupby("contrast", sort=False):
            yield f"{comparison} {dataset}", rows.sort_values("rank").head(_MOST_ROWS)
    set_tests = results.tables_of("genes")["gene_set_tests"]
    for title, compared in _GENE_SETS.items():
        tests = set_tests[set_tests[compared] != ""]
        yield title, tests.drop(columns="contrast" if compared == "class" else "class")
    if results.study.models:
        # The signatures of all models, with data set and classifier as the first columns.
        signatures = []
        for dataset, classifier in results.study.models:
            signature = results.tables_of("model", dataset=dataset, classifier=classifier)[
                "signature"
            ]
            signatures.append(signature.assign(dataset=dataset, classifier=classifier))
        table = _with_labels(results, pd.concat(signatures, ignore_index=True))
        key = ["dataset", "classifier"]
        signature = table[[*key, *table.columns.drop(key)]]

        yield "core", signature[signature["core"].astype(bool)]
        yield "signature", signature
    yield "samples", _with_labels(results, results.tables["samples"])
    samples = results.tables_of("audit")["samples"]
    yield "phenotype", samples.loc[:, ~samples.columns.str.startswith("correlation.")]
    yield "methods", pd.DataFrame({"methods": _methods_lines(results)})


def _genes(results: StudyResults, dataset: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the features of each class by rank, and of only one class if there are two."""
    genes = results.tables_of("genes", dataset=dataset)["genes"]
    if genes.empty:
        return
    classes = sorted(genes["class"].unique())
    for i in shown_classes(classes, results.study.design_of(dataset).reference):
        rows = genes[genes["class"] == classes[i]].sort_values("rank")
        yield f"genes {dataset} {classes[i]}", rows.head(_MOST_ROWS)


def _summary(results: StudyResults) -> pd.DataFrame:
    """Return title, summary, main result, and the verdict on each data set, as rows of text."""
    rows = [("title", results.study.title), ("summary", results.study.summary)]
    if result := headline_sentence(results):
        rows.append(("main result", result))
    chosen = results.tables["headline"]["classifier"].iloc[0]
    if chosen:
        for (dataset, folds), name in results.evaluations.items():
            evaluation = {"dataset": dataset, "folds": folds, "classifier": chosen}
            rows.append((f"verdict: {name}", verdict_sentence(results, evaluation)))
            rows.append((f"tests: {name}", tests_sentence(results, evaluation)))
    rows += [(f"version: {name}", version) for name, version in results.software.items()]
    return pd.DataFrame(rows, columns=["item", "text"])


def _with_labels(results: StudyResults, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the names of classifiers that people read."""
    if "classifier" not in frame:
        return frame
    labels = [results.labels.get(name, name) for name in frame["classifier"]]
    return frame.assign(classifier=labels)


def _with_sentences(results: StudyResults, findings: pd.DataFrame) -> pd.DataFrame:
    """Return findings with their sentences, as the page has them, after code and kind."""
    sentences = [
        capitalized(finding_in_words(row, noun=results.noun(row["dataset"])))
        for row in findings.to_dict("records")
    ]
    position = findings.columns.get_loc("kind") + 1
    return pd.concat(
        [
            findings.iloc[:, :position],
            pd.Series(sentences, index=findings.index, dtype="str", name="sentence"),
            findings.iloc[:, position:],
        ],
        axis=1,
    )


def _methods_lines(results: StudyResults) -> list[str]:
    """Return the lines of the methods for a manuscript."""
    text = in_words(methods_in_words(results))
    return [line.removeprefix("## ") for line in text.splitlines() if line.strip()]


def _sheet_name(title: str, names: set[str]) -> str:
    """Return the name of a sheet, cut and numbered where another sheet has it.

    Examples
    --------
    >>> names = set()
    >>> _sheet_name("genes a/b", names), _sheet_name("Genes a:b", names)
    ('genes a b', 'Genes a b 2')
    """
    allowed = _REFUSED.sub(" ", title).strip()
    name = allowed[:_LONGEST]
    number = 1
    while name.casefold() in names:
        number += 1
        ending = f" {number}"
        name = allowed[: _LONGEST - len(ending)] + ending
    names.add(name.casefold())
    return name


def _write_sheet(book: Any, name: str, frame: pd.DataFrame) -> None:
    """Write the rows of a table below their headings, which stay in sight."""
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415
    from openpyxl.styles import Font  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "A2"
    for number, column in enumerate(frame.columns, 1):
        sheet.column_dimensions[get_column_letter(number)].width = _column_width(frame[column])
    head = []
    for column in frame.columns:
        cell = WriteOnlyCell(sheet, without_formula(str(column)))
        cell.font = Font(bold=True)
        head.append(cell)
    sheet.append(head)
    for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None):
        sheet.append([_workbook_cell(value) for value in row])


def _column_width(column: pd.Series) -> int:
    """Return the width of a column in letters, by its longest text and its heading."""
    longest = 0
    if column.dtype.kind not in "iufb" and len(column):
        longest = int(column.astype(str).str.len().max())
    return min(_WIDE, max(_NARROW, longest, len(str(column.name)) + 2))


def _workbook_cell(value: Any) -> Any:
    """Return a value for a workbook: a number or a text that is no formula."""
    if isinstance(value, str):
        return _CONTROLS.sub("\ufffd", str(without_formula(value)))
    return value.item() if hasattr(value, "item") else value
