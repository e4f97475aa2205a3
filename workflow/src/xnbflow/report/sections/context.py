"""Context: comparison with random genes, and forecasts for more samples."""

import pandas as pd

from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.page.blocks import Block, Figure, Gallery, Prose, Section
from xnbflow.report.results import StudyResults

_RANDOM = (
    "Selected features against as many random ones of about the same mean expression. Both are "
    "given to Gaussian naive Bayes with equal priors in the same folds (the first repeat), so "
    "that the scores differ from the classifier’s own. If many random signatures reach the score, "
    "thousands of {noun}s carry the same information: the class is predicted, but these {noun}s "
    "are not specific for it (Venet and others 2011)."
)
_CURVES = (
    "Balanced accuracy against the number of training samples: measured with parts of the training "
    "samples in five folds, and forecast by an inverse power law up to twice the samples of the "
    "data set (Mukherjee and others 2003). The band is the 95% interval. The classifier is fitted "
    "with its default settings, or ClassSpecificNB in place of ClassSpecificNBCV. A forecast "
    "assumes new samples like those at hand. Where the measured curve still rises steeply, "
    "forecasts tend to be too low, and their intervals contain the later accuracy less often than "
    "in 95% of the cases."
)


def section(results: StudyResults) -> Section | None:
    """Return the comparison with random genes and learning curves; None where neither was made."""
    tables = results.tables
    curves = tables["learning_curve"]
    blocks: list[Block] = []
    if len(tables["random_genes"]):
        shown = ["dataset", "classifier", "signature_size", "selected_score", "random_mean"]
        shown += ["random_95", "as_good_random", "signatures", "random_p"]
        blocks.append(tables.show("random_genes", results.worded(_RANDOM), shown))
    runs = list(curves.groupby(["dataset", "classifier"], sort=False))
    if runs:
        files = tables.sources("learning_curve")
        blocks += [Prose(_words(results, *run), sources=files) for run in runs]
        blocks.append(Gallery([_figure(results, *run) for run in runs], _CURVES, files))
    if not blocks:
        return None
    lead = results.worded("Accuracy of random {noun}s, and the expected gain by more samples.")
    return Section("context", results.worded("Random {noun}s and more samples"), lead, blocks)


def _words(results: StudyResults, key: tuple[str, str], rows: pd.DataFrame) -> str:
    """Return the forecast for twice the samples, or why it is unreliable."""
    dataset, classifier = key
    forecasts = rows[rows["kind"] == "forecast"]
    now, last = forecasts.iloc[0], forecasts.iloc[-1]
    first, second = (
        f"{row['balanced_accuracy']:.0%} [{row['lower']:.0%}, {row['upper']:.0%}] with "
        f"{row['training_samples']:,.0f} training samples"
        for row in (now, last)
    )
    text = (
        f"{dataset}, {results.labels[classifier]}: the forecast of the balanced accuracy is "
        f"{first} (all that there are), and {second}."
    )
    return text + (f" Unreliable: {last['unreliable']}." if last["unreliable"] else "")


def _figure(results: StudyResults, key: tuple[str, str], rows: pd.DataFrame) -> Figure:
    dataset, classifier = key
    label = results.labels[classifier]
    lines, bands = [], []
    for kind, own in rows.groupby("kind", sort=False):
        doubtful = own.loc[own["unreliable"] != "", "training_samples"]
        first = f" from {doubtful.min():,.0f} samples on" if len(doubtful) < len(own) else ""
        name = f"{kind}, unreliable{first}" if len(doubtful) else str(kind)
        x = own["training_samples"].to_numpy()
        lines.append(Line(name, x, own["balanced_accuracy"].to_numpy()))
        bands.append((x, own["lower"].to_numpy(), own["upper"].to_numpy()))
    chance = 1 / int(results.rows("datasets", dataset=dataset)["classes"].iloc[0])
    arguments = {
        "lines": lines,
        "bands": bands,
        "xlabel": "training samples",
        "ylabel": "balanced accuracy",
        "title": f"{dataset}, {label}",
        "levels": [("chance", chance)],
    }
    alt = f"Learning curve of {label} on {dataset}: {_words(results, key, rows)}"
    return Figure(f"learning-curve-{dataset}-{classifier}", draw_lines, arguments, "", alt)
