"""Downloads that are whole or absent, checked by SHA-256, from the first place that has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Downloads"]


@dataclass(frozen=True)
class Downloads:
    """Where files come from and go to.

    Attributes
    ----------
    folder : Path
        Downloads land here; files put here by hand are used.
    base_urls : mapping of str to sequence of str
        Per source, the places to try in order.
    timeout, retries, backoff
        As in `xnbflow.sources.acquire`.
    """

    folder: Path
    base_urls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0
