"""Context: comparison with random genes, and forecasts for more samples."""

import pandas as pd

from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.page.blocks import Block, Figure, Gallery, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("context")


def section(results: StudyResults) -> Section | None:
    """Return the comparison with random genes and learning curves; None where neither was made."""
    tables = results.tables
    blocks: list[Block] = []
    if len(tables["random_genes"]):
        columns = ["dataset", "classifier", "signature_size", "selected_score", "random_mean"]
        columns += ["random_95", "as_good_random", "signatures", "random_p"]
        blocks.append(tables.show("random_genes", results.with_noun(_TEXTS["random"]), columns))
    curves = list(tables["learning_curve"].groupby(["dataset", "classifier"], sort=False))
    if curves:
        files = tables.sources("learning_curve")
        blocks += [Prose(forecast_sentence(results, *curve), sources=files) for curve in curves]
        figures = [learning_curve_figure(results, *curve) for curve in curves]
        blocks.append(Gallery(figures, _TEXTS["curves"], files))
    if not blocks:
        return None
    lead = results.with_noun("Accuracy of random {noun}s, and the expected gain by more samples.")
    return Section("context", results.with_noun("Random {noun}s and more samples"), lead, blocks)


def forecast_sentence(results: StudyResults, key: tuple[str, str], rows: pd.DataFrame) -> str:
    """Return the forecast for twice the samples, or why it is unreliable."""
    dataset, classifier = key
    forecasts = rows[rows["kind"] == "forecast"]
    today, twice = forecasts.iloc[0], forecasts.iloc[-1]
    label = results.labels[classifier]
    subject = f"{dataset}, {label}: the forecast of the balanced accuracy"
    if today["fitted"]:
        subject = (
            f"{dataset}: the forecast of the balanced accuracy of {today['fitted']}, fitted in "
            f"place of {label} because it is fast,"
        )
    text = f"{subject} is {_accuracy(today)} (all that there are), and {_accuracy(twice)}."
    if twice["unreliable"]:
        text += f" Unreliable: {twice['unreliable']}."
    return text


def _accuracy(row: pd.Series) -> str:
    """Return a balanced accuracy with its interval and the number of training samples."""
    interval = f"[{row['lower']:.0%}, {row['upper']:.0%}]"
    n_samples = f"{row['training_samples']:,.0f} training samples"
    return f"{row['balanced_accuracy']:.0%} {interval} with {n_samples}"


def learning_curve_figure(
    results: StudyResults, key: tuple[str, str], rows: pd.DataFrame
) -> Figure:
    """Return the balanced accuracy by training samples: measured, and as forecast."""
    dataset, classifier = key
    label = rows["fitted"].iloc[0] or results.labels[classifier]
    lines = []
    bands = []
    for kind, of_kind in rows.groupby("kind", sort=False):
        x = of_kind["training_samples"].to_numpy()
        name = line_name(str(kind), of_kind)
        lines.append(NamedLine(name, x, of_kind["balanced_accuracy"].to_numpy()))
        bands.append((x, of_kind["lower"].to_numpy(), of_kind["upper"].to_numpy()))
    n_classes = int(results.rows("datasets", dataset=dataset)["classes"].iloc[0])
    return Figure(
        name=f"learning-curve-{dataset}-{classifier}",
        draw=draw_lines,
        arguments={
            "lines": lines,
            "bands": bands,
            "xlabel": "training samples",
            "ylabel": "balanced accuracy",
            "title": f"{dataset}, {label}",
            "levels": [("chance", 1 / n_classes)],
        },
        caption="",
        alt=f"Learning curve of {label} on {dataset}: {forecast_sentence(results, key, rows)}",
    )


def line_name(kind: str, rows: pd.DataFrame) -> str:
    """Return the name of a line, with the number of samples from which on it is unreliable."""
    unreliable = rows.loc[rows["unreliable"] != "", "training_samples"]
    if unreliable.empty:
        return kind
    if len(unreliable) == len(rows):
        return f"{kind}, unreliable"
    return f"{kind}, unreliable from {unreliable.min():,.0f} samples on"
