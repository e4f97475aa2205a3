"""Overview: classifiers on average, problems, data sets and versions."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow import __version__
from xnbflow.core.nouns import counted
from xnbflow.report.findings import finding_in_words
from xnbflow.report.numbers import capitalized
from xnbflow.report.page.blocks import Block, Facts, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("overview")


def section(results: StudyResults) -> Section:
    """Return the overview of the study."""
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
    blocks: list[Block] = [*_problem_blocks(results), facts]
    if len(results.tables["averages"]):
        shown = ["classifier", "accuracy", "balanced_accuracy", "places", "wins"]
        blocks.append(results.tables.show("averages", _TEXTS["averages"], shown))
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
    return Section(
        "overview",
        "What was run",
        "Classifiers and data sets, failures and warnings, versions.",
        blocks,
    )


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
        captions.append(_TEXTS["groups"])
    if any_missing:
        captions.append(_TEXTS["imputed"])
    return results.tables.show("datasets", " ".join(captions), [*columns, "missing"], rows)
