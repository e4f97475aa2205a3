"""The index of all pages is written at the end of every run."""

from toys import python


def test_the_index_needs_neither_pandas_nor_matplotlib():
    """Their imports would take half a second at the end of a run."""
    code = "import sys, xnbflow.report.index; print(*sys.modules)"
    modules = python(code).stdout.split()
    assert "xnbflow.report.index" in modules
    assert {"pandas", "numpy", "matplotlib", "pyarrow"}.isdisjoint(modules)
