"""Rows of the table of times."""

__all__ = ["row"]


def row(
    work: str,
    peer: str,
    ours: float | None = None,
    theirs: float | None = None,
    *,
    ratio: float | None = None,
    compiling: float | None = None,
    note: str = "",
) -> dict:
    """Return a row of the table.

    Parameters
    ----------
    work, peer : str
        What is done, and the program, or the amount, that it is measured against.
    ours, theirs : float, optional
        Seconds of both.
    ratio : float, optional
        By how much ours is better; by default the peer's seconds over ours, if both are known.
    compiling : float, optional
        Seconds that numba takes to compile what is measured, not contained in ``ours``.
    note : str
        How it was measured.

    Examples
    --------
    >>> row("sort", "NumPy", 0.5, 2.0)["ratio"]
    4.0
    """
    if ratio is None and ours and theirs:
        ratio = theirs / ours
    return {
        "work": work,
        "peer": peer,
        "ours_seconds": ours,
        "peer_seconds": theirs,
        "ratio": ratio,
        "compile_seconds": compiling,
        "note": note,
    }
