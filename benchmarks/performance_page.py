"""Tables in pages, written by the tool between two markers; that of docs/performance.md."""

import os
import platform
import re
from pathlib import Path

import pandas as pd

__all__ = ["BEGIN", "END", "HEADER", "PAGE", "block", "write_block"]

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN = "<!-- benchmarks: written by `make bench` -->"
END = "<!-- end of benchmarks -->"
HEADER = "| work | peer | ours | peer's | times faster |\n|---|---|---|---|---|"


def block(table: pd.DataFrame) -> str:
    """Return the page's block, markers included, from the table of all benchmarks.

    Parameters
    ----------
    table : DataFrame
        Rows of `rows.row` with a column ``measured``, the day. Those that have both times are in
        the block.
    """
    shown = table[table["ours_seconds"].notna() & table["peer_seconds"].notna()]
    days = sorted(shown["measured"].unique())
    when = " to ".join(dict.fromkeys([*days[:1], *days[-1:]])) or "never"
    lines = [
        f"| {row.work} | {row.peer} | {seconds(row.ours_seconds)} | {seconds(row.peer_seconds)} "
        f"| {times(row.ratio)} |"
        for row in shown.itertuples(index=False)
    ]
    where = f"Measured {when} on {processor()}, 2 threads; Python {platform.python_version()}."
    return "\n".join([BEGIN, HEADER, *lines, "", where, END])


def write_block(text: str, path: Path = PAGE) -> None:
    """Replace the block of a page by the text, whose first and last line are its markers.

    Raises
    ------
    SystemExit
        If the page lacks a marker, has one twice, or has them in another order.
    """
    page = path.read_text(encoding="utf-8")
    begin, *_, last = text.splitlines()
    start = page.find(begin)
    end = page.find(last)
    if page.count(begin) != 1 or page.count(last) != 1 or start > end:
        raise SystemExit(
            f"{path} must hold the two lines {begin} and {last}, once each, in this order"
        )
    path.write_text(page[:start] + text + page[end + len(last) :], encoding="utf-8")


def seconds(value: float) -> str:
    """Return seconds in words, with two digits.

    Examples
    --------
    >>> [seconds(value) for value in (0.00123, 0.25, 1.0, 65.2, 734.0)]
    ['1.2 ms', '250 ms', '1.0 s', '65 s', '730 s']
    """
    if value < 0.9995:
        return f"{float(f'{value * 1e3:.2g}'):g} ms"
    if value < 9.95:
        return f"{value:.1f} s"
    return f"{float(f'{value:.2g}'):,.0f} s"


def times(ratio: float) -> str:
    """Return by how much ours is faster, with two digits; below 1 it is slower.

    Examples
    --------
    >>> [times(ratio) for ratio in (0.193, 4.21, 57.4, 1234.0)]
    ['0.19', '4.2', '57', '1,200']
    """
    digits = float(f"{ratio:.2g}")
    return f"{digits:,.0f}" if digits >= 10 else f"{digits:.2g}"


def processor() -> str:
    """Return the processor's name and its number of threads."""
    name = platform.machine()
    info = Path("/proc/cpuinfo")  # of Linux
    if info.is_file():
        names = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE)
        name = names[0].strip() if names else name
    return f"{name} ({os.cpu_count()} threads)"
