"""The tables of the analysis of directional naive Bayes."""

from xnbflow.contract import Columns, named, table

__all__ = ["TABLES"]

_ANGLE: Columns = {"dataset": "text", "feature": "text", "class": "text"}
_PLACE: Columns = {
    "first": ("number", "an angle in radians, or a longitude"),
    "second": ("number", "another angle, a height or a category, by the space"),
}
_EXAMPLE: Columns = {
    "example": "text",
    "space": ("text", "circle, torus, sphere, cylinder or circles"),
}

TABLES = named(
    table(
        "rose",
        "samples in each sector of the circle",
        "a sector",
        **_ANGLE,
        sector_start=("number", "radians"),
        sector_end=("number", "radians"),
        samples="integer",
    ),
    table(
        "fitted",
        "von Mises and normal distributions of each angle",
        "an angle and class",
        **_ANGLE,
        samples="integer",
        mean_direction=("number", "radians"),
        concentration="number",
        mean=("number", "radians"),
        standard_deviation=("number", "radians"),
        von_mises_log_likelihood="number",
        gaussian_log_likelihood="number",
    ),
    table(
        "densities",
        "both densities along the circle",
        "a point of the circle",
        **_ANGLE,
        angle=("number", "radians"),
        von_mises=("number", "density"),
        gaussian=("number", "density"),
    ),
    table(
        "complexity",
        "what each classifier uses of the complete data set (Table 2 of the paper)",
        "a data set and classifier",
        dataset="text",
        classifier="text",
        parameters=("number", "with the priors; mean over repeats"),
        features=("number", "used; mean over repeats"),
        angular_percent=("number", "of them that are angles"),
        seconds=("number", "to fit"),
    ),
    table(
        "samples",
        "samples of the artificial examples",
        "a sample",
        **_PLACE,
        **{"class": "text", "predicted": "text"},
        **_EXAMPLE,
    ),
    table(
        "regions",
        "decision regions",
        "a point of a grid over the space",
        **_PLACE,
        predicted="text",
        **_EXAMPLE,
    ),
    table(
        "boundaries",
        "where two classes are equally probable",
        "a point of a curve",
        **_PLACE,
        curve=("integer", "points of a curve have its number"),
        **_EXAMPLE,
    ),
    table(
        "printed",
        "numbers that the paper prints for its examples, beside the computed",
        "a number",
        example="text",
        quantity="text",
        paper="number",
        computed="number",
    ),
    table(
        "average_ranks",
        "average ranks of the paper's classifiers (Table 3 of the paper)",
        "a classifier",
        classifier="text",
        over=("text", "same: data sets that stand for ones of the paper; all: all of each"),
        datasets=("integer", "how many of ours"),
        datasets_paper=("integer", "how many of the paper's"),
        ours="number",
        paper="number",
    ),
    table(
        "pair_tests",
        "pairs of the paper's classifiers over data sets (Table 4 of the paper)",
        "a pair",
        first=("text", "classifier"),
        second=("text", "classifier"),
        datasets=("integer", "those that stand for ones of the paper"),
        ranks_apart=("number", "rank of the second less that of the first"),
        ranks_apart_paper="number",
        **{
            name: ("number", "adjusted p-value" + (", as printed" if "_paper" in name else ""))
            for column in ("nemenyi", "holm", "shaffer", "bergmann_hommel")
            for name in (column, f"{column}_paper")
        },
    ),
)
