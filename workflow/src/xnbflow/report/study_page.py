"""The report of a study: its sections, its page, and the record from which both can be restored."""

import importlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import write_atomically
from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError
from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study, Validation
from xnbflow.report.outline import SECOND_PAGE, section_modules
from xnbflow.report.page.blocks import Section
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.report.sentences import headline, verdict
from xnbflow.tables.contract import RECORD, REPORT, STUDY_TABLE, STUDY_TABLES
from xnbflow.tables.storage import digest_of_file


def write_study(
    study: Study,
    configured: Mapping[str, Any],
    outputs: Any,
    check: Callable[[], None],
) -> None:
    """Write the report of a study, a job of the stage *report*.

    ``configured`` are the study's ``labels`` and ``configuration``, ``outputs`` those of the rule;
    ``check`` is called before files are written.
    """
    results = results_of(study, configured, outputs.page.removesuffix(REPORT.of(study=study.id)))
    check()
    write_report(results, outputs.page)
    write_record(results, outputs.record)
    write_curves(results, outputs.curves)


def results_of(study: Study, configured: Mapping[str, Any], root: str) -> StudyResults:
    """Return the results of a study below a folder."""
    all_analyses = known_analyses()
    analyses = {name: all_analyses[name] for name in study.analyses}
    results = StudyResults(study, **configured, root=Path(root), analyses=analyses)
    results.refuse_mixed_series()
    return results


def write_report(results: StudyResults, path: str | Path) -> None:
    """Write a study's two pages; see `xnbflow.report.page.page.write_page`."""
    write_page(
        path=Path(path),
        title=results.study.title,
        lead=results.study.summary,
        sections=sections_of(results),
        second=SECOND_PAGE,
    )


def sections_of(results: StudyResults) -> Iterator[Section]:
    """Yield a section when it is ready; its figures may be drawn while the next is made."""
    for name in section_modules(results.study, results.analyses):
        section = importlib.import_module(name).section(results)
        if section is not None:
            yield section


def write_record(results: StudyResults, path: str | Path) -> None:
    """Write the record: the study, its configuration, the software, digests of its tables.

    The index of all studies shows its verdicts, by `StudyResults.place`, and sizes.
    """
    chosen = results.tables["headline"]["classifier"].iloc[0]
    levels = {}
    for (dataset, folds), name in results.places.items() if chosen else ():
        place = {"dataset": dataset, "folds": folds, "classifier": chosen}
        levels[name] = verdict(results, place).level
    record = {
        "study": asdict(results.study),
        "labels": results.labels,
        "configuration": results.configuration,
        "software": results.software,
        "headline": headline(results),
        "chosen": chosen,
        "verdicts": levels,
        "sizes": results.tables["datasets"][["dataset", "samples", "features"]].to_dict("records"),
        "tables": _digests(results),
    }
    _write_json(record, path, indent=1)


def write_curves(results: StudyResults, path: str | Path) -> None:
    """Write the curves of a study as JSON.

    They are declared in ``curves.toml`` beside this module and beside the section of an analysis.
    """
    curves = []
    for name, declared, tables in _declared_curves(results):
        coordinates = declared["coordinates"]
        frame = tables[declared.get("table", name)]
        points = frame.dropna(subset=[coordinates["x"], coordinates["y"]])
        for key, rows in points.groupby(declared["keys"], sort=False):
            numbers = rows.astype(object).where(rows.notna(), None)  # JSON has no NaN
            values = {role: numbers[column].tolist() for role, column in coordinates.items()}
            curve = dict(zip(declared["keys"], key, strict=True))
            curves.append({"curve": name, **curve, **values})
    _write_json({"study": results.study.id, "curves": curves}, path, allow_nan=False)


def _declared_curves(results: StudyResults) -> Iterator[tuple[str, dict[str, Any], StudyTables]]:
    """Yield each kind of curve with its declaration and the tables that have it."""
    packages = [(str(__package__), results.tables)]
    packages += [
        (analysis.compute.rpartition(".")[0], results.analysis(analysis))
        for analysis in results.analyses.values()
    ]
    for package, tables in packages:
        file = files(package).joinpath("curves.toml") if package else None
        if file and file.is_file():
            for name, declared in tomllib.loads(file.read_text(encoding="utf-8")).items():
                yield name, declared, tables


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
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    results = StudyResults(
        study=_study_of(record["study"]),
        labels=record["labels"],
        configuration=record["configuration"],
        root=root,
        analyses={name: analyses[name] for name in record["study"]["analyses"]},
        software=record["software"],
    )
    if changed := sorted(dict(_digests(results).items() - record["tables"].items())):
        msg = (
            f"the tables {', '.join(changed)} of {study} have changed since its report; run the "
            f"study again: xnbflow run {study}"
        )
        raise InputError(msg, file=str(path))
    results.refuse_mixed_series()
    return results


def _study_of(record: Mapping[str, Any]) -> Study:
    """Return a study from its record, in which JSON has made lists of tuples."""
    fields: dict[str, Any] = {}
    for name, value in record.items():
        fields[name] = tuple(value) if isinstance(value, list) else value
    fields["validate"] = tuple(Validation(**pair) for pair in fields["validate"])
    return Study(**fields)


def _digests(results: StudyResults) -> dict[str, str]:
    """Return the SHA-256 of every table of the study."""
    place = STUDY_TABLE.fill(study=results.study.id)
    return {name: digest_of_file(results.root / place.of(table=name)) for name in STUDY_TABLES}
