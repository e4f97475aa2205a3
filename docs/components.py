"""A page with every component of the report: ``python docs/components.py FOLDER`` writes it.

Its numbers are random. The page shows the design (docs/project/design.md), in both themes, at any
width and on paper.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.report.drawings.calibration import draw_roc
from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.volcano import draw_volcano, evidence
from xnbflow.report.page.blocks import (
    Card,
    Cards,
    ClassLine,
    Code,
    Facts,
    Figure,
    Gallery,
    GeneExplorer,
    GeneRow,
    Group,
    Prose,
    Section,
    Table,
    Tile,
)
from xnbflow.report.page.gene_content import gene_content
from xnbflow.report.page.page import write_page

__all__ = ["write_components"]

CLASSES = ["normal", "tumour"]
N_FEATURES, N_SAMPLES = 400, 24


def write_components(folder: Path) -> Path:
    """Write ``report.html`` with all components to a folder; return its path."""
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1], N_SAMPLES // 2)
    effects = np.where(np.arange(N_FEATURES) < 30, rng.normal(0, 2.5, N_FEATURES), 0.0)
    values = rng.normal(8, 1, (N_FEATURES, N_SAMPLES)) + effects[:, None] * codes
    labels = [CLASSES[code] for code in codes]
    sections = [
        Section("cards", "First screen", "A data set in short.", [_cards(values, labels)]),
        Section("genes", "Genes", "Plot, table and view of a gene.", [_genes(values, labels)]),
        Section("charts", "Charts", "Numbers are under the pointer.", list(_charts(rng, labels))),
        Section("text", "Text and tables", "", _texts()),
    ]
    page = folder / "report.html"
    write_page(page, "Components of the report", "Random numbers.", sections)
    return page


def _cards(values: np.ndarray, labels: list[str]) -> Cards:
    tiles = [
        Tile(label="Balanced accuracy", text="88%", value=0.88, lower=0.7, upper=0.96,
             reference=0.5, note="95% interval 70% to 96%; chance 50%",
             meaning="Mean recall of the classes."),
        Tile(label="Core genes", text="5", note="40 used per class"),
        Tile(label="Stability", text="0.62", value=0.62, lower=0.5, upper=0.74, reference=0.4,
             note="of the first ten of one half, the share that differs in the other"),
    ]  # fmt: skip
    rows = [
        GeneRow(name=f"GENE{i}", feature_id=f"{i}_at", mark="▲▼"[i % 2], meaning="higher",
                change=(-1) ** i * (3 - 0.4 * i), auc=0.5 + (-1) ** i * (0.48 - 0.05 * i),
                share=1 - 0.15 * i, core=i < 3)
        for i in range(6)
    ]  # fmt: skip
    lines = [ClassLine(name=name, note="12", share=0.9, lower=0.7, upper=0.97) for name in CLASSES]
    levels = (
        ("good", "Well supported", "The classes are recognised."),
        (
            "fair",
            "Partly supported",
            "Disjoint halves of the samples give different lists of genes.",
        ),
        ("poor", "Not supported", "The label test does not exclude chance."),
    )
    cards = [
        Card(
            title=badge,
            note="24 samples, 400 features, 2 classes",
            verdict=f"{badge}: a sentence.",
            level=level,
            facts={"Accuracy": "88% (70% to 96%)"},
            lines=lines,
            badge=badge,
            short_reason=reason,
            tiles=tiles,
            feature_rows=rows,
            features_heading="Core set of 3 genes in bold",
            share_of="first ten of halves",
            warnings=["“plate” separates the classes. See the audit."],
            anchor=f"card-{level}",
            next_step="Test the model on a second cohort.",
            figure=_heatmap(f"core-{level}", values, labels),
        )
        for level, badge, reason in levels
    ]
    return Cards(cards, "How a card is read.")


def _heatmap(name: str, values: np.ndarray, labels: list[str]) -> Figure:
    first = values[:8]
    z = (first - first.mean(axis=1, keepdims=True)) / first.std(axis=1, keepdims=True)
    arguments = {"z": z, "rows": [f"GENE{i}" for i in range(8)], "classes": labels}
    arguments["tracks"] = {"sex": ["F", "M"] * (len(labels) // 2)}
    return Figure(name, draw_heatmap, arguments, "Eight genes, standardised.", "Heat map.")


def _genes(values: np.ndarray, labels: list[str]) -> GeneExplorer:
    is_tumour = np.array(labels) == CLASSES[1]
    change = values[:, is_tumour].mean(axis=1) - values[:, ~is_tumour].mean(axis=1)
    p = np.exp(-np.abs(change) * 6)
    names = [f"{i}_at" for i in range(N_FEATURES)]
    symbols = [f"GENE{i}" for i in range(N_FEATURES)]
    long = pd.DataFrame({
        "feature": np.repeat(names, N_SAMPLES),
        "sample": [f"sample {j}" for j in range(N_SAMPLES)] * N_FEATURES,
        "class": labels * N_FEATURES,
        "group": "",
        "batch": (["plate 1", "plate 2"] * (N_SAMPLES // 2)) * N_FEATURES,
        "value": values.reshape(-1),
    })  # fmt: skip
    content = gene_content(
        pd.DataFrame({"feature": names, "symbol": symbols}),
        long,
        {
            "change.0": change,
            "evidence.0": evidence(p),
            "fdr.0": evidence(np.minimum(1, 10 * p)),
            "auc.0": 1 / (1 + np.exp(-change)),
            "mean": values.mean(axis=1),
        },
        {"core": np.arange(N_FEATURES) < 3, "term": np.ones(N_FEATURES)},
        400_000,
        contrasts=[CLASSES[1]],
        change="log2 fold change",
        unit="log value",
        name="components",
    )
    arguments = {"title": "tumour", "change": change, "p": p, "cut": 0.005, "names": {"GENE0": 0}}
    arguments["xlabel"] = "log2 fold change"
    volcano = Figure("volcano", draw_volcano, arguments, "", "Volcano plot.")
    return GeneExplorer(
        pack=lambda: content,
        series="toy",
        figures=Gallery([volcano], ""),
        caption="How the genes are read.",
    )


def _charts(rng: np.random.Generator, labels: list[str]) -> list[Gallery]:
    rates = np.linspace(0, 1, 12)
    samples = [f"sample {j}" for j in range(N_SAMPLES)]
    components = {"scores": rng.normal(size=(N_SAMPLES, 2)), "groups": labels}
    components |= {"names": [""] * N_SAMPLES, "axes_labels": ("component 1", "component 2")}
    columns = {"class": labels, "age": [str(40 + j) for j in range(N_SAMPLES)]}
    sizes, scores = np.array([10.0, 20.0, 40.0]), np.array([0.6, 0.7, 0.75])
    confusion = {"values": np.array([[0.9, 0.1], [0.2, 0.8]]), "rows": CLASSES, "columns": CLASSES}
    confusion |= {"texts": [["9", "1"], ["2", "8"]], "title": "Confusion", "xlabel": "predicted"}
    components |= {"samples": samples, "columns": columns}
    figures = [
        Figure("components", draw_components, components, "", "Samples."),
        Figure("roc", draw_roc, {"title": "ROC", "curves": {"tumour": (rates, rates**0.3)}}, "",
               "ROC curve."),
        Figure("curve", draw_lines, {"lines": [NamedLine("measured", sizes, scores)],
               "bands": [(sizes, scores - 0.1, scores + 0.1)], "levels": [("chance", 0.5)],
               "xlabel": "training samples", "ylabel": "balanced accuracy"}, "", "A curve."),
        Figure("confusion", draw_matrix, confusion | {"ylabel": "true"}, "", "Confusion matrix."),
    ]  # fmt: skip
    return [Gallery(figures, "How charts are read.")]


def _texts() -> list[Prose | Facts | Table | Group]:
    names, accuracies = [f"set {i}" for i in range(9)], np.linspace(0.5, 0.9, 9)
    frame = pd.DataFrame({"data set": names, "accuracy": accuracies})
    best = frozenset({(8, "accuracy")})
    return [
        Prose("A paragraph has at most 75 letters in a line."),
        Prose("A warning limits the results of its section.", "warning"),
        Prose("An explanation opens on demand.", "help"),
        Facts({"Samples": "24", "Features": "400"}),
        Table(frame, "How the table is read.", {"accuracy": ".2f"}, best=best, title="A table"),
        Group("A group opens and closes", [Code("xnbflow run demo", "A command")], "with a note"),
    ]


if __name__ == "__main__":
    print(write_components(Path(sys.argv[1])))
