"""Power and size of the verdict in unequal and small designs, beside the label test alone.

`python -m benchmarks.power 100` draws 100 studies of each design (500 genes in blocks of ten with a
correlation of .5, `simulated_studies`; some are shifted by the effect; five folds) and counts how
often

* the label test alone has p <= .025 (20 draws of folds, as in a study),
* the rule before supports the result: lower limit at n / 2 (n / 2.5 for `csnb_cv`) above chance,
  and the test of means alone,
* the rule now does: lower limit at n / 1.75 above chance, and the test of means and spread,
* the rule would with a lower limit at n / 1.25.

Rows are appended to results/benchmarks/power.tsv as they finish; further words select designs, as
`16+4`. Effect 0 has the size. `python -m benchmarks.power page` writes the file's rows to the page.
"""

import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.conclusions import series_of
from benchmarks.performance_page import write_block
from benchmarks.simulated_studies import Design, drawn

from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.estimates import pooled_performance
from xnbflow.inference.intervals import balanced_interval, inflation_of
from xnbflow.inference.label_test import label_test
from xnbflow.inference.verdicts import LabelTest, verdict

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks" / "power.tsv"
PAGE = ROOT / "docs" / "methods" / "verdicts-evidence.md"
SPLITS = 5
#: Draws of folds of the classifier.
REPEATS = 1
#: Most permutations of the label test (4,999 in studies): near its level they cost power.
PERMUTATIONS = 499


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A design: classifier, sizes of the classes, effect, and the number of shifted genes.

    ``review`` is the power that the review measured with the rule before.
    """

    method: str
    sizes: tuple[int, int]
    effect: float = 0.0
    shifted: int = 15
    review: str = ""

    @property
    def title(self) -> str:
        """The sizes, as the command and the table have them."""
        return f"{self.sizes[0]}+{self.sizes[1]}"

    def series(self, seed: int) -> DataSet:
        """Draw a study."""
        n_samples = sum(self.sizes)
        design = Design(
            n=n_samples,
            shares=(self.sizes[0] / n_samples, self.sizes[1] / n_samples),
            genes=500,
            planted=self.shifted,
            effect=self.effect,
        )
        values, codes = drawn(design, seed)
        return series_of(np.ascontiguousarray(values.T), codes)


#: The designs of the review, and those without an effect. Naive Bayes of the table has fixed
#: parameters, `csnb_cv` is the recommended classifier.
CELLS = (
    Cell(method="csnb", sizes=(20, 20), effect=0.8, review=".26"),
    Cell(method="csnb", sizes=(16, 4), effect=2.0, review=".71"),
    Cell(method="csnb", sizes=(40, 8), effect=1.2, review=".73"),
    Cell(method="csnb", sizes=(10, 10), effect=1.5, review=".74"),
    Cell(method="csnb_cv", sizes=(16, 4), effect=2.0, shifted=10, review=".33 to .38"),
    Cell(method="csnb_cv", sizes=(32, 8), effect=1.2, shifted=10, review=".33"),
    Cell(method="csnb_cv", sizes=(40, 8), effect=1.2, shifted=10, review=".54 to .57"),
    Cell(method="csnb", sizes=(20, 20)),
    Cell(method="csnb", sizes=(16, 4)),
    Cell(method="csnb", sizes=(40, 8)),
    Cell(method="csnb", sizes=(10, 10)),
    Cell(method="csnb_cv", sizes=(16, 4)),
    Cell(method="csnb_cv", sizes=(32, 8)),
    Cell(method="csnb_cv", sizes=(40, 8)),
)
#: Columns of shares.
RULES = ("label test", "before", "now", "n / 1.25")
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, object] = {}
SMALL_WORDS = ("1", "16+4")


def decisions(series: DataSet, method: str) -> dict[str, bool]:
    """Return what the label test and the three rules decide on a study."""
    entry = resolved({"method": method})
    inflation = inflation_of(entry)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predictions = train(series, draw_folds(series, SPLITS, REPEATS), entry, explain=False)[
            "predictions"
        ]
        test = label_test(series, n_permutations=PERMUTATIONS).iloc[0]
    measured = pooled_performance(predictions, series, inflation)
    labels = pd.Series(series.labels, index=series.samples).loc[predictions["sample"]].to_numpy()
    right = (predictions["predicted"].to_numpy() == labels).astype(float)
    narrow = balanced_interval(right, labels, inflation=inflation, below=1.25)
    means_reject = test["means_p"] <= ONE_SIDED_LEVEL
    rejects = test["p_value"] <= ONE_SIDED_LEVEL
    level = verdict(measured, LabelTest(float(test["p_value"]))).level
    return {
        "label test": bool(rejects),
        "before": bool(means_reject and measured.strict_lower > measured.chance),
        "now": level != "not supported",
        "n / 1.25": bool(rejects and narrow.lower > measured.chance),
    }


def main(words: list[str]) -> None:
    """Measure the designs and append their rows to the file, or write the file to the page."""
    if words == ["page"]:
        write_block(block(pd.read_csv(RESULTS, sep="\t", keep_default_na=False)), PAGE)
        return
    n_studies = int(words[0]) if words else 100
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for cell in CELLS:
        if words[1:] and cell.title not in words[1:]:
            continue
        start = time.process_time()
        studies = [decisions(cell.series(seed), cell.method) for seed in range(n_studies)]
        shares = pd.DataFrame(studies).mean().round(4).to_dict()
        row = {"classifier": cell.method, "samples": cell.title, "effect": cell.effect}
        row |= {"shifted": cell.shifted, "studies": n_studies, "review": cell.review} | shares
        frame = pd.DataFrame([row | {"seconds": round(time.process_time() - start, 1)}])
        frame.to_csv(RESULTS, sep="\t", mode="a", header=not RESULTS.exists(), index=False)
        print(frame.to_string(index=False, header=False), flush=True)


def block(table: pd.DataFrame) -> str:
    """Return the block of the page: shares with their standard errors."""
    heads = ["classifier", "samples", "effect", "genes", "studies", "review, rule before", *RULES]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in table.to_dict("records"):
        has_effect = row["effect"] > 0
        cells = [f"`{row['classifier']}`", row["samples"].replace("+", " and ")]
        cells += [f"{row['effect']:g}" if has_effect else "none"]
        cells += [str(row["shifted"]) if has_effect else "", str(row["studies"]), row["review"]]
        for rule in RULES:
            error = np.sqrt(row[rule] * (1 - row[rule]) / row["studies"])
            cells.append(f"{row[rule]:.2f} ± {error:.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    begin = "<!-- power: written by `python -m benchmarks.power page` -->"
    return "\n".join([begin, *lines, "<!-- end of power -->"])


if __name__ == "__main__":
    main(sys.argv[1:])
