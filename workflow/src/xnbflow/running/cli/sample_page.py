"""The page of one sample: the evidence for and against each class, drawn as in a study's report."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import counted
from xnbflow.models.explanation import Explanation
from xnbflow.report.page.blocks import Block, Evidence, Facts, Group, Prose, Section, Table
from xnbflow.report.page.page import write_page
from xnbflow.tables.contract import Column

__all__ = ["explanation_section", "write_explanation_page"]


def write_explanation_page(explanation: Explanation, path: Path, name: str) -> None:
    """Write an explanation as a page of its own; see `explanation_section`."""
    section = explanation_section(explanation, name)
    label = explanation.prediction.table["label"].iloc[0]
    title = f"Why {label} is predicted for sample {explanation.sample}"
    lead = f"A prediction of the model {name}, explained."
    with tempfile.TemporaryDirectory() as figures:  # it has none
        write_page(path, title, lead, [section], Path(figures))


def explanation_section(explanation: Explanation, name: str) -> Section:
    """Return an explanation as a section of a page: evidence drawn from 0, and who the sample is.

    ``name`` is what the model is called.
    """
    row = explanation.prediction.table.iloc[0]
    blocks: list[Block] = [Prose(note, "warning") for note in explanation.prediction.notes]
    typical = (
        "At most " * bool(row["atypical"])
        + f"{row['typicality']:.1%} of held-out training samples are less typical"
    )
    typical += ": unlike the training samples" if row["atypical"] else ""
    blocks.append(Facts({"Model": name, "Predicted": row["label"], "Typicality": typical}))
    blocks.append(Evidence([_packed(explanation, name)], _HOW_TO_READ))
    shown = ["class", "feature", "symbol", "value", "evidence"]
    strongest = explanation.terms[shown].head(_MOST_TERMS)
    caption = f"Evidence in nats, the strongest {len(strongest)} of {len(explanation.terms)} terms."
    formats = {"value": Column("number", format=".4g"), "evidence": Column("number", format="+.2f")}
    table = Table(strongest, caption, formats)
    blocks.append(Group("As a table", [table]))
    lead = "The evidence of each feature for and against each class."
    return Section("evidence", "Evidence", lead, blocks)


_HOW_TO_READ = (
    "A bar to the right is evidence for the class, to the left against it, in nats: 0 is "
    "neutral, 0.7 doubles the odds. The axis is the same for all classes; arrows mark bars that "
    "are cut. The class with the greatest score is predicted: its log prior (with the intercept, "
    "where the classifier is calibrated class by class), the evidence of its features and, where a "
    "classifier compares densities, their reference densities."
)
#: Terms of a class on the page, the strongest; the rest is one term.
_MOST_TERMS = 200


def _packed(explanation: Explanation, name: str) -> dict[str, Any]:
    """Return what the page draws, see `xnbflow.report.sections.samples.contributions`."""
    classes = list(explanation.priors)
    terms = pd.concat([_strongest(explanation.terms, label) for label in classes])
    symbols = dict(zip(terms["feature"], terms["symbol"], strict=True))
    features = {feature: i for i, feature in enumerate(symbols)}
    own = [terms[terms["class"] == label] for label in classes]
    sets = [[features[feature] for feature in rows["feature"]] for rows in own]
    evidence = [_finite(value) for rows in own for value in rows["evidence"]]
    references = [_finite(rows["log_reference"].sum()) for rows in own]
    label = classes.index(str(explanation.prediction.table["label"].iloc[0]))
    return {
        "name": name,
        "classes": classes,
        "features": [f"{s} ({f})" if s else str(f) for f, s in symbols.items()],
        "fits": [{"prior": [_finite(p) for p in explanation.offsets.values()], "sets": sets}],
        "samples": [[explanation.sample, None, label, 0, evidence, references]],
        "left_out": 0,
    }


def _strongest(terms: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return a class's strongest terms, and the sum of all others as one more."""
    own = terms[terms["class"] == label]
    rest = own.iloc[_MOST_TERMS:]
    if rest.empty:
        return own
    sums = rest[["evidence", "log_reference"]].sum()
    more = {"class": label, "feature": counted(len(rest), "further feature"), "symbol": "", **sums}
    return pd.concat([own.head(_MOST_TERMS), pd.DataFrame([more])])


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
