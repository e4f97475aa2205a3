"""Class-specific naive Bayes and its relatives, for microarrays and other wide data.

The estimators can be imported from here: ``from xnbflow import ClassSpecificNBCV``. The packages
are floors, of which each imports only those below it: see ``workflow/README.md``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xnbflow.naive_bayes import *  # noqa: F403
    from xnbflow.preprocessing import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import an estimator on first use, since most jobs need none (PEP 562)."""
    if name[:1].isupper():
        from xnbflow import naive_bayes, preprocessing  # noqa: PLC0415

        package = preprocessing if name in preprocessing.__all__ else naive_bayes
        return getattr(package, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    """Return the names of all estimators, of which those of papers are imported on first use."""
    from xnbflow import naive_bayes, preprocessing  # noqa: PLC0415
    from xnbflow.core.plugins import shipped_estimators  # noqa: PLC0415

    estimators = {*naive_bayes.__all__, *preprocessing.__all__, *shipped_estimators()}
    return [*sorted(estimators), "__version__"]
