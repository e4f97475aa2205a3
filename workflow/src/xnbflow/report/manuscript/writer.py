"""The files that go from a finished study to a paper."""

import os
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from xnbflow.data.atomic import write_atomically
from xnbflow.data.contract import STUDY_TABLE, text_of
from xnbflow.models.typicality import ATYPICAL
from xnbflow.report.manuscript.paragraphs import escaped, facts, filled, paragraphs, render
from xnbflow.report.manuscript.references import (
    bibtex,
    cited_keys,
    csl_json,
    in_latex,
    in_words,
    listed,
)
from xnbflow.report.results import StudyResults

__all__ = ["card", "checklists", "reached_elsewhere", "sections_of_text", "write_paper"]


def write_paper(results: StudyResults, folder: Path) -> list[str]:
    """Write paragraphs, references and checklists of a study into a folder.

    Returns
    -------
    list of str
        The names of the files.
    """
    text = paragraphs(results)
    keys = cited_keys(text)
    works = "\n\n".join(sorted(listed(keys)))
    texts = {
        "paragraphs.md": escaped(text),
        "paragraphs.txt": f"{in_words(text).replace('## ', '')}\n\nReferences\n\n{works}",
        "paragraphs.tex": _latex(text),
        "references.bib": bibtex(keys),
        "references.json": csl_json(keys),
        **checklists(results, text, folder),
    }
    for name, content in texts.items():
        _write(folder / name, content)
    return list(texts)


def _write(path: Path, text: str) -> None:
    write_atomically(path, lambda part: part.write_text(f"{text.rstrip()}\n", encoding="utf-8"))


def _latex(text: str) -> str:
    lines = []
    for part in text.split("\n\n"):
        title = part.removeprefix("## ")
        lines.append(in_latex(part) if title == part else f"\\section*{{{in_latex(title)}}}")
    head = "% needs \\usepackage{natbib} and \\bibliography{references}"
    return "\n\n".join([head, *lines])


def sections_of_text(text: str) -> dict[str, str]:
    r"""Return the paragraphs below each heading.

    Examples
    --------
    >>> sections_of_text("## Data\n\nTen samples.\n\nOf one class.")
    {'Data': 'Ten samples.\n\nOf one class.'}
    """
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


class _Words(dict[str, str]):
    """Sections by heading; a study without classifiers lacks some, which leaves an item open."""

    def __missing__(self, _: str) -> str:
        return ""


def checklists(results: StudyResults, text: str, folder: Path) -> dict[str, str]:
    """Return the checklists as Markdown by file name, filled as far as the study goes.

    Parameters
    ----------
    results : StudyResults
    text : str
        Its `paragraphs`.
    folder : Path
        Where they will be: links to tables begin there.
    """
    words = {title: " ".join(body.split()) for title, body in sections_of_text(text).items()}
    known = facts(results) | {"words": _Words(words)}
    given = files(__package__).joinpath("checklists.yaml").read_text(encoding="utf-8")
    done = {}
    for name, checklist in yaml.safe_load(given).items():
        items = []
        for item in checklist["items"]:
            answer = escaped(in_words(filled(item.get("fill", ""), known)))
            links = [(table, _link(results, table, folder)) for table in item.get("tables", ())]
            items.append({**item, "text": answer, "tables": links if answer else []})
        cited = listed([checklist["source"]])[0].rstrip(".")
        about = {**checklist, "items": items, "cited": cited, "study": results.study}
        done[f"{name}.md"] = render("checklist.md", about, lines=True)
    return done


def _link(results: StudyResults, table: str, folder: Path) -> str:
    path = results.root / text_of(STUDY_TABLE.of(study=results.study.id, table=table))
    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()


def reached_elsewhere(results: StudyResults, dataset: str, classifier: str) -> list[dict[str, Any]]:
    """Return what a model reached in the second cohorts of a study, a row each."""
    if not results.study.validate:
        return []
    keys = ["model", "train", "test", "match", "harmonise"]
    own = {"model": classifier, "train": dataset}
    found = results.validation.rows("accuracy", **own, cohort="test")
    verdicts = results.validation.rows("verdicts", **own)[[*keys, "verdict"]]
    rows = found.merge(verdicts, on=keys, how="left").astype(object)
    made = rows.where(pd.notna(rows), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in made]


def card(summary: Mapping[str, Any], title: str, validated: Sequence[Mapping[str, Any]]) -> str:
    """Return the model card of a model as Markdown.

    Parameters
    ----------
    summary : mapping
        See `xnbflow.workflow.cli.commands.summary`.
    title : str
    validated : sequence of mapping
        See `reached_elsewhere`.
    """
    known = {**summary, "title": title, "validated": validated, "atypical": ATYPICAL}
    return render("card.md", known, lines=True)
