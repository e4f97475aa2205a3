"""Where the text of a command goes: a file, or standard output."""

import sys
from pathlib import Path

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import printable


def deliver(text: str, path: Path | None) -> None:
    """Write text to a file, or to standard output."""
    if path is None:
        sys.stdout.write(printable(text))
        return
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))
