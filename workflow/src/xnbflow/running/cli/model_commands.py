"""The commands about models: fit, show, signature, predict, explain, methods."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from xnbflow.core.errors import InputError, printable
from xnbflow.running.cli.options import (
    Annotation,
    Force,
    Id,
    Json,
    Label,
    Layout,
    Missing,
    Model,
    Output,
    Phenotype,
    Settings,
    TableFile,
    Trust,
)
from xnbflow.running.cli.output_files import (
    is_gene_sets,
    is_model,
    is_prediction_table,
    is_signature_table,
    refuse_to_replace,
)
from xnbflow.running.cli.terminal import print_json, print_text, progress, warn


def fit(
    table: TableFile,
    *,
    label: Label = "",
    id_column: Id = "",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")] = Path(
        "model.skops"
    ),
    method: Annotated[str, typer.Option(help="A method's name, or an import path.")] = "csnb-cv",
    param: Annotated[list[str], typer.Option(help="key=value of the method; repeatable.")] = [],  # noqa: B006
    folds: Annotated[
        int, typer.Option(min=0, help="Folds of the cross-validation; 0 for none.")
    ] = 10,
    layout: Layout = None,
    phenotype: Phenotype = "",
    annotation: Annotation = "",
    settings: Settings = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fit a model on all samples of a table, and cross-validate its accuracy."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    entry = commands.classifier(method, commands.parameters(param))
    if folds == 1:
        msg = "--folds is 1; use 2 or more, or 0 for no cross-validation"
        raise InputError(msg)
    refuse_to_replace(
        output,
        inputs=[table, phenotype, annotation, *settings],
        force=force,
        is_earlier_result=is_model,
    )
    with progress(f"reading {table}"):
        keys = commands.dataset_settings(
            settings,
            label=label,
            id=id_column,
            samples=layout,
            phenotype=phenotype,
            annotation=annotation,
        )
        samples = commands.read_training(commands.described_entry(table, keys))
        series = samples.series
    for remark in samples.remarks:
        warn(remark)
    validation = None
    if folds:
        with progress(f"cross-validating on {folds} folds"):
            validation = commands.cross_validate(series, entry, folds)
    with progress("fitting on all samples"):
        origin = {"entry": samples.entry.settings()}
        gene_symbols = commands.symbols_of(series)
        model = commands.fit_model(series, entry, validation, symbols=gene_symbols, origin=origin)
    commands.write_model(model, output)
    result = commands.model_summary(model)
    if as_json:
        print_json({"model": str(output), **result})
    else:
        print_text(commands.summary_text(result, output))


def show(
    model: Model,
    *,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Describe a model: its origin, its figures and its signature."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    trained = commands.read_model(model, trust)
    result = commands.model_summary(trained, model)
    if as_json:
        print_json({**result, "signature": trained.signature.to_dict("records")})
    else:
        print_text(commands.summary_text(result, model))
        print_text(commands.signature_text(trained))


def signature(
    model: Model,
    *,
    gmt: Annotated[
        bool, typer.Option("--gmt", help="Gene sets, one per class and direction.")
    ] = False,
    top: Annotated[
        int | None, typer.Option("--top", min=1, help="Number of features of each class, by rank.")
    ] = None,
    output: Output = None,
    force: Force = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Write a model's signature as tab-separated text, or as gene sets for enrichment tools."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    trained = commands.read_model(model, trust)
    if as_json:
        print_json(trained.signature.to_dict("records"))
        return
    text = commands.signature_lines(trained, gmt=gmt, top=top)
    refuse_to_replace(
        output,
        inputs=[model],
        force=force,
        is_earlier_result=is_gene_sets if gmt else is_signature_table,
    )
    commands.deliver(text, output)


def predict(
    model: Model,
    table: TableFile,
    *,
    id_column: Id = "",
    output: Output = None,
    missing: Missing = "auto",
    layout: Layout = None,
    settings: Settings = [],  # noqa: B006
    force: Force = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Predict samples: label, probabilities, and typicality relative to the training data."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    refuse_to_replace(
        output,
        inputs=[model, table, *settings],
        force=force,
        is_earlier_result=is_prediction_table,
    )
    trained = commands.read_model(model, trust)
    with progress(f"reading {table}"):
        samples = commands.read_samples_of(
            trained, table, commands.dataset_settings(settings, id=id_column, samples=layout)
        )
    result = commands.predict_table(trained, samples.frame, missing)
    notes = [*samples.notes, *result.notes]
    for note in notes:
        warn(note)
    agreement, text = commands.compare_with_labels(trained, samples, result, table)
    if as_json:
        content: dict[str, Any] = {"notes": notes, "samples": result.table.to_dict("records")}
        if agreement is not None:
            content["agreement"] = {
                "right": agreement.n_right,
                "samples": agreement.n_samples,
                "balanced_accuracy": agreement.balanced_accuracy,
                "confusion": agreement.confusion.to_dict("index"),
            }
        print_json(content)
        return
    commands.deliver(commands.tsv(result.table), output)
    if text:
        sys.stdout.flush()
        sys.stderr.write(printable(f"{text}\n"))


def explain(
    model: Model,
    table: TableFile,
    *,
    sample: Annotated[
        str, typer.Option(help="The sample's name; the least certain samples without.")
    ] = "",
    id_column: Id = "",
    missing: Missing = "auto",
    layout: Layout = None,
    settings: Settings = [],  # noqa: B006
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Show the evidence of features for and against each class in one sample."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    trained = commands.read_model(model, trust)
    with progress(f"reading {table}"):
        samples = commands.read_samples_of(
            trained, table, commands.dataset_settings(settings, id=id_column, samples=layout)
        )
    for note in samples.notes:
        warn(note)
    names = [sample] if sample else commands.least_certain(trained, samples.frame, missing)
    results = [commands.explain_sample(trained, samples.frame, name, missing) for name in names]
    if as_json:
        explanations = [result.to_json() for result in results]
        print_json(explanations[0] if sample else explanations)
    else:
        print_text("\n\n".join(result.as_text() for result in results))


def methods() -> None:
    """List the classifiers and transformers that a study can name, with their sources."""
    from xnbflow.running.cli import commands  # noqa: PLC0415  the libraries of models

    print_text(commands.methods_text())
