"""The parameters of an analysis: what is given over what it has by itself."""

from collections.abc import Mapping
from typing import Any

from xnbflow.data.errors import InputError

__all__ = ["with_defaults"]


def with_defaults(
    analysis: str, params: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an analysis' parameters: its defaults, and what is given instead.

    Raises
    ------
    InputError
        If it has no such parameter.

    Examples
    --------
    >>> with_defaults("cica", {"seeds": 3}, {"seeds": 50, "steps": 30})
    {'seeds': 3, 'steps': 30}
    """
    for key in params:
        if key not in defaults:
            msg = (
                f"the analysis {analysis!r} has no parameter {key!r}; it has {', '.join(defaults)}"
            )
            raise InputError(msg)
    return {**defaults, **params}
