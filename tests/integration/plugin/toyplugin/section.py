"""The section of an analysis on the page of a study."""

from toyplugin.entries import COUNT
from xnbflow.report.page.blocks import Section, Table


def section(results):
    """Return the section with the table ``counts``."""
    counts = results.analysis(COUNT)["counts"]
    return Section("count", "Counted by a plugin", "How many.", [Table(counts, "Counts.")])
