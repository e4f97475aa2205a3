"""The tables of the analysis of directional naive Bayes, and the names that it shares."""

from xnbflow.data.contract import columns, named, table

__all__ = ["ADJUSTED", "CLASSIFIERS", "COUNTERPARTS", "TABLES", "counterpart", "counterpart_key"]

#: Ways to adjust p-values of pairs: columns and names.
ADJUSTED = {
    "nemenyi": "Nemenyi",
    "holm": "Holm",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
}

#: The paper's classifiers, as labels.
CLASSIFIERS = ("vMNB", "SelvMNB", "GNB", "SelGNB", "dNB")

#: Of our data sets the paper's that they are, or are like, and how near they are.
COUNTERPARTS = {
    "magic": ("MAGIC", "the same"),
    "arrhythmia": ("Arrhythmia", "the same source; the paper counts 174 of its features"),
    "covertype": ("Covertype", "another random sample of the same"),
    "protein-strand": (
        "Protein1",
        "very probably the same task: helix or strand, by two angles; other chains",
    ),
    "protein-window": (
        "Protein10",
        "the same task: 15 residues, 30 angles, 4 classes; other chains",
    ),
    "weather": ("Temperature", "the same task: temperature by wind; another place and year"),
}


def counterpart(dataset: str) -> str | None:
    """Return the paper's data set that ours is, or is like; None where it has none.

    Examples
    --------
    >>> counterpart("protein-window"), counterpart("covertype-sample"), counterpart("pigeons")
    ('Protein10', 'Covertype', None)
    """
    key = counterpart_key(dataset)
    return COUNTERPARTS[key][0] if key else None


def counterpart_key(dataset: str) -> str | None:
    """Return the entry of `COUNTERPARTS`; a part of a data set has its name with a suffix."""
    return next((k for k in COUNTERPARTS if f"{dataset}-".startswith(f"{k}-")), None)


_PLACE = columns(
    first=("number", "an angle in radians, or a longitude"),
    second=("number", "another angle, a height or a category, by the space"),
)
_EXAMPLE = columns(example="text", space=("text", "circle, torus, sphere, cylinder or circles"))

TABLES = named(
    table(
        "rose",
        "samples in each sector of the circle",
        "a sector",
        "dataset feature class",
        sector_start=("number", "radians"),
        sector_end=("number", "radians"),
        samples="integer",
    ),
    table(
        "fitted",
        "von Mises and normal distributions of each angle",
        "an angle and class",
        "dataset",
        feature=("text", "", "angle"),
        **columns("class samples"),
        mean_direction=("number", "radians"),
        concentration="number:.2f",
        mean=("number", "radians"),
        standard_deviation=("number", "radians"),
        von_mises_log_likelihood=("number:,.1f", "", "von Mises"),
        gaussian_log_likelihood=("number:,.1f", "", "Gaussian"),
        gain=("number:+,.1f", "in log-likelihood, over the Gaussian", "von Mises gains"),
        gain_per_sample="number",
    ),
    table(
        "likelihoods",
        "how well both distributions fit all angles of a data set",
        "a data set",
        "dataset",
        angles=("integer", "features"),
        von_mises=("number:,.0f", "log-likelihood", "von Mises"),
        gaussian=("number:,.0f", "log-likelihood", "Gaussian"),
        gain_per_angle=("number:+.3f", "of von Mises, per measured angle"),
        better=("integer", "pairs of an angle and a class that von Mises fits better"),
        pairs=("integer", "of all these"),
    ),
    table(
        "densities",
        "both densities along the circle",
        "a point of the circle",
        "dataset feature class",
        angle=("number", "radians"),
        von_mises=("number", "density"),
        gaussian=("number", "density"),
    ),
    table(
        "complexity",
        "what each classifier uses of the complete data set (Table 2 of the paper)",
        "a data set and classifier",
        "dataset classifier",
        parameters=("number:,.1f", "with the priors; mean over repeats"),
        features=("number:.1f", "used; mean over repeats"),
        angular_percent=("number:.0f", "of them that are angles", "angular, per cent"),
        seconds=("number:.4f", "to fit"),
    ),
    table(
        "samples",
        "samples of the artificial examples",
        "a sample",
        _PLACE,
        "class predicted",
        _EXAMPLE,
    ),
    table(
        "regions",
        "decision regions",
        "a point of a grid over the space",
        _PLACE,
        "predicted",
        _EXAMPLE,
    ),
    table(
        "boundaries",
        "where two classes are equally probable",
        "a point of a curve",
        _PLACE,
        curve=("integer", "points of a curve have its number"),
        **_EXAMPLE,
    ),
    table(
        "printed",
        "numbers that the paper prints for its examples, beside the computed",
        "a number",
        example="text",
        quantity="text",
        paper="number:.4f",
        computed=("number:.4f", "", "ours"),
        agrees=("boolean", "whether both are the same to four decimals"),
    ),
    table(
        "accuracies",
        "accuracies of the paper's classifiers (Table 1 of the paper)",
        "a data set and classifier",
        "dataset",
        classifier=("text", "as the paper calls it"),
        accuracy=("number", "per cent; missing where a fold failed"),
        sd=("number", "over folds, per cent"),
        rank=("number", "among these by accuracy to two decimals, the least of equals"),
        counterpart=("text", "the paper's data set; empty without"),
        paper=("number", "as printed; missing where it cannot be read"),
        paper_sd=("number", "as printed"),
        paper_rank=("number", "1 is best; that of dNB follows from the paper's Table 5"),
    ),
    table(
        "runs",
        "tests on sorted runs of the pairs that the paper tests (Table 5 of the paper)",
        "a data set and pair",
        "dataset",
        first=("text", "classifier"),
        second=("text", "classifier"),
        difference=("number:+.2f", "accuracy of the first less that of the second, per cent"),
        direction=("text", ">, < or =, to two decimals of per cent", "is"),
        p=("number:.4f", "one-sided, in that direction"),
        counterpart=("text", "empty without", "paper’s data set"),
        paper_direction=("text", "empty where the paper has none", "is, paper"),
        paper_p=("number:.4f", "as printed", "p, paper"),
    ),
    table(
        "average_ranks",
        "average ranks of the paper's classifiers (Table 3 of the paper)",
        "a classifier",
        "classifier",
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
        ranks_apart=("number:+.2f", "rank of the second less that of the first"),
        ranks_apart_paper=("number:+.2f", "", "ranks apart, paper"),
        **{
            f"{column}{suffix}": ("number:.4f", "adjusted p-value" + printed, name + suffix_shown)
            for column, name in ADJUSTED.items()
            for suffix, printed, suffix_shown in (
                ("", "", ""),
                ("_paper", ", as printed", ", paper"),
            )
        },
    ),
)
