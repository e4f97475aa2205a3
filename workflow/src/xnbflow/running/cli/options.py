"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[Path, typer.Argument(help="A model that `xnbflow fit` or a study made.")]
TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Excel, Parquet, h5ad, a GEO series matrix, or a GEO accession.",
    ),
]
Label = Annotated[str, typer.Option(help="Column (or characteristic) of the class labels.")]
Id = Annotated[str, typer.Option("--id", help="Column of the samples' names.")]
Layout = Annotated[
    Literal["rows", "columns"],
    typer.Option("--orientation", help="Whether samples are rows or columns of the table."),
]
#: The values of `xnbflow.models.alignment.MISSING`, whose import is slow.
Missing = Annotated[
    Literal["auto", "error", "impute", "drop"],
    typer.Option(
        "--missing",
        help="What to do where a feature that the model uses, or its value, is missing: refuse, "
        "take the training median, or leave its evidence out; auto leaves it out if the model can.",
    ),
]
Options = Annotated[
    list[str], typer.Option("--option", help="Option of the table's source, key=value; repeatable.")
]
Phenotype = Annotated[
    str,
    typer.Option(
        metavar="FILE", help="A sample sheet: a table with a row per sample (option phenotype=)."
    ),
]
Symbols = Annotated[
    str,
    typer.Option(metavar="FILE", help="A table of features and gene symbols (option annotation=)."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="A file; standard output without.")
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Overwrite a file that is no earlier result of the command."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Trust = Annotated[
    list[str], typer.Option("--trust", help="Full name of a further class to trust; repeatable.")
]
Width = Annotated[float, typer.Option(min=60, max=300, help="Millimetres.")]
Finished = Annotated[
    str, typer.Argument(help="A study that has run; its folder is in `results` of this folder.")
]
