"""What a command says: its result on standard output, all else on standard error."""

import json
import math
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["progress", "say", "tell_json", "warn"]


def say(text: str) -> None:
    """Print a result."""
    sys.stdout.write(f"{text}\n")


def warn(text: str) -> None:
    """Print what a reader must know although no result is."""
    sys.stderr.write(f"note: {text}\n")


def tell_json(value: Any) -> None:
    """Print a result for programs; what is not a finite number is null."""
    say(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False))


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say on a terminal that something takes its time, and how long it took; silent in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    sys.stderr.write(f"{what} ...")
    sys.stderr.flush()
    start = time.perf_counter()
    try:
        yield
    finally:
        sys.stderr.write(f" {time.perf_counter() - start:.1f} s\n")


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
