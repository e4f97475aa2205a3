"""The digest that tells compiled kernels of one state of the sources from those of another."""

import hashlib
from functools import cache
from pathlib import Path

__all__ = ["kernel_digest"]


@cache
def kernel_digest() -> str:
    """Return a digest of every module with compiled kernels; it names their folder."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(text)
    return digest.hexdigest()[:12]
