"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[Path, typer.Argument(help="A model that `xnbflow fit` or a study made.")]
TableFile = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV, Excel, Parquet, GCT, h5ad, a GEO series matrix, or a GEO accession.",
    ),
]
Label = Annotated[str, typer.Option(help="Column (or characteristic) of the class labels.")]
Id = Annotated[str, typer.Option("--id", help="Column of the samples' names.")]
Layout = Annotated[
    Literal["rows", "columns"] | None,
    typer.Option("--samples", help="Whether samples are rows or columns of the table."),
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
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A key of the data set as in a configuration, as transform=log2 or drop=[note]; "
        "repeatable.",
    ),
]
Phenotype = Annotated[
    str,
    typer.Option(
        metavar="FILE", help="A table with a row per sample, for label, patients and other columns."
    ),
]
Annotation = Annotated[
    str,
    typer.Option(metavar="FILE", help="A table of features and gene symbols, or a platform."),
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
