"""The commands and their options. ``--help`` is fast: modules are imported by a call alone."""

import json
import math
import os
import shutil
import sys
import time
import warnings
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from xnbflow import __version__
from xnbflow.core.deferred import DeferredModule
from xnbflow.core.errors import InputError, printable
from xnbflow.core.nouns import counted
from xnbflow.data.gene_names import is_symbol
from xnbflow.running.cli import output as outputs
from xnbflow.running.cli.cumida_study import cumida

if TYPE_CHECKING:
    from xnbflow.running.cli import commands, finished_studies, proposals
else:
    # Apart, because a study is proposed, run and opened without the estimators.
    commands = DeferredModule("xnbflow.running.cli.commands")
    finished_studies = DeferredModule("xnbflow.running.cli.finished_studies")
    proposals = DeferredModule("xnbflow.running.cli.proposals")


def print_text(text: str) -> None:
    """Print a result."""
    sys.stdout.write(printable(f"{text}\n"))


def warn(text: str) -> None:
    """Print a warning to the standard error stream."""
    sys.stderr.write(printable(f"note: {text}\n"))


def print_json(value: Any) -> None:
    """Print a result as JSON; numbers that are not finite are null."""
    print_text(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False))


@contextmanager
def progress(step: str) -> Iterator[None]:
    """Show on a terminal that a step is running, and its duration; silent in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{step} ...")
    sys.stderr.flush()
    start = time.perf_counter()
    try:
        yield
    finally:
        sys.stderr.write(f" {time.perf_counter() - start:.1f} s\n")


def _plain(value: Any) -> Any:
    """Return a value with the types of JSON: arrays are lists, numbers that are not finite null."""
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


app = typer.Typer(
    name="xnbflow",
    help="Class-specific naive Bayes: fit a model to a series, read its signature, apply it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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
#: The values are those of `xnbflow.models.alignment.MISSING`, whose import is slow.
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


#: What a message about a sheet means for a command, which has no sheet.
_SHEET_OPTIONS = (
    " (Here the sheet's columns are --label, --id and --orientation, its options --option "
    "key=value.)"
)


def run() -> None:
    """Run the command line of this process."""
    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = lambda message, *_, **__: warn(str(message))
    code = 0
    try:
        app()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BrokenPipeError:
        os._exit(0)
    except InputError as error:
        message = str(error)
        if error.sheet:
            message += _SHEET_OPTIONS if message.endswith((".", "?")) else f".{_SHEET_OPTIONS}"
        sys.stderr.write(f"Error: {message}\n")
        code = 1
    except OSError as error:
        message = f"{error.filename or 'file'}: {error.strerror or error}"
        sys.stderr.write(printable(f"Error: {message}\n"))
        code = 1
    except MemoryError as error:
        sys.stderr.write(f"Error: memory is exhausted ({error}); use a machine with more memory\n")
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # not sys.exit: it waits for threads of libraries, and their end may change the code
    os._exit(code)


def _version(asked: bool) -> None:
    if asked:
        print_text(f"xnbflow {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    *,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    pass


@app.command()
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
    orientation: Layout = "rows",
    phenotype: Phenotype = "",
    symbols: Symbols = "",
    option: Options = [],  # noqa: B006
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fit a model on all samples of a table, and cross-validate its accuracy."""
    entry = commands.classifier(method, commands.parameters(param))
    if folds == 1:
        msg = "--folds is 1; use 2 or more, or 0 for no cross-validation"
        raise InputError(msg)
    outputs.refuse_to_replace(
        output,
        inputs=[table, phenotype, symbols, *option],
        force=force,
        is_earlier_result=outputs.is_model,
    )
    with progress(f"reading {table}"):
        dataset = commands.described_row(
            table,
            label=label,
            id_column=id_column,
            options=option,
            orientation=orientation,
            phenotype=phenotype,
            symbols=symbols,
        )
        dataset = commands.complete_training(dataset)
        series = commands.read_training(dataset)
    validation = None
    if folds:
        with progress(f"cross-validating on {folds} folds"):
            validation = commands.cross_validate(series, entry, folds)
    with progress("fitting on all samples"):
        origin = dataset.origin | {"location": table}
        gene_symbols = commands.symbols_of(series)
        model = commands.fit_model(series, entry, validation, symbols=gene_symbols, origin=origin)
    commands.write_model(model, output)
    result = commands.model_summary(model)
    if as_json:
        print_json({"model": str(output), **result})
    else:
        print_text(commands.as_text(result, output))


@app.command()
def show(
    model: Model,
    *,
    card: Annotated[bool, typer.Option("--card", help="Print a model card (Markdown).")] = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Describe a model: its origin, its figures and its signature."""
    trained = commands.read_model(model, trust)
    result = commands.model_summary(trained, model)
    if card:
        with finished_studies.workflow_extra():
            from xnbflow.report.manuscript.writer import model_card as card_of  # noqa: PLC0415
        print_text(card_of(result, model.stem))
    elif as_json:
        print_json({**result, "signature": trained.signature.to_dict("records")})
    else:
        print_text(commands.as_text(result, model))
        print_text(commands.signature_text(trained))


@app.command()
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
    trained = commands.read_model(model, trust)
    if as_json:
        print_json(trained.signature.to_dict("records"))
        return
    text = commands.signature_lines(trained, gmt=gmt, top=top)
    head = " against the other classes; series " if gmt else "class\trank\tfeature\tsymbol\t"
    outputs.refuse_to_replace(
        output, inputs=[model], force=force, is_earlier_result=outputs.text_with(head)
    )
    commands.deliver(text, output)


@app.command()
def panel(
    model: Model,
    *,
    genes: Annotated[int, typer.Option(min=1, help="Genes at most, one of each module.")] = 8,
    floor: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Quantile of expression that genes must reach.")
    ] = 0.5,
    table: Annotated[str, typer.Option(help="The table it was fitted to, if it has moved.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the model of the panel.")
    ] = None,
    sheet: Annotated[Path | None, typer.Option(help="Write a score sheet, a page.")] = None,
    orientation: Layout = "rows",
    option: Options = [],  # noqa: B006
    force: Force = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Choose few genes and reference genes for an assay, and measure their accuracy."""
    trained = commands.read_model(model, trust)
    training = trained.series
    inputs = [model, table, training.get("location", ""), *training.get("options", ()), *option]
    for path, is_earlier_result in (
        (output, outputs.is_model),
        (sheet, outputs.text_with("<title>Score sheet</title>")),
    ):
        outputs.refuse_to_replace(
            path, inputs=inputs, force=force, is_earlier_result=is_earlier_result
        )
    with progress("choosing and cross-validating genes"):
        series = commands.training_series(trained, option, orientation, table)
        assay = commands.design_panel(series, trained, genes, floor)
    chosen = {*assay.genes["gene"], *assay.references}
    symbols = commands.symbols_of(series) | trained.symbols
    if unknown := {name for name in chosen - symbols.keys() if not is_symbol(name)}:
        features = counted(len(unknown), "feature", "has", "have")
        warn(f"{features} no gene symbol and may be of one gene: {', '.join(sorted(unknown))}")
    if output:
        commands.write_model(assay.model, output)
    if sheet:
        commands.deliver(commands.score_sheet(assay), sheet)
    if as_json:
        content = {
            "genes": assay.genes.to_dict("records"),
            "accuracy": assay.accuracy.to_dict("records"),
            "references": assay.references,
        }
        print_json(content)
        return
    references = "\n".join(["references", *assay.references])
    tables = [commands.tsv(assay.genes), commands.tsv(assay.accuracy)]
    print_text("\n".join([*tables, references]))


@app.command()
def predict(
    model: Model,
    table: TableFile,
    *,
    id_column: Id = "",
    output: Output = None,
    missing: Missing = "auto",
    orientation: Layout = "rows",
    option: Options = [],  # noqa: B006
    force: Force = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Predict samples: label, probabilities, and typicality relative to the training data."""
    outputs.refuse_to_replace(
        output,
        inputs=[model, table, *option],
        force=force,
        is_earlier_result=outputs.text_with("sample\tlabel\t", "\tprobability."),
    )
    trained = commands.read_model(model, trust)
    with progress(f"reading {table}"):
        samples = commands.read_samples_of(
            trained, table, id_column=id_column, options=option, orientation=orientation
        )
    result = commands.predict_table(trained, samples.frame, missing)
    notes = [*samples.notes, *result.notes]
    for note in notes:
        warn(note)
    agreement, text = commands.agreement_of(trained, samples, result, table)
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


@app.command()
def recalibrate(
    model: Model,
    table: TableFile,
    *,
    label: Label = "",
    id_column: Id = "",
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")] = Path(
        "recalibrated.skops"
    ),
    missing: Missing = "auto",
    orientation: Layout = "rows",
    phenotype: Phenotype = "",
    symbols: Symbols = "",
    option: Options = [],  # noqa: B006
    force: Force = False,
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Fit slope and intercept of a model's log odds to labelled samples of another cohort."""
    outputs.refuse_to_replace(
        output,
        inputs=[model, table, phenotype, symbols, *option],
        force=force,
        is_earlier_result=outputs.is_model,
    )
    trained = commands.read_model(model, trust)
    with progress(f"reading {table}"):
        dataset = commands.described_row(
            table,
            label=label,
            id_column=id_column,
            options=option,
            orientation=orientation,
            phenotype=phenotype,
            symbols=symbols,
        )
        recalibrated, figures = commands.recalibrate_from_table(trained, dataset, missing)
    commands.write_model(recalibrated, output)
    if as_json:
        parameters = recalibrated.series[commands.RECALIBRATION]
        print_json({"model": str(output), "recalibration": parameters, **figures})
        return
    print_text(f"{output}\n{commands.recalibration_in_words(recalibrated, figures)}")


@app.command()
def explain(
    model: Model,
    table: TableFile,
    *,
    sample: Annotated[
        str, typer.Option(help="The sample's name; the least certain samples without.")
    ] = "",
    id_column: Id = "",
    missing: Missing = "auto",
    orientation: Layout = "rows",
    option: Options = [],  # noqa: B006
    trust: Trust = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Show the evidence of features for and against each class in one sample."""
    trained = commands.read_model(model, trust)
    with progress(f"reading {table}"):
        samples = commands.read_samples_of(
            trained, table, id_column=id_column, options=option, orientation=orientation
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


@app.command("geo")
@app.command("study")
def propose(
    table: TableFile,
    *,
    label: Label = "",
    id_column: Id = "",
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Write NAME.tsv and NAME.yaml, a study to run."),
    ] = "",
    mirror: Annotated[
        list[str], typer.Option(help="A URL or folder laid out as NCBI's, instead of NCBI.")
    ] = [],  # noqa: B006
    force: Annotated[bool, typer.Option("--force", help="Overwrite NAME.tsv and NAME.yaml.")] = (
        False
    ),
    most_gigabytes: Annotated[
        float, typer.Option(min=0, help="Largest file that is downloaded, in gigabytes.")
    ] = 20.0,
    orientation: Layout = "rows",
    phenotype: Phenotype = "",
    symbols: Symbols = "",
    option: Options = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Show what a table or a GEO series holds, and the row of the sheet that makes it a study."""
    inputs = [table, phenotype, symbols, *option]
    if output:
        proposals.check_study_name(Path(output).name)
        proposals.new_files(output, force=force, inputs=inputs)
    with progress(f"reading {table}"):
        result = proposals.summarise_location(
            table,
            output,
            force=force,
            mirrors=mirror,
            most_gigabytes=most_gigabytes,
            label=label,
            id_column=id_column,
            options=option,
            orientation=orientation,
            phenotype=phenotype,
            symbols=symbols,
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
        warn(f"{output}.tsv and {output}.yaml are written; look at them, then run: {command}")


app.command("cumida")(cumida)


#: Figures that are wider than requested by at most this many millimetres have the width.
_ROUNDING_MM = 0.5

Finished = Annotated[
    str, typer.Argument(help="A study that has run; its folder is in `results` of this folder.")
]


@app.command()
def figures(
    study: Finished,
    *,
    width: Annotated[float, typer.Option(min=60, max=300, help="Millimetres.")] = 85.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("figures"),
    force: Force = False,
) -> None:
    """Draw the figures of a study for print: SVG, PDF and PNG of one width, with legends."""
    finished_studies.check_output(output, study, force, outputs.holds_figures)
    results = finished_studies.read_study(study)
    with progress("drawing"):
        widths = finished_studies.print_figures(results, output, width)
    for name, drawn_width in widths.items():
        if drawn_width > width + _ROUNDING_MM:
            warn(f"{name} is {drawn_width:.0f} mm wide: its labels need the room")
    n_figures = counted(len(widths), "figure")
    print_text(f"{output}: {n_figures}, {width:g} mm wide, and legends.md")


@app.command()
def pack(
    study: Annotated[str, typer.Argument(help="A finished study in this folder.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A zip file; STUDY.zip without.")
    ] = None,
    force: Force = False,
) -> None:
    """Write one zip file with the pages of a study and every file that they link to."""
    from xnbflow.report.pack import pack_study  # noqa: PLC0415

    path = output or Path(f"{study}.zip")
    finished_studies.check_output(path, study, force, outputs.is_packed_study)
    with progress("packing"):
        files = pack_study(study, path)
    print_text(f"{path}: {counted(len(files), 'file')}; unpack it and open index.html")


@app.command()
def gene(
    study: Finished,
    name: Annotated[str, typer.Argument(help="A gene symbol, or the name of a feature.")],
    *,
    data: Annotated[str, typer.Option(help="A data set of the study; all without.")] = "",
    width: Annotated[float, typer.Option(min=60, max=300, help="Millimetres.")] = 85.0,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("figures"),
    force: Force = False,
) -> None:
    """Draw the values of a gene by class as SVG, PDF and PNG, and print its rows of the genes."""
    from xnbflow.tables.storage import tsv  # noqa: PLC0415

    finished_studies.check_output(output, study, force, outputs.holds_figures)
    results = finished_studies.read_study(study)
    rows = finished_studies.print_genes(results, name, data, output, width)
    print_text(tsv(rows).rstrip())
    names = ", ".join(rows["figure"].drop_duplicates())
    warn(f"figures are in {output}, each as SVG, PDF and PNG: {names}")


@app.command()
def paper(
    study: Finished,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="A folder.")] = Path("paper"),
    force: Force = False,
) -> None:
    """Write methods, results, references, checklists and model cards of a study."""
    is_paper = outputs.folder_with("paragraphs.md", "references.bib")
    finished_studies.check_output(output, study, force, is_paper)
    names = finished_studies.write_paper(finished_studies.read_study(study), output)
    print_text(f"{output}: {', '.join(names)}")


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="A study that has run here, or a data set of one.")],
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", help="NAME.xlsx of a study; else a name without ending")
    ] = "",
    force: Force = False,
) -> None:
    """Write a study as a workbook (-o NAME.xlsx), or a prepared data set as GCT and CLS."""
    from xnbflow.sources.formats.gct import gct_and_cls  # noqa: PLC0415

    with progress("writing"):
        if output.casefold().endswith(".xlsx"):
            finished_studies.check_output(Path(output), name, force, outputs.is_workbook)
            results = finished_studies.read_study(name)
            files = [finished_studies.write_workbook(results, Path(output))]
        else:
            files = []
            for end, text in gct_and_cls(finished_studies.prepared(name)).items():
                files.append(Path(f"{output or name}{end}"))
                is_earlier = outputs.has_content(text)
                finished_studies.check_output(files[-1], name, force, is_earlier)
                commands.deliver(text, files[-1])
    print_text("\n".join(map(str, files)))


@app.command("open")
def open_study(study: Finished) -> None:
    """Open the page of a study in the browser."""
    page = finished_studies.page_of(study)
    if not webbrowser.open(page.resolve().as_uri()):
        warn("no browser can be started here")
    print_text(str(page))


@app.command()
def methods() -> None:
    """List the classifiers that a study can name, each with a sentence and its source."""
    print_text(commands.methods_text())


@app.command("run", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run_study(context: typer.Context, study: str) -> None:
    """Run a study through Snakemake; every further option is Snakemake's.

    The file STUDY.yaml of this folder, which `xnbflow study -o STUDY` writes, is used by itself.

    On Linux, jobs of this machine are forked from one process that has imported their libraries.
    With XNBFLOW_PREPARE=no in the environment, each job imports them itself.
    """
    from xnbflow.running.cli.configuration import find_configuration  # noqa: PLC0415

    configuration = find_configuration(study, context.args)
    if configuration:
        warn(f"the configuration is {configuration[1]}")
    call_snakemake(study, [*context.args, *configuration])


#: The plugin that words the events of a run; absent if the library is not installed.
_LOGGER = "snakemake_logger_plugin_xnbflow"
#: Options that name the folder of a run.
_FOLDER_OPTIONS = {"--directory", "-d"}
#: Options that decide the number of cores; without one, all are used.
_CORE_OPTIONS = {"--cores", "-c", "--jobs", "-j", "--profile"}
#: Options with which Snakemake's own lines are printed: for a dry run, or as the user asks.
_OUTPUT_OPTIONS = {"--quiet", "-q", "--dry-run", "--dryrun", "-n", "--verbose", "--logger"}


def call_snakemake(study: str, options: Sequence[str]) -> None:
    """Run a target with further options of Snakemake, and end with its exit code."""
    from xnbflow.running.cluster import (  # noqa: PLC0415
        STATUS_OPTION,
        asks_sacct,
        lacks_accounting,
    )
    from xnbflow.running.job_process import PRINTS_CAUSES  # noqa: PLC0415
    from xnbflow.running.project import ROOT  # noqa: PLC0415

    sibling = Path(sys.executable).with_name("snakemake")
    program = str(sibling) if sibling.exists() else shutil.which("snakemake")
    if program is None:
        raise InputError("Snakemake is not installed; install xnbflow with its extra `workflow`")
    environment = dict(os.environ)
    names = {option.partition("=")[0] for option in options}
    if not names & _FOLDER_OPTIONS and not os.access(Path.cwd(), os.W_OK):
        msg = f"{Path.cwd()} cannot be written; run in another folder, or name one by --directory"
        raise InputError(msg)
    arguments = [program, "--snakefile", str(ROOT / "workflow/Snakefile"), study]
    if not names & _CORE_OPTIONS:
        arguments += ["--cores", "all"]
    # Of several data sets that fail, or one, the others are still computed.
    arguments += ["--keep-going", *options]
    if asks_sacct(options) and lacks_accounting():
        warn("this SLURM cluster has no accounting: squeue is asked for the status of jobs")
        arguments += STATUS_OPTION
    if not names & _OUTPUT_OPTIONS and find_spec(_LOGGER) is not None:
        arguments += ["--logger", "xnbflow"]
        environment[PRINTS_CAUSES] = "1"
    sys.stdout.flush()
    os.execve(program, arguments, environment)  # noqa: S606  the same process, no shell
