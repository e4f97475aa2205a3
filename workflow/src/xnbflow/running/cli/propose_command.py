"""The command ``study``, which proposes a study of a table or of a series of GEO."""

from pathlib import Path
from typing import Annotated

import typer

from xnbflow.running.cli.assignments import dataset_settings
from xnbflow.running.cli.options import (
    Annotation,
    Id,
    Json,
    Label,
    Layout,
    Phenotype,
    Settings,
    TableFile,
)
from xnbflow.running.cli.terminal import print_json, print_text, progress, warn


def propose(
    table: TableFile,
    *,
    label: Label = "",
    id_column: Id = "",
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Write NAME.yaml, a study to run."),
    ] = "",
    mirror: Annotated[
        list[str], typer.Option(help="A URL or folder laid out as NCBI's, instead of NCBI.")
    ] = [],  # noqa: B006
    force: Annotated[bool, typer.Option("--force", help="Overwrite NAME.yaml.")] = (False),
    most_gigabytes: Annotated[
        float, typer.Option(min=0, help="Largest file that is downloaded, in gigabytes.")
    ] = 20.0,
    layout: Layout = None,
    phenotype: Phenotype = "",
    annotation: Annotation = "",
    settings: Settings = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Show what a table or a GEO series holds, and the data set that makes it a study."""
    from xnbflow.running.cli import proposals  # noqa: PLC0415  libraries that read tables

    inputs = [table, phenotype, annotation, *settings]
    if output:
        proposals.check_study_name(Path(output).name)
        proposals.refuse_to_replace_study(output, force=force, inputs=inputs)
    with progress(f"reading {table}"):
        keys = dataset_settings(
            settings,
            label=label,
            id=id_column,
            samples=layout,
            phenotype=phenotype,
            annotation=annotation,
        )
        result = proposals.summarise_location(
            table,
            output,
            force=force,
            mirrors=mirror,
            most_gigabytes=most_gigabytes,
            settings=keys,
        )
    if as_json:
        print_json(proposals.json_content(result))
    else:
        print_text(str(result))
    if output:
        command = proposals.write_study(
            result,
            output,
            mirror,
            inputs=inputs,
            force=force,
            most_gigabytes=most_gigabytes,
        )
        if remark := proposals.fold_remark(result, Path(output).name):
            warn(remark)
        warn(f"{output}.yaml is written; look at it, then run: {command}")
