"""Directional naive Bayes: the paper's tables beside ours, angles, and decision regions.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers: Tables 1 to 6, Figures 3 to
14.
"""

import re
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import Column
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.directional import ANALYSIS
from xnbflow.studies.directional.drawings import (
    Ring,
    draw_angle,
    draw_rings,
    draw_sphere,
    draw_unrolled,
)
from xnbflow.studies.directional.section_tables import (
    accuracy_blocks,
    complexity_table,
    counterpart_table,
)

__all__ = ["section"]

#: Samples of a class that are drawn.
MOST_SAMPLES = 150

_ROSES = (
    "In the pictures a row is a class. Left, a rose diagram: a sector’s area is the share of the "
    "class’s samples in that direction; 0° is marked at the right and angles grow "
    "counter-clockwise. Right, the same along one turn (grey), with the fitted von Mises "
    "(coloured) and Gaussian density (dashed). Its left and right edge are the same direction: a "
    "dashed line that ends at different heights is wrong about it. The number is how much greater "
    "the von Mises’ log-likelihood is per sample; above 0 it fits better."
)

_SHOWN = "The angles that separate the classes best, drawn as described above."

#: What the pictures of decision regions show.
_REGIONS = ("regions", "samples", "boundaries")

_SPACES = {
    "circle": (
        "One angle (Figures 3 to 5). The ring’s colour is the class that von Mises naive Bayes, "
        "fitted to the dots around it, gives to that direction; the line across joins the two "
        "angles of Theorem 1 (in radians), where the true classes are equally probable. Where it "
        "misses the change of colour, the sample was too small to find it."
    ),
    "torus": (
        "Two angles (Figure 6, and proteins’ dihedral angles). A torus cut open: what leaves at "
        "the right comes in at the left, and at the top at the bottom. Shaded: what von Mises "
        "naive Bayes predicts; the line: Theorem 2’s curve, of the true distributions in the "
        "example and of the fitted ones in real data. Dots are some of the example’s samples."
    ),
    "sphere": (
        "A direction in space (Figures 7 to 9). The same ball from the side of the two classes and "
        "from behind; small rings are where the axes come out. Shaded: what von Mises-Fisher "
        "naive Bayes predicts; the line: the circle in which Theorem 3’s plane cuts the ball."
    ),
    "cylinder": (
        "An angle and a real number (Figures 10 and 11). A cylinder cut open: the left edge "
        "continues at the right. Shaded: what the hybrid classifier, fitted to the dots, predicts; "
        "the line: the surface between the true distributions, a plane through the cylinder if the "
        "Gaussians’ variances are equal (Figure 10) and bent back if they are not (Figure 11)."
    ),
    "circles": (
        "An angle and a category (Figure 12). A circle per category, to be read as the circles "
        "above; the category moves the boundary, and the lines across stay parallel."
    ),
}


def section(results: StudyResults) -> Section | None:
    """Return the study of directional naive Bayes beside the paper's."""
    tables = results.analysis(ANALYSIS)
    blocks: list[Block] = []
    if results.study.datasets:
        blocks.append(counterpart_table(results))
    blocks += accuracy_blocks(results)
    if len(tables["complexity"]):
        size = complexity_table(tables, results.published["directional_table2"])
        blocks.append(Group("Complexity and time", [size], "the paper’s Table 2"))
    blocks.append(_angles(tables))
    blocks.append(_regions(tables))
    return Section(
        "directional",
        "Directional naive Bayes",
        "Whether angles should be treated as angles: von Mises classifiers (vMNB, SelvMNB) against "
        "Gaussian ones (GNB, SelGNB) and discretized ones (dNB), beside the numbers of the paper.",
        blocks,
    )


def _angles(tables: StudyTables) -> Group:
    """Return which density fits the angles, and a picture of each (Figures 13 and 14)."""
    fitted, rose, densities = (tables[name] for name in ("fitted", "rose", "densities"))
    blocks: list[Block] = [_likelihood_table(tables), Prose(_ROSES)]
    sources = tables.sources("rose", "densities", "fitted")
    for dataset, sectors in rose.groupby("dataset", sort=False):
        own = fitted[fitted["dataset"] == dataset]
        curves = densities[densities["dataset"] == dataset]
        figures = [
            _angle_figure(f"angle-{_slug(dataset)}-{i}", own, sectors, curves, feature)
            for i, feature in enumerate(sectors["feature"].unique())
        ]
        title = dataset if dataset != "figure 14" else "The artificial data of Figure 14"
        content: list[Block] = [Gallery(figures, _SHOWN, sources), _fitted_table(tables, own)]
        note = f"{len(figures)} of {len(own['feature'].unique())} angles"
        blocks.append(Group(title, content, note, opened=dataset == "figure 14"))
    return Group("Angles: von Mises against Gaussian", blocks, "Figures 13 and 14", opened=True)


def _likelihood_table(tables: StudyTables) -> Table:
    """Return how well both families fit each data set's angles, all together."""
    rows = tables["likelihoods"]
    rows = rows.assign(better=[f"{row.better} of {row.pairs}" for row in rows.itertuples()])
    caption = (
        "Log-likelihood of all angles under the von Mises and the Gaussian density fitted to each "
        "class, what von Mises gains per measured angle, and for how many pairs of an angle and a "
        "class it fits better. Both have two parameters, so the greater one wins."
    )
    columns = ["dataset", "angles", "von_mises", "gaussian", "gain_per_angle", "better"]
    return tables.show("likelihoods", caption, columns, rows)


def _fitted_table(tables: StudyTables, fitted: pd.DataFrame) -> Table:
    degrees = {n: np.degrees(fitted[n]) for n in ("mean_direction", "mean", "standard_deviation")}
    caption = (
        "All angles: mean direction and concentration of the von Mises density, mean and standard "
        "deviation of the Gaussian (in degrees), and the log-likelihoods of both."
    )
    columns = ["feature", "class", "samples", "mean_direction", "concentration", "mean"]
    columns += ["standard_deviation", "von_mises_log_likelihood", "gaussian_log_likelihood", "gain"]
    return tables.show(
        "fitted",
        caption,
        columns,
        fitted.assign(**degrees),
        own={"feature": Column("text", label="angle"), **dict.fromkeys(degrees, _DEGREES)},
    )


_DEGREES = Column("number", "in degrees", format=".1f")


def _angle_figure(
    name: str, fitted: pd.DataFrame, rose: pd.DataFrame, densities: pd.DataFrame, feature: str
) -> Figure:
    fit = fitted[fitted["feature"] == feature].set_index("class")
    sectors, curves = (table[table["feature"] == feature] for table in (rose, densities))
    classes = fit.index.tolist()
    by_class = [sectors[sectors["class"] == label] for label in classes]
    edges = np.append(by_class[0]["sector_start"], by_class[0]["sector_end"].iloc[-1])
    lines = [curves[curves["class"] == label] for label in classes]
    gain = fit["gain_per_sample"]
    said = ", ".join(f"{label} {value:+.2f}" for label, value in gain.items())
    return Figure(
        name,
        draw_angle,
        {
            "title": feature,
            "classes": classes,
            "notes": [f"{value:+.2f}" for value in gain],
            "edges": edges,
            "counts": np.array([part["samples"] for part in by_class]),
            "grid": lines[0]["angle"].to_numpy(),
            "densities": np.array([[line[f] for line in lines] for f in ("von_mises", "gaussian")]),
        },
        "",
        f"Rose diagrams and fitted densities of {feature} per class; gain in log-likelihood of "
        f"von Mises over Gaussian per sample: {said}.",
    )


def _regions(tables: StudyTables) -> Group:
    """Return a gallery of decision regions per space, and the numbers that the paper prints."""
    regions = tables["regions"]
    blocks: list[Block] = []
    for space, caption in _SPACES.items():
        examples = regions.loc[regions["space"] == space, "example"].unique()
        if len(examples):
            figures = [_region_figure(tables, example, space) for example in examples]
            blocks.append(Gallery(figures, caption, tables.sources(*_REGIONS)))
    blocks.append(_printed_table(tables))
    return Group("Decision regions", blocks, "Figures 3 to 12", opened=True)


def _region_figure(tables: StudyTables, example: str, space: str) -> Figure:
    grid, samples, boundary = (tables.rows(name, example=example) for name in _REGIONS)
    classes = sorted({*grid["predicted"], *samples["class"]})
    drawn = [samples[samples["class"] == label].head(MOST_SAMPLES) for label in classes]
    common = {"title": example.capitalize() if " " in example else example, "classes": classes}
    if space in {"circle", "circles"}:
        draw, arguments = draw_rings, {"rings": _rings(grid, drawn, boundary, classes)}
    else:
        draw, arguments = _surface(space, example, grid, drawn, boundary, classes)
    n_right = len(samples[samples["class"] == samples["predicted"]])
    right = f"; {n_right} of {len(samples)} samples are on the right side" if len(samples) else ""
    return Figure(
        f"regions-{_slug(example)}",
        draw,
        common | arguments,
        "",
        f"{common['title']}: decision regions of classes {' and '.join(classes)} on the {space}"
        f"{right}.",
    )


def _rings(
    grid: pd.DataFrame, samples: list[pd.DataFrame], boundary: pd.DataFrame, classes: list[str]
) -> list[Ring]:
    """Return a ring per category, one if there is none."""
    categories = grid["second"].unique()
    rings = []
    for category in categories:
        at = grid[grid["second"] == category]
        rings.append(
            Ring(
                f"category {category:g}" if len(categories) > 1 else "",
                at["first"].to_numpy(),
                _codes(at["predicted"], classes),
                [own.loc[own["second"] == category, "first"].to_numpy() for own in samples],
                boundary.loc[boundary["second"] == category, "first"].to_numpy(),
            )
        )
    return rings


def _surface(
    space: str,
    example: str,
    grid: pd.DataFrame,
    samples: list[pd.DataFrame],
    boundary: pd.DataFrame,
    classes: list[str],
) -> tuple[Any, dict[str, Any]]:
    """Return how a torus, sphere or cylinder is drawn, and from what."""
    first, second = grid["first"].unique(), grid["second"].unique()
    arguments: dict[str, Any] = {
        "grid": (first, second),
        "predicted": _codes(grid["predicted"], classes).reshape(len(second), len(first)),
        "samples": [own[["first", "second"]].to_numpy() for own in samples],
    }
    if space == "sphere":
        return draw_sphere, arguments | {"boundary": boundary[["first", "second"]].to_numpy()}
    arguments["boundary"] = [
        curve[["first", "second"]].to_numpy() for _, curve in boundary.groupby("curve")
    ]
    arguments["torus"] = space == "torus"
    arguments["labels"] = ("angle", "real number")
    if space == "torus":
        protein = example.startswith("protein")
        arguments["labels"] = ("φ", "ψ") if protein else ("first angle", "second angle")
    return draw_unrolled, arguments


def _codes(labels: pd.Series, classes: list[str]) -> np.ndarray:
    return pd.Categorical(labels, categories=classes).codes


def _printed_table(tables: StudyTables) -> Table:
    printed = tables["printed"]
    agree = len(printed[printed["agrees"]])
    caption = (
        "Numbers that the paper prints for its examples, and ours: angles in radians; planes "
        "through the sphere with the paper’s directions, which in Figure 7 are not of length 1; "
        "and the classes of two angles in Figure 14. "
        f"{agree} of {len(printed)} come out as printed, to four decimals."
    )
    return tables.show("printed", caption, ["example", "quantity", "paper", "computed"])


def _slug(name: str) -> str:
    """Return a name of a file.

    Examples
    --------
    >>> _slug("figure 14")
    'figure-14'
    """
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name)
