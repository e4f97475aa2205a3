"""The report of a study: its sections, its page, and the record from which both can be restored."""

import importlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import write_atomically
from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError
from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study, study_of
from xnbflow.report.findings import name_of
from xnbflow.report.numbers import join_words
from xnbflow.report.outline import SECOND_PAGE, SECTIONS, WITHOUT_FIGURES, section_modules
from xnbflow.report.page.blocks import Section
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults
from xnbflow.report.sentences import headline_sentence, level_of, limiting_findings
from xnbflow.tables.contract import GROUPS, RECORD
from xnbflow.tables.storage import digest_of_file

#: Accessions that a title names.
_MOST_ACCESSIONS = 3


def results_of(
    study: Study,
    *,
    labels: dict[str, str],
    configuration: dict[str, Any],
    root: Path,
    provenance: Mapping[str, Any] | None = None,
) -> StudyResults:
    """Return the results of a study.

    For ``labels``, ``configuration``, ``root`` and ``provenance`` see
    `xnbflow.report.results.StudyResults`.
    """
    all_analyses = known_analyses()
    analyses = {name: all_analyses[name] for name in study.analyses}
    return StudyResults(
        study,
        labels,
        configuration,
        root=root,
        analyses=analyses,
        provenance=provenance or {},
    )


def write_report(results: StudyResults, path: str | Path) -> None:
    """Write a study's two pages; see `xnbflow.report.page.page.write_page`."""
    write_page(
        path=Path(path),
        title=_title(results),
        lead=_lead(results.study),
        sections=_sections_of(results),
        second=SECOND_PAGE,
    )


def _title(results: StudyResults) -> str:
    """Return the title of a study, with the accessions of GEO that it does not contain before it.

    More than three accessions are not named.
    """
    title = results.study.title
    accessions = dict.fromkeys(map(results.accession, results.study.datasets))
    absent = [name for name in accessions if name and name.lower() not in title.lower()]
    if not absent or len(absent) > _MOST_ACCESSIONS:
        return title
    return f"{join_words(absent)}: {title}"


def _lead(study: Study) -> str:
    """Return the summary of a study, and the data sets that this run lacks."""
    if not study.missing:
        return study.summary
    names = ", ".join(study.missing)
    lacking = f"Not in this run: {names}; see “What was run” on the second page."
    return f"{study.summary} {lacking}".strip()


def _sections_of(results: StudyResults) -> Iterator[Section]:
    """Yield a section when it is ready."""
    yield from _made_sections(results, section_modules(results.study, results.analyses))


def sections_with_figures(results: StudyResults) -> Iterator[Section]:
    """Yield the sections that may have figures, which are drawn while the next one is made."""
    names = section_modules(results.study, results.analyses)
    without = {name for name in SECTIONS if name.rpartition(".")[2] in WITHOUT_FIGURES}
    yield from _made_sections(results, [name for name in names if name not in without])


def _made_sections(results: StudyResults, modules: Iterable[str]) -> Iterator[Section]:
    for name in modules:
        section = importlib.import_module(name).section(results)
        if section is not None:
            yield section


def write_record(results: StudyResults, path: str | Path) -> None:
    """Write the record: the study, its configuration, the software, digests of its tables.

    ``verdicts`` are the levels, and ``findings`` the codes and kinds that limit them, of the
    classifier that comes first, by `StudyResults.evaluations`. The index of all studies shows the
    levels, and the sizes.
    """
    chosen = results.tables["headline"]["classifier"].iloc[0]
    levels = {}
    names = {}
    for (dataset, folds), name in results.evaluations.items() if chosen else ():
        evaluation = {"dataset": dataset, "folds": folds, "classifier": chosen}
        levels[name] = level_of(results, evaluation)
        names[name] = [
            ": ".join(filter(None, name_of(row))) for row in limiting_findings(results, evaluation)
        ]
    record = {
        "study": asdict(results.study),
        "labels": results.labels,
        "configuration": results.configuration,
        "software": results.software,
        "provenance": results.provenance,
        "headline": headline_sentence(results),
        "chosen": chosen,
        "verdicts": levels,
        "findings": names,
        "sizes": results.tables["datasets"][["dataset", "samples", "features"]].to_dict("records"),
        "tables": _digests_of_tables(results),
    }
    _write_json(record, path, indent=1)


def write_curves(results: StudyResults, path: str | Path) -> None:
    """Write the curves of a study as JSON.

    They are declared in ``curves.toml`` beside this module.
    """
    text = files(str(__package__)).joinpath("curves.toml").read_text(encoding="utf-8")
    curves = []
    for name, declared in tomllib.loads(text).items():
        coordinates = declared["coordinates"]
        frame = results.tables[name]
        points = frame.dropna(subset=[coordinates["x"], coordinates["y"]])
        for key, rows in points.groupby(declared["keys"], sort=False):
            numbers = rows.astype(object).where(rows.notna(), None)  # JSON has no NaN
            values = {role: numbers[column].tolist() for role, column in coordinates.items()}
            curve = dict(zip(declared["keys"], key, strict=True))
            curves.append({"curve": name, **curve, **values})
    _write_json({"study": results.study.id, "curves": curves}, path, allow_nan=False)


def _write_json(content: Any, path: str | Path, **options: Any) -> None:
    text = json.dumps(content, ensure_ascii=False, default=str, **options)
    write_atomically(path, lambda part: part.write_text(f"{text}\n", encoding="utf-8"))


def read_record(study: str, analyses: Mapping[str, Analysis], root: Path = Path()) -> StudyResults:
    """Return a finished study by its id, from its folder in ``results``.

    ``analyses`` are all that are known, by name. It is an `InputError` if its report was not
    written, or its tables were written again since.
    """
    path = root / RECORD.of(study=study)
    if not path.is_file():
        msg = f"{path} does not exist; run the study in this folder: xnbflow run {study}"
        raise InputError(msg, file=str(path))
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        msg = f"{path} is damaged; run the study again: xnbflow run {study}"
        raise InputError(msg, file=str(path)) from error
    results = StudyResults(
        study=study_of(record["study"]),
        labels=record["labels"],
        configuration=record["configuration"],
        root=root,
        analyses={name: analyses[name] for name in record["study"]["analyses"]},
        software=record["software"],
        provenance=record.get("provenance", {}),
    )
    if changed := sorted(dict(_digests_of_tables(results).items() - record["tables"].items())):
        msg = (
            f"the tables {', '.join(changed)} of {study} have changed since its report; run the "
            f"study again: xnbflow run {study}"
        )
        raise InputError(msg, file=str(path))
    return results


def _digests_of_tables(results: StudyResults) -> dict[str, str]:
    """Return the SHA-256 of every table of the study."""
    study = results.study.id
    return {
        name: digest_of_file(results.root / path.of(study=study))
        for name, path in GROUPS["study"].files.items()
    }
