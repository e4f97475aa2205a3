"""Rows of the table of benchmarks."""

__all__ = ["COLUMNS", "row"]

COLUMNS = [
    "work",
    "peer",
    "ours_seconds",
    "peer_seconds",
    "ratio",
    "target",
    "met",
    "compile_seconds",
    "note",
    "shown",
]


def row(
    work: str,
    peer: str,
    ours: float | None = None,
    theirs: float | None = None,
    *,
    ratio: float | None = None,
    target: float = 1.0,
    compiling: float | None = None,
    note: str = "",
    shown: bool = False,
) -> dict:
    """Return a row of the table.

    Parameters
    ----------
    work, peer : str
        What is done, and what it is measured against: a program, or an amount that is allowed.
    ours, theirs : float, optional
        Seconds of both.
    ratio : float, optional
        By how much ours is better; by default the peer's seconds over ours, if both are known.
    target : float
        The ratio to reach.
    compiling : float, optional
        Seconds that numba takes to compile what is measured, not contained in ``ours``.
    note : str
        How it was measured.
    shown : bool
        Whether docs/performance.md shows it.
    """
    if ratio is None and ours and theirs:
        ratio = theirs / ours
    met = None if ratio is None else bool(ratio >= target)
    values = [work, peer, ours, theirs, ratio, target, met, compiling, note, shown]
    return dict(zip(COLUMNS, values, strict=True))
