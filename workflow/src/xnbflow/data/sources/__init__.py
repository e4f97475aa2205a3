"""Where data sets come from: each source turns a row of the sheet into a canonical series."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xnbflow.data.sources.sheet import read_sheet
from xnbflow.data.sources.sheet_row import SheetRow

if TYPE_CHECKING:
    from xnbflow.data.sources.acquisition import acquire
    from xnbflow.data.sources.cumida import write_cumida_csv
    from xnbflow.data.sources.simulate import write_truth

__all__ = ["SheetRow", "acquire", "read_sheet", "write_cumida_csv", "write_truth"]


def __getattr__(name: str) -> Any:
    """Import what needs pandas on first use: the Snakefile reads sheets without it (PEP 562)."""
    modules = {"acquire": "acquisition", "write_cumida_csv": "cumida", "write_truth": "simulate"}
    if name not in modules:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{modules[name]}"), name)
