"""The commands of ``xnbflow``, in the order of its help, and how a command ends.

``--help`` is fast: modules that import scientific libraries are imported by the call of a command.
"""

import os
import sys
import warnings
from typing import Annotated

import typer

from xnbflow import __version__
from xnbflow.core.errors import InputError, printable
from xnbflow.running.cli.cumida_study import cumida
from xnbflow.running.cli.model_commands import explain, fit, methods, predict, show, signature
from xnbflow.running.cli.propose_command import propose
from xnbflow.running.cli.run_command import run_study
from xnbflow.running.cli.study_commands import export, figures, open_study
from xnbflow.running.cli.terminal import print_text, warn
from xnbflow.sources.registry import is_entry_key

#: Added to messages that name a key of a data set: a command has it as an option.
_KEY_OPTIONS = (
    " (Commands set a key of the data set by --set key=value; --label, --id, --samples, "
    "--phenotype and --annotation are options.)"
)

app = typer.Typer(
    name="xnbflow",
    help="Class-specific naive Bayes: fit a model to a series, read its signature, apply it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
#: Further options of this command are passed to Snakemake.
_WITH_ANY_OPTION = {"allow_extra_args": True, "ignore_unknown_options": True}

app.command()(fit)
app.command()(show)
app.command()(signature)
app.command()(predict)
app.command()(explain)
app.command("study")(propose)
app.command("cumida")(cumida)
app.command()(figures)
app.command()(export)
app.command("open")(open_study)
app.command()(methods)
app.command("run", context_settings=_WITH_ANY_OPTION)(run_study)


def _print_version(is_asked: bool) -> None:
    """Print the version and end, for the option ``--version``."""
    if is_asked:
        print_text(f"xnbflow {__version__}")
        raise typer.Exit


@app.callback()
def _options_without_command(
    *,
    # The option does all by its callback, before a command is called.
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


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
        if is_entry_key(error.key):
            message += _KEY_OPTIONS if message.endswith((".", "?")) else f".{_KEY_OPTIONS}"
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
