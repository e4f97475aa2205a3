"""Where data sets come from: each source turns a row of the sheet into a canonical series."""

import importlib

_HOME = {
    "DataSet": "sheet",
    "acquire": "acquisition",
    "read_sheet": "sheet",
    "write_cumida_csv": "cumida",
    "write_truth": "simulate",
}

__all__ = ["DataSet", "acquire", "read_sheet", "write_cumida_csv", "write_truth"]


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for: the sheet is read where NumPy is not wanted."""
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
