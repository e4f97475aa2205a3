"""The files that commands write: which they may replace, and where the text of a command goes."""

import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError, printable

#: Number of characters at the beginning of a text file by which it is recognised.
_HEAD = 4_000
#: Endings of the files of a figure.
_FIGURES = {".svg", ".pdf", ".png"}


def deliver(text: str, path: Path | None) -> None:
    """Write text to a file, or to standard output."""
    if path is None:
        sys.stdout.write(printable(text))
        return
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


def refuse_to_replace(
    path: Path | None,
    *,
    inputs: Iterable[str | Path],
    force: bool,
    is_earlier_result: Callable[[Path], bool],
    is_edited: bool = False,
) -> None:
    """Refuse an output that is an input of the same command, or a file of another origin.

    Every command calls this function for each of its outputs before it computes anything.

    Parameters
    ----------
    path : Path or None
        The output, a file or folder; None is standard output.
    inputs : iterable of str or path
        What the command reads: files, folders, or any other texts (accessions, URLs, keys
        ``key=value``), which are ignored unless they name a file.
    force : bool
        Whether the user allows that a file of another origin is replaced. An input is never.
    is_earlier_result : callable
        Whether the content of an existing output is a result of the same command, which is
        replaced without ``force``.
    is_edited : bool
        Whether users edit results of the command: an earlier one is replaced by ``force`` only.

    Raises
    ------
    InputError
        If the output is an input by any name or link, if it is a file of a folder that is an input
        and no earlier result, or if it exists with another content.
    """
    if path is None:
        return
    is_earlier = path.exists() and is_earlier_result(path)

    # The files and folders among texts, also those of keys ``key=value``.
    existing_paths = []
    for text in map(str, inputs):
        for candidate in (text, text.partition("=")[2]):
            try:
                if candidate and Path(candidate).exists():
                    existing_paths.append(Path(candidate))
            except (OSError, ValueError):  # too long for a name, or with a zero byte
                continue

    for file in existing_paths:
        is_input = path.exists() and path.samefile(file)  # also by another name or a link
        is_within = (
            path.exists() and file.is_dir() and path.resolve().is_relative_to(file.resolve())
        )
        if is_input or (is_within and not is_earlier):
            msg = f"{path} would replace {file}, which this command reads; choose another output"
            raise InputError(msg, file=str(path))
    is_empty_folder = path.is_dir() and not any(path.iterdir())
    if force or not path.exists() or is_empty_folder:
        return
    if is_earlier and is_edited:
        msg = f"{path} exists; overwrite it by --force, or choose another name"
        raise InputError(msg, file=str(path))
    if not is_earlier:
        msg = (
            f"{path} exists and is no earlier result of this command; overwrite it by --force, or "
            "choose another name"
        )
        raise InputError(msg, file=str(path))


# Each of the following functions returns whether an existing file or folder is a result of a
# command, which the command may replace.


def is_model(path: Path) -> bool:
    """Return whether a file is a model of `xnbflow.models.model_file`, which names its format."""
    description = "schema.json"
    if description not in _members(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return b"xnbflow-model" in archive.read(description)


def is_workbook(path: Path) -> bool:
    """Return whether a file is a workbook of `xnbflow.report.workbook`, which names its creator."""
    properties = "docProps/core.xml"
    if properties not in _members(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return b">xnbflow<" in archive.read(properties)


def _members(path: Path) -> list[str]:
    """Return the names of the members of a ZIP file; none of another file."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return []
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def is_signature_table(path: Path) -> bool:
    """Return whether a file is a signature as tab-separated text, by its header."""
    return _begins_with(path, "class\trank\tfeature\tsymbol\t")


def is_gene_sets(path: Path) -> bool:
    """Return whether a file is a signature as gene sets, by the description of a set."""
    return _begins_with(path, " against the other classes; series ")


def is_prediction_table(path: Path) -> bool:
    """Return whether a file is a table of predictions, by its header."""
    return _begins_with(path, "sample\tlabel\t", "\tprobability.")


def is_proposed_configuration(path: Path) -> bool:
    """Return whether a file is the configuration of a proposed study, by its first comment."""
    return _begins_with(path, "laid over the configuration of the project")


def _begins_with(path: Path, *parts: str) -> bool:
    """Return whether a path is a text file whose first characters contain each of some texts."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_HEAD)
    return all(part in head for part in parts)


def has_content(text: str) -> Callable[[Path], bool]:
    """Return a function that returns whether a file is exactly this text."""

    def is_same_text(path: Path) -> bool:
        return path.is_file() and path.read_bytes() == text.encode()

    return is_same_text


def holds_figures(path: Path) -> bool:
    """Return whether a folder has only figures and their legends."""
    files = [file for file in path.rglob("*") if file.is_file()]
    return all(file.suffix in _FIGURES or file.name == "legends.md" for file in files)
