"""What was run, methods and citation.

Data sets, failures, versions and time; the exact configuration, the formulas' sources, how to cite,
the tables.
"""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import yaml

from xnbflow import __version__
from xnbflow.core.nouns import counted
from xnbflow.report.findings import finding_in_words
from xnbflow.report.manuscript.paragraphs import methods_in_words, sections_of_text
from xnbflow.report.manuscript.references import bibtex, cited_keys, in_words
from xnbflow.report.numbers import capitalized
from xnbflow.report.page.blocks import Block, Code, Facts, Group, Links, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.cohorts import COHORT_ANCHOR
from xnbflow.report.sentences import COHORT_RULE, COVERAGE, RULE
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import Column

_TEXTS = texts_of("methods")
_OVERVIEW = texts_of("overview")
#: The anchor of the rule of verdicts.
RULE_ANCHOR = "rule"
_HOW_TO_SUPPLY = (
    "Take a data set out of skip in the configuration, or supply its file, and run the study "
    "again: only what is new is computed. Put a file at the place in its row, or name a folder "
    "with it under download: base_urls: of the configuration. The documentation page “Data files” "
    "(docs/tutorials/data-files.md) has the columns and the origin of each file that no public "
    "address serves, with a few lines that write it. To do without a data set for good, take it "
    "out of the study's datasets."
)
_MISSING_CAPTION = "Data sets that are not in this run."
_MISSING_COLUMNS = {
    "dataset": Column("text", "", label="data set"),
    "reason": Column("text", "why it was left out"),
}


def section(results: StudyResults) -> Section:
    """Return the information to repeat, to check and to cite the study."""
    methods = methods_in_words(results)
    plain = json.loads(json.dumps(results.configuration, default=str))
    configuration = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100).strip()

    # The files of every table of the study, of second cohorts and of analyses.
    groups = [results.tables, results.tables_of("cohorts")]
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
        *_what_was_run(results),
        *_rules(results),
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
        "What was run, methods and citation",
        "Data sets, failures and versions; the exact configuration; every number as a table.",
        blocks,
    )


def _rules(results: StudyResults) -> list[Block]:
    """Return the rules of the verdicts of this study, to which the verdicts link."""
    rules: list[Block] = []
    if results.study.classifiers and results.tables["headline"]["classifier"].iloc[0]:
        sources = results.tables.sources("verdicts", "findings")
        rules.append(Prose(f"{RULE} {COVERAGE}", sources=sources, id=RULE_ANCHOR))
    if results.study.validate or results.study.cohort_series:
        rules.append(Prose(f"Other cohorts: {COHORT_RULE}", id=COHORT_ANCHOR))
    return [Group("The rules of the verdicts", rules, opened=True)] if rules else []


def _what_was_run(results: StudyResults) -> list[Block]:
    """Return classifiers and data sets, failures and warnings, versions."""
    # What was run, and where.
    study = results.study
    schemes = results.configuration.get("folds", {})
    lines = {"Study": study.id}
    if study.folds:
        described = [f"{name} ({_settings(schemes.get(name, {}))})" for name in study.folds]
        lines["Folds"] = "; ".join(described)
        lines["Fits"] = f"{results.tables['headline']['fits'].iloc[0]:,}"
    lines |= _origin(results.provenance)
    lines["Version"] = f"xnbflow {__version__}"
    facts = Facts(lines, results.tables.sources("headline"))
    blocks: list[Block] = [*_missing_data(results), *_problem_blocks(results), facts]
    if results.study.datasets:
        blocks.append(_dataset_table(results))
    reading = results.rows("findings", classifier="", code="reading")
    if len(reading):
        sentences = [finding_in_words(row) for row in reading.to_dict("records")]
        table = results.tables.show(
            "findings",
            "What was noticed when the data sets were acquired.",
            ["dataset", "kind", "detail"],
            reading.assign(detail=[capitalized(sentence) for sentence in sentences]),
        )
        blocks.append(Group("Notes on the data", [table], f"{len(reading):,}", True))
    details: list[Block] = [Facts({**results.software, **results.training_software})]
    if results.reported_with:
        other = ", ".join(f"{name} {number}" for name, number in results.reported_with.items())
        text = f"These versions trained the classifiers. The report was written with {other}."
        details.append(Prose(text, "warning"))
    packages = results.provenance.get("packages", {})
    if packages:
        versions = ", ".join(f"{name} {number}" for name, number in packages.items())
        details.append(Facts({"All packages": versions}))
    blocks.append(Group("Versions", details))
    return blocks


def _missing_data(results: StudyResults) -> list[Block]:
    """Return the data sets without which the study ran, the reasons, and how to supply them."""
    missing = results.study.missing
    if not missing:
        return []
    rows = pd.DataFrame({"dataset": list(missing), "reason": list(missing.values())})
    table = Table(rows, _MISSING_CAPTION, columns=_MISSING_COLUMNS)
    note = "the study ran without these"
    content: list[Block] = [table, Prose(_HOW_TO_SUPPLY)]
    return [Group("Data sets that are missing", content, note, opened=True)]


def _origin(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return where, when and by which code the page was written, as far as it is known."""
    lines = {}
    if provenance:
        lines["Date"] = provenance["date"]
        lines["Machine"] = f"{provenance['host']}, {provenance['system']}"
        digests = ", ".join(f"{stage} {digest}" for stage, digest in provenance["code"].items())
        lines["Code"] = (
            f"commit {provenance['commit']}; {digests}" if provenance["commit"] else digests
        )
    return lines


def _problem_blocks(results: StudyResults) -> list[Block]:
    """Return failures and warnings, first in a sentence, then in tables."""
    if not results.study.classifiers:
        return []
    problems = results.tables["problems"]
    small = _small_classes(results)
    n_failed = len(results.rows("problems", kind="error"))
    n_warned = len(problems) - n_failed
    text = f"{counted(n_failed, 'fit')} failed; {n_warned:,} gave warnings"
    tables = []
    if len(problems):
        # Failures and warnings with the same message are one row.
        keys = ["dataset", "folds", "classifier", "kind", "text"]
        counts = problems.groupby(keys, sort=False).size().reset_index(name="fits")
        counts = counts.replace({"kind": {"error": "failed", "warnings": "warning"}})
        caption = "Failed fits and warnings, with the number of fits that had the same message."
        declarations = {"fits": ","}
        tables.append(
            results.tables.show("problems", caption, rows=counts, declarations=declarations)
        )
    if len(small):
        classes_have = counted(len(small), "class", "has", "have")
        text += f"; {classes_have} fewer samples than there are folds"
        caption = "Classes with fewer samples than folds: some folds test none of them."
        tables.append(results.tables.show("class_sizes", caption, rows=small))
    sources = results.tables.sources("problems")
    if not tables:
        return [Prose(f"{text}.", sources=sources)]
    group = Group("Failures and warnings", tables, opened=n_failed > 0)
    return [Prose(f"{text}.", "warning", sources), group]


def _small_classes(results: StudyResults) -> pd.DataFrame:
    """Return the classes with fewer samples than a scheme of drawn folds has folds."""
    sizes = results.tables["class_sizes"]
    tables = [sizes.head(0).assign(folds="")]
    for name in results.study.folds:
        scheme = results.configuration.get("folds", {}).get(name, {})
        if "splits" in scheme and "file" not in scheme:
            small = sizes[sizes["samples"] < scheme["splits"]]
            tables.append(small.assign(folds=f"{name} ({scheme['splits']})"))
    return pd.concat(tables, ignore_index=True)


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in settings.items())


def _dataset_table(results: StudyResults) -> Table:
    """Return the data sets with their origin, sizes and missing values."""
    rows = results.tables["datasets"].copy()
    entries = results.configuration.get("datasets", {})
    for column in ("source", "location"):
        rows[column] = [str(entries.get(name, {}).get(column, "")) for name in rows["dataset"]]
    has_groups = rows["groups"].notna().any()
    any_missing = rows["missing"].any()
    rows["missing"] = [
        f"{row['imputed']:,} filled in" if row["missing"] else "none"
        for row in rows.to_dict("records")
    ]
    columns = ["dataset", "source", "location", "samples", "features", "classes"]
    captions = ["The data sets of this study and where they come from."]
    if has_groups:
        columns.append("groups")
        captions.append(_OVERVIEW["groups"])
    if any_missing:
        captions.append(_OVERVIEW["imputed"])
    return results.tables.show("datasets", " ".join(captions), [*columns, "missing"], rows)
