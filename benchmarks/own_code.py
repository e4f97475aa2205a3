"""The measured reasons for own code in place of a library, as CONTRIBUTING.md names them.

`python -m benchmarks.own_code` prints, for each part, what ours and the library's cost: processor
seconds of one thread, the best of three; `python -m benchmarks.own_code imports` measures the parts
whose names contain that word.
"""

import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pyarrow.csv
import scipy.stats
from sklearn import metrics as peer
from threadpoolctl import threadpool_limits

from xnbflow.density import tiles
from xnbflow.diagnostics import normality, shapiro_wilk, shapiro_wilk_within
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.inference.paired_tests import wilcoxon_signed_rank_test
from xnbflow.inference.rank_tests import friedman_test
from xnbflow.naive_bayes import XNB, FlexibleNB
from xnbflow.sources.formats.text import read_text

Row = tuple[str, str, str]
_CLASSES = np.array(["a", "b", "c"])
#: A run of seconds: the words of `main`; no setting is smaller.
SMALL: dict[str, int] = {}
SMALL_WORDS = ("fold",)


def processor_seconds(function: Callable[[], object], repeats: int = 3) -> float:
    """Return the processor seconds of a call, the best of some."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return min(seconds)


def seconds_of_program(program: str) -> float:
    """Return the processor seconds of a Python program, less those of an empty one."""
    measured = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)\n"
        "usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(usage.ru_utime + usage.ru_stime)"
    )
    best = {}
    for text in (program, "pass"):
        runs = []
        for _ in range(3):
            command = [sys.executable, "-c", measured, text]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            runs.append(float(done.stdout))
        best[text] = min(runs)
    return best[program] - best["pass"]


def imports() -> Iterator[Row]:
    """Measure the imports that a check of an import path, or a further job, would cost."""
    ours = "from xnbflow.evaluation.method_checks import fault_of_path as f; {}"
    looked_up = seconds_of_program(ours.format("f('sklearn.svm.LinearSVC')"))
    start = seconds_of_program(ours.format("0"))
    imported = seconds_of_program("import sklearn.svm")
    yield "name of a class looked up", f"{looked_up - start:.2f} s", f"import {imported:.2f} s"
    job = seconds_of_program("import xnbflow.jobs.classify; from xnbflow.naive_bayes import XNB")
    yield "one job for the classifiers", "0", f"imports of a further job {job:.2f} s"
    stats = seconds_of_program("import scipy.stats") - seconds_of_program("import numpy")
    yield "Benjamini and Hochberg: import", "0", f"scipy.stats {stats:.2f} s"


def reading() -> Iterator[Row]:
    """Read names and values of tables of text: samples in rows, in columns, and a narrow one."""
    rng = np.random.default_rng(0)
    for n_rows, n_columns in ((300, 15_000), (15_000, 300), (20, 54_675)):
        names = [f"v{i}" for i in range(n_columns)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            values = pd.DataFrame(rng.normal(8, 2, (n_rows, n_columns)).round(5), columns=names)
            values.to_csv(path, index_label="row")

            def ours() -> None:
                with path.open("rb") as lines:  # noqa: B023
                    table = read_text(path, lines, (",", "."))  # noqa: B023
                table.numbers(range(1, len(table.header)))

            def by_pandas() -> None:
                pd.read_csv(path, index_col=0, low_memory=False).to_numpy()  # noqa: B023

            def by_pyarrow() -> None:
                pyarrow.csv.read_csv(path).to_pandas().set_index("row").to_numpy()  # noqa: B023

            def by_csv() -> None:
                with path.open(encoding="utf-8") as lines:  # noqa: B023
                    rows = csv.reader(lines)
                    next(rows)
                    np.array([list(map(float, row[1:])) for row in rows])

            calls = (ours, by_pandas, by_pyarrow, by_csv)
            own, pandas, arrow, plain = (f"{processor_seconds(call):.2f} s" for call in calls)
        size = f"{n_rows} x {n_columns}"
        yield f"text, {size}", own, f"pandas {pandas}, pyarrow {arrow}, csv and float {plain}"


def fold() -> Iterator[Row]:
    """Compute the metrics of a fold of 15 samples of three classes."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 5)
    posterior = rng.dirichlet(np.ones(3), 15)
    true, predicted = _CLASSES[codes], _CLASSES[posterior.argmax(axis=1)]
    logarithms = np.log(posterior)

    def ours() -> None:
        for _ in range(100):
            fold_metrics(true, predicted, logarithms, _CLASSES)

    def theirs() -> None:
        for _ in range(100):
            peer.accuracy_score(true, predicted)
            peer.balanced_accuracy_score(true, predicted)
            peer.f1_score(true, predicted, average="macro")
            peer.matthews_corrcoef(true, predicted)
            peer.log_loss(true, posterior)
            peer.roc_auc_score(true, posterior, multi_class="ovr")

    times = [f"{processor_seconds(call) * 10:.2f} ms" for call in (ours, theirs)]
    yield "metrics of a fold", *times
    present = true != "c"
    try:
        area = peer.roc_auc_score(true[present], posterior[present], multi_class="ovr")
        result = f"AUC without a class: {area}"
    except ValueError as error:
        result = f"AUC without a class: {error}"
    yield "metrics, a class is absent", "missing", result


def wilcoxon() -> Iterator[Row]:
    """Compare p of twenty differences with ties with that of all signs."""
    rng = np.random.default_rng(1)
    differences = rng.integers(-2, 4, 20) / 15
    nonzero = differences[differences != 0]
    ranks = scipy.stats.rankdata(np.abs(nonzero))
    signs = (np.arange(2 ** len(ranks))[:, None] >> np.arange(len(ranks))) & 1
    sums = signs @ ranks
    middle = ranks.sum() / 2
    exact = np.mean(np.abs(sums - middle) >= abs(ranks[nonzero > 0].sum() - middle) - 1e-9)
    ours = wilcoxon_signed_rank_test(differences, np.zeros(20)).p_value
    theirs = scipy.stats.wilcoxon(differences).pvalue
    yield f"Wilcoxon, ties (exact p = {exact:.6f})", f"p = {ours:.6f}", f"SciPy p = {theirs:.6f}"


def friedman() -> Iterator[Row]:
    """Test two classifiers on eight data sets."""
    scores = pd.DataFrame(np.random.default_rng(0).random((8, 2)), columns=["nb", "xnb"])
    ours = f"p = {friedman_test(scores).p_value:.3f}"
    try:
        result = str(scipy.stats.friedmanchisquare(scores["nb"], scores["xnb"]))
    except ValueError as error:
        result = f"SciPy: {error}"
    yield "Friedman, two classifiers", ours, result


def adjustment() -> Iterator[Row]:
    """Adjust 54,675 p-values."""
    p = np.random.default_rng(0).random(54_675)
    ours = processor_seconds(lambda: benjamini_hochberg(p))
    theirs = processor_seconds(lambda: scipy.stats.false_discovery_control(p))
    yield "Benjamini and Hochberg", f"{ours:.4f} s", f"scipy.stats {theirs:.4f} s"


def sorting() -> Iterator[Row]:
    """Sort 54,675 features of 130 samples in five classes by the network, and by NumPy."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(130, 54_675))
    y = np.repeat(np.arange(5), 26)
    works: dict[str, Callable[[], object]] = {
        "Shapiro-Wilk": lambda: shapiro_wilk(X),
        "Shapiro-Wilk within classes": lambda: shapiro_wilk_within(X, y),
        "fit of XNB": lambda: XNB().fit(X, y),
        "FlexibleNB, fit and predict": lambda: FlexibleNB().fit(X, y).predict(X),
    }
    numba.set_num_threads(1)
    with threadpool_limits(1):
        for name, work in works.items():
            work()  # compile
            times = []
            for largest in (160, 0):
                tiles.LARGEST_BESIDE = normality.LARGEST_BESIDE = largest
                work()
                times.append(processor_seconds(work))
            tiles.LARGEST_BESIDE = normality.LARGEST_BESIDE = 160
            ratio = times[1] / times[0]
            yield f"sorting: {name}", f"{times[0]:.2f} s", f"NumPy {times[1]:.2f} s ({ratio:.2f})"


#: What measures the reason of each part that CONTRIBUTING.md marks, by the words of its row.
PARTS = {
    "text in lines and cells": reading,
    "the name of a class looked up": imports,
    "tables of several classifiers in one file": imports,
    "metrics of a fold": fold,
    "Wilcoxon's distribution": wilcoxon,
    "Benjamini and Hochberg's adjustment": adjustment,
    "Friedman's test": friedman,
    "a sorting network": sorting,
}


def main(words: Sequence[str]) -> None:
    """Measure the parts whose names contain a word, or all, and print a line for each."""
    for part in dict.fromkeys(PARTS.values()):
        if not words or any(word in part.__name__ for word in words):
            for reason, ours, library in part():
                print(f"{reason}\t{ours}\t{library}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
