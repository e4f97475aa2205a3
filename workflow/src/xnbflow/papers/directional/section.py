"""Directional naive Bayes: the paper's tables and ours, angles, and decision regions.

Lopez-Cruz, Bielza and Larranaga: Tables 1 to 6, Figures 3 to 14.
"""

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.papers.directional import ADJUSTED, COUNTERPARTS, counterpart, counterpart_key
from xnbflow.papers.directional.drawings import Ring, draw_angle, draw_rings, draw_surface
from xnbflow.papers.directional.entries import ANALYSIS
from xnbflow.papers.directional.printed_tables import printed_table
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.tables.contract import Column

#: Samples of a class that are drawn.
_MOST_SAMPLES = 150
_SIGNIFICANT = 0.05

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
        blocks.append(_counterparts(results))
    if len(tables["accuracies"]):
        blocks.append(_accuracy_table(tables, results.study.folds[0]))
        if len(tables["average_ranks"]):
            blocks += [_rank_table(tables), _pair_table(tables)]
        if len(tables["runs"]):
            blocks += _runs(tables)
    if len(tables["complexity"]):
        size = _complexity(tables, printed_table(2))
        blocks.append(Group("Complexity and time", [size], "the paper’s Table 2"))
    blocks += [_angles(tables), _regions(tables)]
    return Section(
        "directional",
        "Directional naive Bayes",
        "Comparison of classifiers for angles: von Mises (vMNB, SelvMNB), Gaussian (GNB, SelGNB) "
        "and discretized (dNB), with the numbers of the paper.",
        blocks,
    )


def _counterparts(results: StudyResults) -> Table:
    """Return the paper's data sets that correspond to ours, with their sizes (Table 6)."""
    paper = printed_table(6).set_index("dataset")
    features = printed_table(2).set_index("dataset")
    paper["features"] = features.loc[features["classifier"] == "vMNB", "features"]
    paper = paper.rename(columns={"instances": "samples"})
    datasets = list(results.study.datasets)
    entries = [
        COUNTERPARTS.get(counterpart_key(d) or "", ("", "not in the paper")) for d in datasets
    ]
    frame = pd.DataFrame(entries, datasets, columns=["paper’s data set", "relation"])
    names = frame["paper’s data set"]
    ours = results.tables["datasets"].set_index("dataset").loc[datasets]
    sizes = ["samples", "features", "classes"]
    for size in sizes:
        frame[size] = ours[size]
        frame[f"{size}, paper"] = names.map(paper[size])
    missing = paper.index.difference(names, sort=False)
    absent = ""
    if len(missing):
        absent = f" Data sets of the paper that are missing here: {', '.join(missing)}."
    caption = (
        "Our data sets, and the paper's data sets (its Tables 2 and 6) for comparison. Numbers "
        f"can agree only where the data set is the same.{absent}"
    )
    formats = dict.fromkeys([f"{size}, paper" for size in sizes], ",.0f")
    rows = frame.rename_axis("dataset").reset_index()
    return results.tables.show("datasets", caption, rows=rows, own=formats)


def _accuracy_table(tables: StudyTables, folds: str) -> Table:
    """Return Table 1, the paper's accuracies and ours."""
    theirs = {"paper": "accuracy, paper", "paper_sd": "sd, paper", "paper_rank": "rank, paper"}
    rows = tables["accuracies"].rename(columns=theirs)
    formats = dict.fromkeys(["accuracy", "sd", "accuracy, paper", "sd, paper"], ".2f")
    formats |= {"rank": "g", "rank, paper": "g"}
    best = [
        (int(i), f"accuracy{whose}")
        for whose in ("", ", paper")
        for i in np.flatnonzero(rows[f"rank{whose}"] == 1)
    ]
    caption = (
        f"Table 1: accuracy in per cent, standard deviation over folds ({folds}) and rank, with "
        "the paper's values. The best of a data set are marked; the paper’s accuracy of dNB "
        "could not be read, but its rank follows from Table 5."
    )
    columns = ["dataset", "classifier", *sorted(formats), "counterpart"]
    return tables.show("accuracies", caption, columns, rows, own=formats, best=frozenset(best))


def _rank_table(tables: StudyTables) -> Table:
    """Return Table 3: average ranks, over the same data sets and over all of each."""
    accuracies = tables["accuracies"]
    lacking = set(accuracies.loc[accuracies["accuracy"].isna(), "dataset"])
    complete = [name for name in accuracies["dataset"].unique() if name not in lacking]
    names = ", ".join(filter(None, map(counterpart, complete)))
    caption = (
        "Table 3: average ranks of accuracy, 1 is best; in the paper’s order. First over the same "
        f"data sets ({names}), the paper’s computed from its Tables 1 and 5; then over all of each."
    )
    columns = ["classifier", "over", "datasets", "ours", "datasets_paper", "paper"]
    return tables.show("average_ranks", caption, columns)


def _pair_table(tables: StudyTables) -> Table:
    """Return Table 4: every pair's adjusted p-values."""
    pairs = tables["pair_tests"]
    caption = (
        "Table 4: p-values of the average ranks, adjusted for ten pairs in two of the paper’s "
        "four ways, Nemenyi’s and Holm’s. Ranks apart are those of the second less those of the "
        "first: above 0 the first is better. Ours are over the "
        f"{pairs['datasets'].iloc[0]} data sets that correspond to the paper’s, the paper’s over "
        "its eight; below 0.05 the two classifiers differ."
    )
    columns = ["pair", "ranks_apart", "ranks_apart_paper"]
    columns += [name for each in ADJUSTED for name in (each, f"{each}_paper")]
    rows = pairs.assign(pair=pairs["first"] + " – " + pairs["second"])
    return tables.show("pair_tests", caption, columns, rows)


def _runs(tables: StudyTables) -> list[Block]:
    """Return Table 5, and the number of the paper's comparisons with the same result."""
    runs = tables["runs"]
    both = runs[runs["paper_direction"] != ""]
    same = both["direction"] == both["paper_direction"]
    sure = both["paper_p"] < _SIGNIFICANT
    ours = sure & same & (both["p"] < _SIGNIFICANT)
    text = (
        f"Of {len(both)} comparisons in the paper on these or similar data sets, "
        f"{len(both[same])} have the same direction here; of the {len(both[sure])} that are "
        f"significant there, {len(both[ours])} are significant here in the same direction."
    )
    if both.empty:
        text = "The paper has tests on sorted runs for none of these data sets."
    caption = (
        "Table 5: Wilcoxon’s signed-rank test on sorted runs, one-sided in the direction of the "
        "sign: “>” means that the first of the pair is more accurate. Because the "
        "direction is chosen from the same data, in the paper as here, equal classifiers get "
        "p < 0.05 nearly twice as often as they should. The difference is in per cent."
    )
    rows = runs.assign(pair=runs["first"] + " – " + runs["second"])
    columns = ["dataset", "pair", "difference", "direction", "p", "counterpart"]
    columns += ["paper_direction", "paper_p"]
    table = tables.show("runs", caption, columns, rows)
    return [
        Prose(text, sources=tables.sources("runs")),
        Group("Each data set by itself", [table], "the paper’s Table 5"),
    ]


def _complexity(tables: StudyTables, paper: pd.DataFrame) -> Table:
    """Return Table 2: the size of the classifiers and the time of their fits."""
    complexity = tables["complexity"]
    names = complexity["dataset"].map(counterpart)
    keys = pd.MultiIndex.from_arrays([names, complexity["classifier"]])
    printed = paper.set_index(["dataset", "classifier"]).reindex(keys)
    formats = {"parameters": ",.1f", "features": ".1f", "angular_percent": ".0f", "seconds": ".4f"}
    beside = {size: f"{size.replace('_percent', ', per cent')}, paper" for size in formats}
    rows = complexity.assign(**{beside[size]: printed[size].to_numpy() for size in formats})
    caption = (
        "Table 2: free parameters and features of each classifier fitted to the whole data set, "
        "the share of angles among the features, and the seconds it took, averaged over runs that "
        "differ in the folds by which features are selected. The paper prints for dNB the "
        "parameters of vMNB; ours are those of the cells that it cuts features into."
    )
    columns = ["dataset", "classifier", *itertools.chain.from_iterable(beside.items())]
    own = {beside[size]: spec for size, spec in formats.items()}
    return tables.show("complexity", caption, columns, rows, own=own)


def _angles(tables: StudyTables) -> Group:
    """Return which density fits the angles, and a figure of each (Figures 13 and 14)."""
    fitted = tables["fitted"]
    of_both = (
        "Log-likelihood of all angles under the von Mises and the Gaussian density fitted to each "
        "class, the gain by von Mises per measured angle, and the number of pairs of an angle and "
        "a class that it fits better. Both have two parameters: the greater likelihood fits "
        "better."
    )
    table = tables.show("likelihoods", of_both)
    blocks: list[Block] = [table, Prose(_ROSES)]
    of_all = (
        "All angles: mean direction and concentration of the von Mises density, mean and standard "
        "deviation of the Gaussian (in degrees), and the log-likelihoods of both."
    )
    angles = ["mean_direction", "mean", "standard_deviation"]
    degrees = fitted.assign(**{name: np.degrees(fitted[name]) for name in angles})
    own = dict.fromkeys(angles, Column("number", "degrees", format=".1f"))
    columns = list(fitted.columns.drop(["dataset", "gain_per_sample"]))
    for dataset, sectors in tables["rose"].groupby("dataset", sort=False):
        figures = [
            _angle_figure(f"angle-{_slug(dataset)}-{i}", tables, dataset, feature)
            for i, feature in enumerate(sectors["feature"].unique())
        ]
        shown = degrees[degrees["dataset"] == dataset]
        table = tables.show("fitted", of_all, columns, shown, own=own)
        caption = "The angles with most information on the class."
        gallery = Gallery(figures, caption, tables.sources("rose", "densities", "fitted"))
        artificial = dataset == "figure 14"
        title = "The artificial data of Figure 14" if artificial else dataset
        note = f"{len(figures)} of {shown['feature'].nunique()} angles"
        blocks.append(Group(title, [gallery, table], note, opened=artificial))
    return Group("Angles: von Mises against Gaussian", blocks, "Figures 13 and 14", opened=True)


def _angle_figure(name: str, tables: StudyTables, dataset: str, feature: str) -> Figure:
    fitted, sectors, curves = (
        tables.rows(table, dataset=dataset, feature=feature)
        for table in ("fitted", "rose", "densities")
    )
    gain = fitted.set_index("class")["gain_per_sample"]
    n = len(gain)
    sector, curve = sectors.iloc[: len(sectors) // n], curves.iloc[: len(curves) // n]
    texts = ", ".join(f"{label} {value:+.2f}" for label, value in gain.items())
    densities = [curves[family].to_numpy().reshape(n, -1) for family in ("von_mises", "gaussian")]
    return Figure(
        name,
        draw_angle,
        {
            "title": feature,
            "classes": gain.index.tolist(),
            "notes": [f"{value:+.2f}" for value in gain],
            "edges": np.append(sector["sector_start"], sector["sector_end"].iloc[-1]),
            "counts": sectors["samples"].to_numpy().reshape(n, -1),
            "grid": curve["angle"].to_numpy(),
            "densities": np.array(densities),
        },
        "",
        f"Rose diagrams and fitted densities of {feature} per class; gain in log-likelihood of "
        f"von Mises over Gaussian per sample: {texts}.",
    )


def _regions(tables: StudyTables) -> Group:
    """Return a gallery of decision regions per space, and the numbers that the paper prints."""
    regions, printed = tables["regions"], tables["printed"]
    sources = tables.sources("regions", "samples", "boundaries")
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
        f"{len(printed)} equal the printed ones to four decimals."
    )
    columns = ["example", "quantity", "paper", "computed"]
    blocks.append(tables.show("printed", caption, columns))
    return Group("Decision regions", blocks, "Figures 3 to 12", opened=True)


def _region_figure(tables: StudyTables, example: str, space: str) -> Figure:
    names = ("regions", "samples", "boundaries")
    grid, samples, boundary = (tables.rows(name, example=example) for name in names)
    classes = sorted({*grid["predicted"], *samples["class"]})
    grid = grid.assign(code=pd.Categorical(grid["predicted"], categories=classes).codes)
    drawn = [samples[samples["class"] == label].head(_MOST_SAMPLES) for label in classes]
    title = example.capitalize() if " " in example else example
    right = ""
    if len(samples):
        n_right = np.count_nonzero(samples["class"] == samples["predicted"])
        right = f"; {n_right} of {len(samples)} samples are on the right side"
    arguments: dict[str, Any] = {"title": title, "classes": classes}
    place = ["first", "second"]
    if space in {"circle", "circles"}:
        several = grid["second"].nunique() > 1
        arguments["rings"] = [
            Ring(
                f"category {category:g}" if several else "",
                at["first"].to_numpy(),
                at["code"].to_numpy(),
                [own.loc[own["second"] == category, "first"].to_numpy() for own in drawn],
                boundary.loc[boundary["second"] == category, "first"].to_numpy(),
            )
            for category, at in grid.groupby("second")
        ]
    else:
        if space == "sphere":
            grid, boundary, *drawn = (
                each.assign(second=np.sin(each["second"])) for each in (grid, boundary, *drawn)
            )
        wide = grid.pivot(index="second", columns="first", values="code")
        angles = ("φ", "ψ") if example.startswith("protein") else ("first angle", "second angle")
        labels = {"torus": angles, "sphere": ("longitude", "sine of latitude")}
        arguments |= {
            "grid": (wide.columns.to_numpy(), wide.index.to_numpy()),
            "predicted": wide.to_numpy(),
            "samples": [own[place].to_numpy() for own in drawn],
            "boundary": [curve[place].to_numpy() for _, curve in boundary.groupby("curve")],
            "labels": labels.get(space, ("angle", "real number")),
            "torus": space == "torus",
        }
    return Figure(
        f"regions-{_slug(example)}",
        draw_rings if "rings" in arguments else draw_surface,
        arguments,
        "",
        f"{title}: decision regions of classes {' and '.join(classes)} on the {space}{right}.",
    )


def _slug(name: str) -> str:
    """Return a name of a file, as ``figure-14``."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name)
