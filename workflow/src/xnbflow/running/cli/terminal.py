"""What commands print: results, warnings and the progress of steps."""

import json
import math
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from xnbflow.core.errors import printable


def print_text(text: str) -> None:
    """Print a result."""
    sys.stdout.write(printable(f"{text}\n"))


def warn(text: str) -> None:
    """Print a warning to the standard error stream."""
    sys.stderr.write(printable(f"note: {text}\n"))


def print_json(value: Any) -> None:
    """Print a result as JSON; numbers that are not finite are null."""
    print_text(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False))


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
