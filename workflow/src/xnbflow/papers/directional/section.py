"""Directional naive Bayes: the paper's tables and ours, angles, and decision regions.

Lopez-Cruz, Bielza and Larranaga: Tables 1 to 6, Figures 1 to 14.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.papers.directional import ADJUSTMENTS, counterpart, counterpart_name
from xnbflow.papers.directional.drawings import (
    Ring,
    draw_angle,
    draw_directions,
    draw_rings,
    draw_surface,
)
from xnbflow.papers.directional.entries import ANALYSIS
from xnbflow.papers.directional.printed_tables import printed_table
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.tables.contract import Column

#: Samples of a class that are drawn.
_MOST_SAMPLES = 150
#: The level of the paper's tests.
_SIGNIFICANT = 0.05

_DISTRIBUTIONS = (
    "100 random points of each distribution. The line from the centre is the mean of the points as "
    "unit vectors: it has the sample’s mean direction, and its length is the mean resultant "
    "length, from which the concentration is estimated. The sphere is seen from the side."
)
_ROSES = (
    "In the figures a row is a class. Left, a rose diagram: a sector’s area is the share of the "
    "class’s samples in that direction; 0° is marked at the right and angles grow "
    "counter-clockwise. Right, the same along one turn (grey), with the fitted von Mises "
    "(coloured) and Gaussian density (dashed); its left and right edge are the same direction. "
    "The number is the gain in log-likelihood per sample by the von Mises density."
)

_SPACES = {
    "circle": (
        "One angle (Figures 3 to 5). The ring’s colour is the class that von Mises naive Bayes, "
        "fitted to the dots around it, gives to that direction; the line across joins the two "
        "angles of Theorem 1 (in radians), where the true classes are equally probable."
    ),
    "torus": (
        "Two angles (Figure 6, and proteins’ dihedral angles). A torus cut open: opposite edges "
        "are the same. Shaded: what von Mises naive Bayes predicts; the line: Theorem 2’s curve, "
        "of the true distributions in the example and of the fitted ones in real data. Dots are "
        "some of the example’s samples."
    ),
    "sphere": (
        "A direction in space (Figures 7 to 9). The whole sphere in Lambert’s cylindrical map, "
        "where areas are true and the left and right edge are the same. Shaded: what von "
        "Mises-Fisher naive Bayes predicts; the line: the circle in which Theorem 3’s plane cuts "
        "the sphere."
    ),
    "cylinder": (
        "An angle and a real number (Figures 10 and 11). A cylinder cut open: the left edge "
        "continues at the right. Shaded: what the hybrid classifier predicts; the line: the "
        "surface between the true distributions, a plane through the cylinder if the Gaussians’ "
        "variances are equal (Figure 10) and bent back if they are not (Figure 11)."
    ),
    "circles": (
        "An angle and a category (Figure 12), a circle per category; the category moves the "
        "boundary, and the lines across stay parallel."
    ),
}


def section(results: StudyResults) -> Section | None:
    """Return the study of directional naive Bayes with the paper's results."""
    tables = results.analysis(ANALYSIS)
    blocks: list[Block] = []
    if results.study.datasets:
        blocks.append(_data_set_table(results))
    if len(tables["accuracies"]):
        blocks.append(_accuracy_table(tables, results.study.folds[0]))
        if len(tables["average_ranks"]):
            blocks += [_rank_table(tables), _pair_table(tables)]
        if len(tables["runs"]):
            blocks += _sorted_runs(tables)
    if len(tables["complexity"]):
        complexity = _complexity_table(tables)
        blocks.append(Group("Complexity and time", [complexity], "the paper’s Table 2"))
    blocks += [_distributions(tables), _angles(tables), _regions(tables)]
    return Section(
        "directional",
        "Directional naive Bayes",
        "Comparison of classifiers for angles: von Mises (vMNB, SelvMNB), Gaussian (GNB, SelGNB) "
        "and discretized (dNB), with the numbers of the paper.",
        blocks,
    )


def _data_set_table(results: StudyResults) -> Table:
    """Return the paper's data sets that correspond to ours, with their sizes (Table 6)."""
    paper = printed_table(6).set_index("dataset").rename(columns={"instances": "samples"})
    complexity = printed_table(2).set_index("dataset")
    # Table 6 counts more features than the classifiers of Table 2 use.
    paper["features"] = complexity.loc[complexity["classifier"] == "vMNB", "features"]

    datasets = list(results.study.datasets)
    entries = [counterpart(dataset) for dataset in datasets]
    frame = pd.DataFrame(
        {
            "paper’s data set": [entry.name if entry else "" for entry in entries],
            "relation": [entry.relation if entry else "not in the paper" for entry in entries],
        },
        index=pd.Index(datasets, name="dataset"),
    )
    names = frame["paper’s data set"]
    sizes = results.tables["datasets"].set_index("dataset").loc[datasets]
    formats = {}
    for size in ("samples", "features", "classes"):
        frame[size] = sizes[size]
        frame[f"{size}, paper"] = names.map(paper[size])
        formats[f"{size}, paper"] = ",.0f"
    caption = (
        "Our data sets, and the paper's data sets (its Tables 2 and 6) for comparison. Numbers "
        "can agree only where the data set is the same."
    )
    missing = paper.index.difference(names, sort=False)
    if len(missing) == 1:
        caption += f" The paper’s data set {missing[0]} is missing here."
    elif len(missing):
        caption += f" The paper’s data sets {', '.join(missing)} are missing here."
    return results.tables.show("datasets", caption, rows=frame.reset_index(), declarations=formats)


def _accuracy_table(tables: PageTables, folds: str) -> Table:
    """Return Table 1, the paper's accuracies and ours."""
    rows = tables["accuracies"].rename(
        columns={"paper": "accuracy, paper", "paper_sd": "sd, paper", "paper_rank": "rank, paper"}
    )
    formats = {
        "accuracy": ".2f",
        "accuracy, paper": ".2f",
        "rank": "g",
        "rank, paper": "g",
        "sd": ".2f",
        "sd, paper": ".2f",
    }
    best_of_ours = [(int(row), "accuracy") for row in np.flatnonzero(rows["rank"] == 1)]
    best_of_paper = [
        (int(row), "accuracy, paper") for row in np.flatnonzero(rows["rank, paper"] == 1)
    ]
    caption = (
        f"Table 1: accuracy in per cent, standard deviation over folds ({folds}) and rank, with "
        "the paper's values. The best of a data set are marked; the paper’s accuracy of dNB "
        "could not be read, but its rank follows from Table 5."
    )
    columns = ["dataset", "classifier", *formats, "counterpart"]
    best = frozenset(best_of_ours + best_of_paper)
    return tables.show("accuracies", caption, columns, rows, declarations=formats, best=best)


def _rank_table(tables: PageTables) -> Table:
    """Return Table 3: average ranks, over the same data sets and over all of each."""
    accuracies = tables["accuracies"]
    incomplete = set(accuracies.loc[accuracies["accuracy"].isna(), "dataset"])
    complete = [name for name in accuracies["dataset"].unique() if name not in incomplete]
    names = ", ".join(filter(None, map(counterpart_name, complete)))
    caption = (
        "Table 3: average ranks of accuracy, 1 is best; in the paper’s order. First over the same "
        f"data sets ({names}), the paper’s computed from its Tables 1 and 5; then over all of each."
    )
    columns = ["classifier", "over", "datasets", "ours", "datasets_paper", "paper"]
    return tables.show("average_ranks", caption, columns)


def _pair_table(tables: PageTables) -> Table:
    """Return Table 4: every pair's adjusted p-values."""
    pairs = tables["pair_tests"]
    caption = (
        "Table 4: p-values of the average ranks, adjusted for ten pairs in the paper’s four ways. "
        "Holm’s procedure is valid for any hypotheses; Shaffer’s and Bergmann and Hommel’s use "
        "that two equal classifiers differ equally from a third, and adjust less. Ranks apart are "
        "those of the second less those of the first: above 0 the first is better. Ours are over "
        f"the {pairs['datasets'].iloc[0]} data sets that correspond to the paper’s, the paper’s "
        "over its eight; below 0.05 the two classifiers differ."
    )
    columns = ["pair", "ranks_apart", "ranks_apart_paper"]
    for adjustment in ADJUSTMENTS:
        columns += [adjustment, f"{adjustment}_paper"]
    rows = pairs.assign(pair=pairs["first"] + " – " + pairs["second"])
    return tables.show("pair_tests", caption, columns, rows)


def _sorted_runs(tables: PageTables) -> list[Block]:
    """Return Table 5: tests of the classifiers on one data set, by the runs of a cross-validation.

    A run is one repetition; Wilcoxon's test compares the sorted accuracies of all runs. The text
    counts the comparisons of the paper with the same result.
    """
    runs = tables["runs"]
    in_paper = runs[runs["paper_direction"] != ""]
    same_direction = in_paper["direction"] == in_paper["paper_direction"]
    significant_in_paper = in_paper["paper_p"] < _SIGNIFICANT
    significant_in_both = significant_in_paper & same_direction & (in_paper["p"] < _SIGNIFICANT)
    text = (
        f"Of {len(in_paper)} comparisons in the paper on these or similar data sets, "
        f"{np.count_nonzero(same_direction)} have the same direction here; of the "
        f"{np.count_nonzero(significant_in_paper)} that are significant there, "
        f"{np.count_nonzero(significant_in_both)} are significant here in the same direction."
    )
    if in_paper.empty:
        text = "The paper has tests on sorted runs for none of these data sets."
    caption = (
        "Table 5: Wilcoxon’s signed-rank test on sorted runs, one-sided in the direction of the "
        "sign: “>” means that the first of the pair is more accurate. Because the direction is "
        "chosen from the same data, equal classifiers get p < 0.05 nearly twice as often as they "
        "should. The difference is in per cent."
    )
    rows = runs.assign(pair=runs["first"] + " – " + runs["second"])
    columns = ["dataset", "pair", "difference", "direction", "p", "counterpart"]
    columns += ["paper_direction", "paper_p"]
    table = tables.show("runs", caption, columns, rows)
    return [
        Prose(text, sources=tables.sources("runs")),
        Group("Each data set by itself", [table], "the paper’s Table 5"),
    ]


def _complexity_table(tables: PageTables) -> Table:
    """Return Table 2: the size of the classifiers and the time of their fits."""
    paper = printed_table(2)
    rows = tables["complexity"].merge(tables["seconds"], on=["dataset", "classifier"])
    names = rows["dataset"].map(counterpart_name)
    keys = pd.MultiIndex.from_arrays([names, rows["classifier"]])
    printed = paper.set_index(["dataset", "classifier"]).reindex(keys)
    columns = ["dataset", "classifier"]
    formats = {}
    for size, heading, spec in (
        ("parameters", "parameters, paper", ",.1f"),
        ("features", "features, paper", ".1f"),
        ("angular_percent", "angular, per cent, paper", ".0f"),
        ("seconds", "seconds, paper", ".4f"),
    ):
        rows[heading] = printed[size].to_numpy()
        formats[heading] = spec
        columns += [size, heading]
    caption = (
        "Table 2: free parameters and features of each classifier fitted to the whole data set, "
        "the share of angles among the features, and the seconds that the fit took, averaged over "
        "runs that differ in the folds by which features are selected. The paper prints for dNB "
        "the parameters of vMNB; ours are those of the intervals into which it cuts features."
    )
    return tables.show("complexity", caption, columns, rows, declarations=formats)


def _distributions(tables: PageTables) -> Group:
    """Return samples of both distributions with their mean directions (Figures 1 and 2)."""
    figures = []
    for example, points in tables["points"].groupby("example", sort=False):
        is_sphere = points["z"].notna().all()
        # A sphere is seen along its second axis.
        plane = ["x", "z"] if is_sphere else ["x", "y"]
        estimates = tables.rows("directions", example=example, parameters="estimated").iloc[0]
        length = estimates["resultant_length"]
        distribution = "von Mises-Fisher" if is_sphere else "von Mises"
        title = f"{example.capitalize()}: {distribution}"
        arguments = {
            "title": title,
            "points": points[plane].to_numpy(),
            "mean": length * estimates[plane].to_numpy(dtype=float),
        }
        alt = (
            f"{title}, {len(points)} points; the mean of the unit vectors has the length "
            f"{length:.2f}."
        )
        name = f"distribution-{_slug(example)}"
        figures.append(Figure(name, draw_directions, arguments=arguments, caption="", alt=alt))
    gallery = Gallery(figures, _DISTRIBUTIONS, tables.sources("points", "directions"))
    caption = (
        "Mean direction, mean resultant length and concentration: the true ones, and the estimates "
        "from the points."
    )
    columns = ["example", "parameters", "x", "y", "z", "resultant_length", "concentration"]
    blocks: list[Block] = [gallery, tables.show("directions", caption, columns)]
    return Group("Distributions on the circle and on the sphere", blocks, "Figures 1 and 2")


def _angles(tables: PageTables) -> Group:
    """Return which density fits the angles, and a figure of each (Figures 13 and 14)."""
    fitted = tables["fitted"]
    likelihood_caption = (
        "Log-likelihood of all angles under the von Mises and the Gaussian density fitted to each "
        "class, the gain by von Mises per measured angle, and the number of pairs of an angle and "
        "a class that it fits better. Both have two parameters: the greater likelihood fits "
        "better."
    )
    table = tables.show("likelihoods", likelihood_caption)
    blocks: list[Block] = [table, Prose(_ROSES)]
    angle_caption = (
        "All angles: mean direction and concentration of the von Mises density, mean and standard "
        "deviation of the Gaussian (in degrees), and the log-likelihoods of both."
    )
    in_degrees = ["mean_direction", "mean", "standard_deviation"]
    degrees = fitted.assign(**{name: np.degrees(fitted[name]) for name in in_degrees})
    formats = dict.fromkeys(in_degrees, Column("number", "degrees", format=".1f"))
    columns = list(fitted.columns.drop(["dataset", "gain_per_sample"]))
    for dataset, sectors in tables["rose"].groupby("dataset", sort=False):
        figures = [
            _angle_figure(f"angle-{_slug(dataset)}-{i}", tables, dataset, feature)
            for i, feature in enumerate(sectors["feature"].unique())
        ]
        rows = degrees[degrees["dataset"] == dataset]
        table = tables.show("fitted", angle_caption, columns, rows, declarations=formats)
        caption = "The angles with most information on the class."
        gallery = Gallery(figures, caption, tables.sources("rose", "densities", "fitted"))
        is_artificial = dataset == "figure 14"
        title = "The artificial data of Figure 14" if is_artificial else dataset
        note = f"{len(figures)} of {rows['feature'].nunique()} angles"
        blocks.append(Group(title, [gallery, table], note, opened=is_artificial))
    return Group("Angles: von Mises against Gaussian", blocks, "Figures 13 and 14", opened=True)


def _angle_figure(name: str, tables: PageTables, dataset: str, feature: str) -> Figure:
    """Return the rose diagrams and densities of one angle, a row per class."""
    fitted = tables.rows("fitted", dataset=dataset, feature=feature)
    sectors = tables.rows("rose", dataset=dataset, feature=feature)
    curves = tables.rows("densities", dataset=dataset, feature=feature)
    gain = fitted.set_index("class")["gain_per_sample"]
    n_classes = len(gain)
    # The rows are ordered by class. All classes have the same sectors and the same grid, so that
    # the rows of the first class have the edges and the angles.
    first_sectors = sectors.iloc[: len(sectors) // n_classes]
    first_curve = curves.iloc[: len(curves) // n_classes]
    densities = [
        curves["von_mises"].to_numpy().reshape(n_classes, -1),
        curves["gaussian"].to_numpy().reshape(n_classes, -1),
    ]
    gains = ", ".join(f"{label} {value:+.2f}" for label, value in gain.items())
    return Figure(
        name,
        draw_angle,
        arguments={
            "title": feature,
            "classes": gain.index.tolist(),
            "notes": [f"{value:+.2f}" for value in gain],
            "edges": np.append(first_sectors["sector_start"], first_sectors["sector_end"].iloc[-1]),
            "counts": sectors["samples"].to_numpy().reshape(n_classes, -1),
            "grid": first_curve["angle"].to_numpy(),
            "densities": np.array(densities),
        },
        caption="",
        alt=f"Rose diagrams and fitted densities of {feature} per class; gain in log-likelihood of "
        f"von Mises over Gaussian per sample: {gains}.",
    )


def _regions(tables: PageTables) -> Group:
    """Return a gallery of decision regions per space, and the numbers that the paper prints."""
    regions = tables.rows("examples", kind="region")
    printed = tables["printed"]
    sources = tables.sources("examples")
    blocks: list[Block] = []
    for space, caption in _SPACES.items():
        examples = regions.loc[regions["space"] == space, "example"].unique()
        if len(examples):
            figures = [_region_figure(tables, example, space) for example in examples]
            blocks.append(Gallery(figures, caption, sources))
    caption = (
        "Numbers that the paper prints for its examples, and ours: angles in radians; planes "
        "through the sphere with the paper’s directions, which in Figure 7 are not of length 1; "
        f"and the classes of two angles in Figure 14. {np.count_nonzero(printed['agrees'])} of "
        f"{len(printed)} round to the printed ones."
    )
    columns = ["example", "quantity", "paper", "computed", "agrees"]
    blocks.append(tables.show("printed", caption, columns))
    return Group("Decision regions", blocks, "Figures 3 to 12", opened=True)


def _region_figure(tables: PageTables, example: str, space: str) -> Figure:
    """Return the decision regions of an example, with some of its samples and the boundary."""
    grid = tables.rows("examples", kind="region", example=example)
    samples = tables.rows("examples", kind="sample", example=example)
    boundary = tables.rows("examples", kind="boundary", example=example)
    classes = sorted({*grid["predicted"], *samples["class"]})
    grid = grid.assign(code=pd.Categorical(grid["predicted"], categories=classes).codes)
    drawn = [samples[samples["class"] == label].head(_MOST_SAMPLES) for label in classes]
    title = example.capitalize() if " " in example else example
    alt = f"{title}: decision regions of classes {' and '.join(classes)} on the {space}"
    if len(samples):
        n_correct = np.count_nonzero(samples["class"] == samples["predicted"])
        alt += f"; {n_correct} of {len(samples)} samples are predicted correctly"
    arguments: dict[str, Any] = {"title": title, "classes": classes}
    if space in {"circle", "circles"}:
        arguments["rings"] = _rings(grid, drawn, boundary)
        return Figure(
            f"regions-{_slug(example)}", draw_rings, arguments=arguments, caption="", alt=f"{alt}."
        )
    arguments |= _surface(grid, drawn, boundary, space=space)
    if example.startswith("protein"):
        arguments["labels"] = ("φ", "ψ")
    return Figure(
        f"regions-{_slug(example)}", draw_surface, arguments=arguments, caption="", alt=f"{alt}."
    )


def _rings(grid: pd.DataFrame, samples: list[pd.DataFrame], boundary: pd.DataFrame) -> list[Ring]:
    """Return a ring per category, or one for an angle alone."""
    several = grid["second"].nunique() > 1
    rings = []
    for category, points in grid.groupby("second"):
        category_samples = [rows.loc[rows["second"] == category, "first"] for rows in samples]
        crossings = boundary.loc[boundary["second"] == category, "first"]
        rings.append(
            Ring(
                title=f"category {category:g}" if several else "",
                angles=points["first"].to_numpy(),
                predicted=points["code"].to_numpy(),
                samples=[angles.to_numpy() for angles in category_samples],
                boundary=crossings.to_numpy(),
            )
        )
    return rings


def _surface(
    grid: pd.DataFrame, samples: list[pd.DataFrame], boundary: pd.DataFrame, *, space: str
) -> Mapping[str, Any]:
    """Return the arguments of `draw_surface`; a sphere is in Lambert's cylindrical map."""
    if space == "sphere":
        grid = grid.assign(second=np.sin(grid["second"]))
        boundary = boundary.assign(second=np.sin(boundary["second"]))
        samples = [rows.assign(second=np.sin(rows["second"])) for rows in samples]
    wide = grid.pivot(index="second", columns="first", values="code")
    coordinates = ["first", "second"]
    labels = {
        "torus": ("first angle", "second angle"),
        "sphere": ("longitude", "sine of latitude"),
        "cylinder": ("angle", "real number"),
    }
    return {
        "grid": (wide.columns.to_numpy(), wide.index.to_numpy()),
        "predicted": wide.to_numpy(),
        "samples": [rows[coordinates].to_numpy() for rows in samples],
        "boundary": [curve[coordinates].to_numpy() for _, curve in boundary.groupby("curve")],
        "labels": labels[space],
        "torus": space == "torus",
    }


def _slug(name: str) -> str:
    """Return a text as part of a file's name: "figure 14" becomes "figure-14"."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name)
