"""The outline of a study's report; the rules read it, so it imports nothing heavy."""

import re
from collections.abc import Mapping, Sequence

from xnbflow.core.entries import Analysis
from xnbflow.core.study import Study

_ANALYSES = "those of the analyses"
#: The sections of a page in order: first those of a paper, whose question the study has. Each has
#: the attribute of a `Study` that requires it; they are modules with a function
#: ``section(results) -> Section | None``.
SECTIONS = {
    _ANALYSES: "analyses",
    "xnbflow.report.sections.answer": "classifiers",
    "xnbflow.report.sections.genes": "datasets",
    "xnbflow.report.sections.audit": "datasets",
    "xnbflow.report.sections.signature": "final",
    "xnbflow.report.sections.cohorts": "datasets",
    "xnbflow.report.sections.accuracy": "classifiers",
    "xnbflow.report.sections.explanation": "classifiers",
    "xnbflow.report.sections.samples": "classifiers",
    "xnbflow.report.sections.methods": "id",
}
#: The names of the sections on the second page.
SECOND_PAGE = ("accuracy", "explanation", "samples", "methods")
#: The names of the sections without figures, which the rule *draw* does not make.
WITHOUT_FIGURES = ("samples", "methods")
#: The names of the sections that a study may leave out.
_REQUIRED = {"answer", "methods"}
_NAMES = [module.rpartition(".")[2] for module in SECTIONS if module != _ANALYSES]
OPTIONAL = [name for name in _NAMES if name not in _REQUIRED]


def section_modules(study: Study, analyses: Mapping[str, Analysis]) -> list[str]:
    """Return the modules that hold the sections of a study's report, in order.

    ``analyses`` are those that it names, or all that are known.
    """
    modules: list[str | None] = []
    for name, attribute in SECTIONS.items():
        if name == _ANALYSES:
            modules += [analyses[analysis].section for analysis in study.analyses]
        elif getattr(study, attribute) and name.rpartition(".")[2] not in study.omit_sections:
            modules.append(name)
    return [module for module in modules if module]


def figure_labels(
    figure: str, datasets: Sequence[str], folds: Sequence[str], classifiers: Sequence[str]
) -> dict[str, str]:
    """Return the labels of a figure, by its name.

    The name has the kind and, as far as the figure is of one, a data set, scheme of folds,
    classifier (ids of the study) and number, with hyphens between them; the labels ``data set``,
    ``figure``, ``folds``, ``classifier`` and ``number`` are in the same order.

    Examples
    --------
    >>> labels = figure_labels("density-wine-10-fold-xnb-07", ["wine"], ["10-fold"], ["xnb"])
    >>> list(labels.values())
    ['wine', 'density', '10-fold', 'xnb', '07']
    >>> figure_labels("accuracy", ["wine"], ["10-fold"], ["xnb"])["data set"]
    'all data sets'
    """
    patterns = [_any_of(names) for names in (datasets, folds, classifiers)]
    optional = "".join(f"(?:-({pattern}))?" for pattern in [*patterns, r"\d+"])
    match = re.fullmatch(f"(.+?){optional}", figure)
    kind = figure
    dataset = ""
    scheme = ""
    classifier = ""
    number = ""
    if match:
        kind, dataset, scheme, classifier, number = match.groups(default="")
    return {
        "data set": dataset or "all data sets",
        "figure": kind,
        "folds": scheme,
        "classifier": classifier,
        "number": number,
    }


def _any_of(names: Sequence[str]) -> str:
    """Return a pattern of any of some names, the longest first; of none it matches nothing."""
    escaped = [re.escape(name) for name in sorted(names, key=len, reverse=True)]
    return "|".join(escaped) or "(?!)"
