"""One zip file of a finished study: its pages and every file that they link to."""

import html
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError
from xnbflow.tables.contract import DETAILS, REPORT

#: Attributes of elements of a page that name a file.
_LINKS = {"href", "src"}
#: The page at the top of the zip file, which leads to the report.
_COVER = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={target}">
<title>{study}</title>
<p><a href="{target}">Open the report of the study {study}</a></p>
"""


def pack_study(study: str, path: Path, root: Path = Path()) -> list[str]:
    """Write a zip file with the pages of a study and the files that they link to.

    Parameters
    ----------
    study : str
        The id of a finished study.
    path : Path
        The zip file. Its top folder has the name of the study, with ``index.html``, which leads to
        the report, and below it the files at their paths in ``root``.
    root : Path
        The working directory of the workflow, which holds ``results``.

    Returns
    -------
    list of str
        The paths of the packed files below the top folder; the first is ``index.html``.

    Raises
    ------
    InputError
        If the study has no report, or a file that a page links to is missing or outside ``root``.
    """
    pages = [REPORT.of(study=study), DETAILS.of(study=study)]
    if not (root / pages[0]).is_file():
        msg = f"{root / pages[0]} does not exist; run the study in this folder: xnbflow run {study}"
        raise InputError(msg, file=str(root / pages[0]))
    files = set()
    for page in pages:
        if (root / page).is_file():
            files |= {page, *_linked_files(page, root)}
    paths = sorted(files)

    def write(temporary: Path) -> None:
        with ZipFile(temporary, "w", ZIP_DEFLATED) as packed:
            cover = _COVER.format(target=pages[0], study=html.escape(study))
            packed.writestr(f"{study}/index.html", cover)
            for file in paths:
                packed.write(root / file, f"{study}/{file}")

    write_atomically(path, write)
    return ["index.html", *paths]


def _linked_files(page: str, root: Path) -> list[str]:
    """Return the files that a page links to, by their paths in ``root``."""
    parser = _Links()
    parser.feed((root / page).read_text(encoding="utf-8"))
    top = root.resolve()
    files = []
    for link in parser.paths:
        file = (root / page).parent.joinpath(link).resolve()
        if not file.is_relative_to(top):
            msg = f"{page} links to {file}, which is outside {top}; the study cannot be packed"
            raise InputError(msg, file=str(file))
        if file.is_dir():
            inside = [path for path in sorted(file.rglob("*")) if path.is_file()]
            files += [path.relative_to(top).as_posix() for path in inside]
        elif file.is_file():
            files.append(file.relative_to(top).as_posix())
        else:
            msg = f"{page} links to {file}, which does not exist; run the study again"
            raise InputError(msg, file=str(file))
    return files


class _Links(HTMLParser):
    """Collects the relative paths that a page links to, without those in the page itself."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links of an element."""
        del tag
        for name, value in attrs:
            parts = urlsplit(value or "")
            if name in _LINKS and not parts.scheme and not parts.netloc and parts.path:
                self.paths.append(unquote(parts.path))
