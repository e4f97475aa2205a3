"""Directional naive Bayes: the paper's tables beside ours, angles, and decision regions.

Lopez-Cruz, Bielza and Larranaga, Directional naive Bayes classifiers: Tables 1 to 6, Figures 3 to
14.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing

from xnbflow.data.contract import Column
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults, StudyTables
from xnbflow.studies.directional import (
    ADJUSTED,
    ANALYSIS,
    CLASSIFIERS,
    COUNTERPARTS,
    counterpart,
    counterpart_key,
)
from xnbflow.studies.directional.drawings import (
    Ring,
    draw_angle,
    draw_rings,
    draw_sphere,
    draw_unrolled,
)

__all__ = ["section"]

#: Samples of a class that are drawn.
_MOST_SAMPLES = 150
_SIGNIFICANT = 0.05
#: What must not be torn apart at the end of a line.
_SPACE = "\N{NO-BREAK SPACE}"

_ROSES = (
    "In the pictures a row is a class. Left, a rose diagram: a sector’s area is the share of the "
    "class’s samples in that direction; 0° is marked at the right and angles grow "
    "counter-clockwise. Right, the same along one turn (grey), with the fitted von Mises "
    "(coloured) and Gaussian density (dashed). Its left and right edge are the same direction: a "
    "dashed line that ends at different heights is wrong about it. The number is how much greater "
    "the von Mises’ log-likelihood is per sample; above 0 it fits better."
)


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
        blocks.append(_counterparts(results))
    blocks += _accuracy(results, tables)
    if len(tables["complexity"]):
        size = _complexity(tables, results.published["directional_table2"])
        blocks.append(Group("Complexity and time", [size], "the paper’s Table 2"))
    blocks += [_angles(tables), _regions(tables)]
    return Section(
        "directional",
        "Directional naive Bayes",
        "Whether angles should be treated as angles: von Mises classifiers (vMNB, SelvMNB) against "
        "Gaussian ones (GNB, SelGNB) and discretized ones (dNB), beside the numbers of the paper.",
        blocks,
    )


def _counterparts(results: StudyResults) -> Table:
    """Return which of the paper's data sets ours stand for, with their sizes (Table 6)."""
    paper = results.published["directional_table6"].set_index("dataset")
    sizes_2 = results.published["directional_table2"].set_index("dataset")
    paper["features"] = sizes_2.loc[sizes_2["classifier"] == "vMNB", "features"]
    paper = paper.rename(columns={"instances": "samples"})
    sizes = ["samples", "features", "classes"]
    names, relations = [], []
    for dataset in results.study.datasets:
        key = counterpart_key(dataset)
        name, relation = COUNTERPARTS[key] if key else ("", "not in the paper")
        names.append(name)
        relations.append(relation)
    ours = results.tables["datasets"].set_index("dataset").loc[list(results.study.datasets)]
    frame = pd.DataFrame({"paper’s data set": names, "relation": relations}, index=ours.index)
    theirs = paper[sizes].reindex(names).set_axis(ours.index)
    for size in sizes:
        frame[size], frame[f"{size}, paper"] = ours[size], theirs[size]
    missing = [name for name in paper.index if name not in names]
    caption = (
        "Our data sets, and which ones of the paper (its Tables 2 and 6) they are compared with. "
        "Numbers can only be expected to agree where the data set is the same."
        + (f" Not here of the paper’s: {', '.join(missing)}." if missing else "")
    )
    formats = dict.fromkeys([f"{size}, paper" for size in sizes], ",.0f")
    return results.tables.show("datasets", caption, rows=frame.reset_index(), own=formats)


def _accuracy(results: StudyResults, tables: StudyTables) -> list[Block]:
    """Return Tables 1, 3, 4 and 5 of the paper beside ours, for the study's first scheme of folds.

    Only the paper's five classifiers are compared: those that the study's ``paper`` names.
    """
    parts = {name: part for part, name in results.study.paper.items() if part in CLASSIFIERS}
    names = [parts[name] for name in results.study.classifiers if name in parts]
    if not names or not results.study.folds:
        return []
    blocks: list[Block] = [_accuracy_table(results, tables, names)]
    if len(tables["average_ranks"]):
        blocks += [_rank_table(tables), _pair_table(tables)]
    if len(tables["runs"]):
        blocks += _runs(tables)
    return blocks


def _accuracy_table(results: StudyResults, tables: StudyTables, names: list[str]) -> Table:
    """Return Table 1: for each data set a row of ours, and below it the paper's."""
    rows: list[dict[str, str]] = []
    best: set[tuple[int, str]] = set()
    for dataset in results.study.datasets:
        own = tables.rows("accuracies", dataset=dataset).set_index("classifier").reindex(names)
        lines = [(dataset, own[["accuracy", "sd", "rank"]])]
        if name := counterpart(dataset):
            lines.append((f"{name}, paper", own[["paper", "paper_sd", "paper_rank"]]))
        for label, values in lines:
            ranks = values.iloc[:, 2]
            best |= {(len(rows), name) for name in ranks.index[ranks == ranks.min()]}
            cells = zip(names, (_cell(*line) for line in values.to_numpy()), strict=True)
            rows.append({"dataset": label, **dict(cells)})
    caption = (
        "Table 1: accuracy in per cent ± standard deviation over folds "
        f"({results.study.folds[0]}), and in the row below what the paper prints for the data set "
        "that ours stands for. The best of a row is marked; the paper’s row of dNB could not be "
        "read, but its rank follows from Table 5."
    )
    frame = pd.DataFrame(rows, columns=["dataset", *names])
    return tables.show("accuracies", caption, rows=frame, best=frozenset(best))


def _cell(mean: float, sd: float, rank: float) -> str:
    if np.isnan(mean):
        return "" if np.isnan(rank) else f"rank{_SPACE}{rank:g}"
    return f"{mean:.2f}" + ("" if np.isnan(sd) else f"{_SPACE}±{_SPACE}{sd:.2f}")


def _rank_table(tables: StudyTables) -> Table:
    """Return Table 3: average ranks, over the same data sets and over all of each."""
    ranks, accuracies = tables["average_ranks"], tables["accuracies"]
    missing = set(accuracies.loc[accuracies["accuracy"].isna(), "dataset"])
    whole = [name for name in accuracies["dataset"].unique() if name not in missing]
    wide = ranks.set_index(["classifier", "over"])[["ours", "paper"]].unstack(sort=False)
    counts = ranks.drop_duplicates("over").set_index("over")
    same = f"{counts.loc['same', 'datasets']} data sets"
    frame = pd.DataFrame(
        {
            f"ours, {same}": wide["ours", "same"],
            f"paper, {same}": wide["paper", "same"],
            f"ours, all {counts.loc['all', 'datasets']}": wide["ours", "all"],
            f"paper, all {counts.loc['all', 'datasets_paper']}": wide["paper", "all"],
        }
    )
    caption = (
        "Table 3: average ranks of accuracy, 1 is best; in the paper’s order. The first two "
        f"columns are over the same {same} ({', '.join(filter(None, map(counterpart, whole)))}), "
        "the paper’s computed from its Tables 1 and 5; the others are over all data sets of each."
    )
    formats = dict.fromkeys(frame, ".3f")
    return tables.show("average_ranks", caption, rows=frame.reset_index(), own=formats)


def _pair_table(tables: StudyTables) -> Table:
    """Return Table 4: every pair's adjusted p-values."""
    pairs = tables["pair_tests"]
    caption = (
        "Table 4: p-values of the average ranks, adjusted for ten pairs in four ways. Ranks apart "
        "are those of the second less those of the first: above 0 the first is better. Ours are "
        f"over the {pairs['datasets'].iloc[0]} data sets that stand for ones of the paper, the "
        "paper’s over its eight; below 0.05 the two classifiers differ."
    )
    columns = ["pair", "ranks_apart", "ranks_apart_paper"]
    columns += [name for each in ADJUSTED for name in (each, f"{each}_paper")]
    rows = pairs.assign(pair=pairs["first"] + " – " + pairs["second"])
    return tables.show("pair_tests", caption, columns, rows)


def _runs(tables: StudyTables) -> list[Block]:
    """Return Table 5, and how many of the paper's comparisons come out as printed."""
    runs = tables["runs"]
    both = runs[runs["paper_direction"] != ""]
    same = both["direction"] == both["paper_direction"]
    sure = both["paper_p"] < _SIGNIFICANT
    ours = sure & same & (both["p"] < _SIGNIFICANT)
    text = (
        f"Of {len(both)} comparisons that the paper makes on these data sets or their like, "
        f"{len(both[same])} go the same way here; of the {len(both[sure])} that are significant "
        f"there, {len(both[ours])} are significant here in the same direction."
    )
    if both.empty:
        text = "The paper has tests on sorted runs for none of these data sets."
    caption = (
        "Table 5: Wilcoxon’s signed-rank test on sorted runs, one-sided in the direction of the "
        "sign: “>” means that the first of the pair is more accurate. The direction is that "
        "of the same accuracies, so that in the paper as here a p below 0.05 comes up in nearly "
        "twice as many pairs of equals. The difference is in per cent. The paper tests these six "
        "pairs."
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
    """Return Table 2: how large the classifiers are and how long it takes to fit them."""
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
    """Return which density fits the angles, and a picture of each (Figures 13 and 14)."""
    likelihoods, fitted, densities = (tables[n] for n in ("likelihoods", "fitted", "densities"))
    better = [f"{row.better} of {row.pairs}" for row in likelihoods.itertuples()]
    of_both = (
        "Log-likelihood of all angles under the von Mises and the Gaussian density fitted to each "
        "class, what von Mises gains per measured angle, and for how many pairs of an angle and a "
        "class it fits better. Both have two parameters, so the greater one wins."
    )
    columns = ["dataset", "angles", "von_mises", "gaussian", "gain_per_angle", "better"]
    rows = likelihoods.assign(better=better)
    table = tables.show("likelihoods", of_both, columns, rows, own={"better": ""})
    blocks: list[Block] = [table, Prose(_ROSES)]
    shown = "The angles with most information on the class; how to read the pictures is said above."
    of_all = (
        "All angles: mean direction and concentration of the von Mises density, mean and standard "
        "deviation of the Gaussian (in degrees), and the log-likelihoods of both."
    )
    for dataset, sectors in tables["rose"].groupby("dataset", sort=False):
        own = fitted[fitted["dataset"] == dataset]
        curves = densities[densities["dataset"] == dataset]
        figures = [
            _angle_figure(f"angle-{_slug(dataset)}-{i}", own, sectors, curves, feature)
            for i, feature in enumerate(sectors["feature"].unique())
        ]
        angles = ["mean_direction", "mean", "standard_deviation"]
        degrees = own.assign(**{name: np.degrees(own[name]) for name in angles})
        table = tables.show(
            "fitted",
            of_all,
            [*own.columns.drop(["dataset", "gain_per_sample"])],
            degrees,
            own=dict.fromkeys(angles, Column("number", "degrees", format=".1f")),
        )
        gallery = Gallery(figures, shown, tables.sources("rose", "densities", "fitted"))
        artificial = dataset == "figure 14"
        title = "The artificial data of Figure 14" if artificial else dataset
        note = f"{len(figures)} of {own['feature'].nunique()} angles"
        blocks.append(Group(title, [gallery, table], note, opened=artificial))
    return Group("Angles: von Mises against Gaussian", blocks, "Figures 13 and 14", opened=True)


def _angle_figure(
    name: str, fitted: pd.DataFrame, rose: pd.DataFrame, densities: pd.DataFrame, feature: str
) -> Figure:
    gain = fitted[fitted["feature"] == feature].set_index("class")["gain_per_sample"]
    classes = gain.index.tolist()
    sectors, curves = (
        table[table["feature"] == feature].set_index("class") for table in (rose, densities)
    )
    sector, curve = sectors.loc[[classes[0]]], curves.loc[[classes[0]]]
    texts = ", ".join(f"{label} {value:+.2f}" for label, value in gain.items())
    return Figure(
        name,
        draw_angle,
        {
            "title": feature,
            "classes": classes,
            "notes": [f"{value:+.2f}" for value in gain],
            "edges": np.append(sector["sector_start"], sector["sector_end"].iloc[-1]),
            "counts": np.array([sectors.loc[[label], "samples"] for label in classes]),
            "grid": curve["angle"].to_numpy(),
            "densities": np.array(
                [[curves.loc[[c], f] for c in classes] for f in ("von_mises", "gaussian")]
            ),
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
        "and the classes of two angles in Figure 14. "
        f"{len(printed[printed['agrees']])} of {len(printed)} come out as printed, to four "
        "decimals."
    )
    columns = ["example", "quantity", "paper", "computed"]
    blocks.append(tables.show("printed", caption, columns))
    return Group("Decision regions", blocks, "Figures 3 to 12", opened=True)


def _region_figure(tables: StudyTables, example: str, space: str) -> Figure:
    grid, samples, boundary = (
        tables.rows(name, example=example) for name in ("regions", "samples", "boundaries")
    )
    classes = sorted({*grid["predicted"], *samples["class"]})
    drawn = [samples[samples["class"] == label].head(_MOST_SAMPLES) for label in classes]
    title = example.capitalize() if " " in example else example
    right = ""
    if len(samples):
        n_right = len(samples[samples["class"] == samples["predicted"]])
        right = f"; {n_right} of {len(samples)} samples are on the right side"
    if space in {"circle", "circles"}:
        draw, arguments = draw_rings, {"rings": _rings(grid, drawn, boundary, classes)}
    else:
        draw, arguments = _surface(space, example, grid, drawn, boundary, classes)
    return Figure(
        f"regions-{_slug(example)}",
        draw,
        {"title": title, "classes": classes} | arguments,
        "",
        f"{title}: decision regions of classes {' and '.join(classes)} on the {space}{right}.",
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
) -> tuple[Callable[..., Drawing], dict[str, Any]]:
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


def _slug(name: str) -> str:
    """Return a name of a file, say ``figure-14``."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name)
