"""Methods and citation: the exact configuration, the formulas' sources, how to cite, the tables."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import yaml

from xnbflow import __version__
from xnbflow.data.sources.sheet import SheetRow, sheet_text
from xnbflow.evaluation.methods import entries_in, known_methods
from xnbflow.report.page.blocks import Block, Code, Group, Links, Prose, Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]

_XNB = "Aguilar-Ruiz, Romero and Cicconardi"

_DIAGNOSTICS = [
    ("Normality of features", "Shapiro-Wilk test, Royston (1995), algorithm AS R94"),
    (
        "Dependence given the class",
        f"Pearson correlation of residuals from the class means; {_XNB} (2024), section 3.2",
    ),
    ("Adjustment for many tests (FDR)", "Benjamini and Hochberg (1995)"),
]

_CLASSIFICATION = [
    ("Distance of densities", f"Hellinger (1909); {_XNB} (2024), Eq. 9"),
    ("Folds", "stratified cross-validation, scikit-learn"),
    ("ROC AUC of several classes", "each class against the rest, unweighted mean; Fawcett (2006)"),
    ("Matthews’ correlation of several classes", "Gorodkin (2004)"),
    ("Brier score", "Brier (1950): squared error summed over classes, 0 to 2"),
    ("Stability of selected features", "Nogueira, Sechidis and Brown (2018), JMLR 18, no. 174"),
    ("Ranks and critical difference", "Demšar (2006), JMLR 7, 1-30"),
    ("Adjusted p-values of pairs", "García and Herrera (2008), JMLR 9, 2677-2694"),
    ("Corrected resampled t-test", "Nadeau and Bengio (2003), Machine Learning 52, 239-281"),
    ("Sorted runs", "Bouckaert (2004)"),
    ("Bayesian signed-rank test", "Benavoli et al. (2017), JMLR 18, no. 77"),
]

_CITATION = """@software{{xnbflow,
  title   = {{xnbflow: class-specific naive Bayes on cancer microarrays}},
  author  = {{{{xnbflow developers}}}},
  version = {{{version}}}
}}

@misc{{xnb2024,
  title  = {{XNB: Explainable class-specific naive-Bayes classifier}},
  author = {{Aguilar-Ruiz, Jesús S. and Romero, Cayetano and Cicconardi, Andrea}},
  year   = {{2024}}
}}"""


def section(results: StudyResults) -> Section:
    """Return what is needed to repeat, to check and to cite the study."""
    sources = pd.DataFrame(list(_sources(results)), columns=["what", "source"])
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
            f"snakemake {results.study.id} --cores 4 --configfile study.yaml",
            "To repeat the study",
        ),
        Code(_CITATION.format(version=__version__), "How to cite (BibTeX)"),
        Table(sources, "What was computed and where its formulas come from."),
        Links([link for tables in files for link in tables.links()]),
        Group("Configuration", [Code(yaml_text, "The study as configured (YAML)")]),
    ]
    if rows:
        blocks.append(Group("Data sets", list(_sheets(rows))))
    return Section(
        "methods",
        "Methods and citation",
        "What exactly was run, and every number on this page as a table to go on with.",
        blocks,
    )


def _sheets(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[Code]:
    """Yield the study's rows of each sheet of data sets."""
    sheets: dict[str, list[SheetRow]] = {}
    for row in rows.values():
        dataset = SheetRow(**{key: value for key, value in row.items() if key != "sheet"})
        sheets.setdefault(row["sheet"], []).append(dataset)
    for name, datasets in sheets.items():
        yield Code(sheet_text(datasets), f"{name}: the rows of this study (separated by tabs)")


def _sources(results: StudyResults) -> Iterator[tuple[str, str]]:
    entries = results.configuration.get("classifiers", {})
    named = [(results.labels[name], entries.get(name, {})) for name in results.study.classifiers]
    named += results.configuration.get("preprocessing", {}).items()
    for label, configured in named:
        parts = {part["method"]: part for part in entries_in(configured)}
        for method, part in parts.items():
            entry = known_methods().get(method)
            if entry is None:
                yield label, f"the estimator {method}"
            else:
                yield f"{label}: {entry.title}", entry.source
                for parameter, values in entry.rules.items():
                    value = part.get("params", {}).get(parameter, next(iter(values)))
                    yield f"{label}, {parameter}: {value}", values[value]
    if results.study.diagnostics and results.study.datasets:
        yield from _DIAGNOSTICS
    if results.study.classifiers:
        yield from _CLASSIFICATION
