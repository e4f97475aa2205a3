"""Where data sets come from: each source turns a row of the sheet into a canonical series."""

from xnbflow.data.lazy import lazy_names

_HOME = {
    "SheetRow": "sheet_row",
    "acquire": "acquisition",
    "read_sheet": "sheet",
    "write_cumida_csv": "cumida",
    "write_truth": "simulate",
}

__all__ = ["SheetRow", "acquire", "read_sheet", "write_cumida_csv", "write_truth"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
