"""The files for a paper from a finished study."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import atomic
from xnbflow.core.yaml_text import parse_yaml
from xnbflow.report.manuscript.paragraphs import (
    escape_markdown,
    facts,
    fill_in,
    paragraphs,
    render_template,
    rows_of,
)
from xnbflow.report.manuscript.references import (
    cited_keys,
    csl_json,
    in_latex,
    in_words,
    references,
)
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import STUDY_FILES, VALIDATION_TABLE, text_of

#: The record of the run, which is the evidence where a checklist names no table.
_RUN = "run.json"
#: Mark of the part of an item that a study does not answer.
_OPEN_PART = "for the authors"


def write_paper(results: StudyResults, folder: Path) -> list[str]:
    """Write paragraphs, references and checklists of a study; return the names of the files."""
    text = paragraphs(results)
    keys = cited_keys(text)
    latex = re.sub(r"^\\#\\# (.+)$", r"\\section*{\1}", in_latex(text), flags=re.MULTILINE)
    works = _literature("references.txt", sorted(keys, key=lambda key: references()[key]["short"]))

    # The checklists by file name, filled in from the study.
    words = {title: " ".join(body.split()) for title, body in sections_of_text(text).items()}
    variables = facts(results) | {"words": defaultdict(str, words)}  # a study may lack a section

    # The files that support an item, by table: those that have rows, and the record.
    study = results.study.id
    paths = {
        name: results.root / text_of(path.of(study=study))
        for name, path in STUDY_FILES.items()
        if len(results.tables[name])
    }
    if results.study.validate and len(results.validation["verdicts"]):
        verdicts = VALIDATION_TABLE.of(study=study, table="verdicts")
        paths["validation"] = results.root / text_of(verdicts)
    if (record := results.folder / _RUN).is_file():
        paths[_RUN] = record
    evidence = {name: os.path.relpath(path, folder) for name, path in paths.items()}

    source = files(__package__).joinpath("checklists.yaml").read_text(encoding="utf-8")
    checklists = {}
    for name, checklist in parse_yaml(source).items():
        items = [_item(item, variables, evidence) for item in checklist["items"]]
        cited = _literature("references.txt", [checklist["source"]]).strip()
        about = {**checklist, "items": items, "cited": cited, "study": results.study}
        checklists[f"{name}.md"] = render_template("checklist.md", {"about": about}, lines=True)

    texts = {
        "paragraphs.md": escape_markdown(text),
        "paragraphs.txt": f"{in_words(text).replace('## ', '')}\n\nReferences\n{works}",
        "paragraphs.tex": f"% needs natbib and \\bibliography{{references}}\n\n{latex}",
        "references.bib": bibtex(keys),
        "references.json": csl_json(keys),
        **checklists,
    }
    for name, content in texts.items():
        with atomic(folder / name) as temporary:
            temporary.write_text(f"{content.strip()}\n", encoding="utf-8")
    return list(texts)


def bibtex(keys: Sequence[str]) -> str:
    """Return references as BibTeX."""
    return _literature("references.bib", keys)


def _literature(template: str, keys: Sequence[str]) -> str:
    return render_template(template, {"works": [references()[key] for key in keys]}, lines=True)


def sections_of_text(text: str) -> dict[str, str]:
    """Return the paragraphs below each heading.

    Examples
    --------
    >>> sections_of_text("## Data" + 2 * chr(10) + "Ten samples.")
    {'Data': 'Ten samples.'}
    """
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    return {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def _item(
    item: Mapping[str, Any], variables: Mapping[str, Any], evidence: Mapping[str, str]
) -> dict[str, Any]:
    """Return an item of a checklist with its text, its evidence, and whether it is answered."""
    text = escape_markdown(in_words(fill_in(item.get("fill", ""), variables)))
    links = {}
    if text:
        names = item.get("evidence", [_RUN])
        links = {name: evidence[name] for name in names if name in evidence}
    return {**item, "text": text, "links": links, "done": bool(links) and _OPEN_PART not in text}


def accuracies_elsewhere(
    results: StudyResults, dataset: str, classifier: str
) -> list[dict[str, Any]]:
    """Return the performance of a model in the second cohorts of a study, a row each."""
    if not results.study.validate:
        return []
    model = {"model": classifier, "train": dataset}
    accuracies = results.validation.rows("accuracy", **model, cohort="test")
    keys = ["model", "train", "test", "match", "harmonise"]
    verdicts = results.validation.rows("verdicts", **model)[[*keys, "verdict"]]
    return rows_of(accuracies.merge(verdicts, on=keys, how="left"))


def with_study_intervals(
    results: StudyResults, dataset: str, classifier: str, figures: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the figures of a model with the intervals of the study's table ``estimates``.

    They are wider than those in the file of the model where the study chose it by the results.
    """
    result = deepcopy(dict(figures))
    evaluation = {"dataset": dataset, "folds": results.study.folds[0], "classifier": classifier}
    for row in results.rows("estimates", **evaluation).to_dict("records"):
        result["candidates"] = row["candidates"]
        if row["metric"] == "recall":
            figure = result["recall"][row["class"]]
        else:
            figure = result.get(row["metric"], {})
        figure |= {"lower": row["lower"], "upper": row["upper"]}
    return result


def model_card(
    summary: Mapping[str, Any], title: str, validated: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return the card of a model as Markdown.

    ``summary`` is a result of `xnbflow.running.cli.commands.model_summary`; for ``validated`` see
    `accuracies_elsewhere`.
    """
    from xnbflow.models.typicality import ATYPICAL  # noqa: PLC0415  half a second; pages need none

    variables = {**summary, "title": title, "validated": validated, "atypical": ATYPICAL}
    return render_template("card.md", variables, lines=True)
