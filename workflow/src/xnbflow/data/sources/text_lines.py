"""Lines of text as rows of a table: whole where a quoted cell has line breaks, and numbered."""

import io
import itertools
from collections.abc import Iterator

__all__ = ["joined_lines", "numbered_lines", "read_rows", "whole_lines"]

#: A quoted cell with line breaks ends within so many bytes; else its quote lacks its pair.
_LONGEST_QUOTE = 1 << 20


def read_rows(stream: io.BufferedIOBase, size: int) -> bytes:
    """Return the next whole rows of about so many bytes; nothing at the end."""
    data = stream.read(size)
    return _closed(data + stream.readline(), stream) if data else data


def whole_lines(stream: io.BufferedIOBase) -> Iterator[bytes]:
    """Yield the lines of a stream, each up to where its quotes end."""
    while line := stream.readline():
        yield _closed(line, stream)


def numbered_lines(data: bytes, first: int) -> list[tuple[int, bytes]]:
    """Return rows with their line breaks, each after its number; blank lines are left out."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    lines = joined_lines(lines)
    starts = itertools.accumulate((line.count(b"\n") for line in lines[:-1]), initial=first)
    return [(number, line) for line, number in zip(lines, starts, strict=True) if line.strip()]


def joined_lines(lines: list[bytes]) -> list[bytes]:
    """Join lines that a quoted line break divides."""
    if not any(line.count(b'"') % 2 for line in lines):
        return lines
    joined: list[bytes] = []
    waiting: list[bytes] = []
    for line in lines:
        odd = line.count(b'"') % 2
        if not waiting and not odd:
            joined.append(line)
            continue
        waiting.append(line)
        if odd and len(waiting) > 1:
            joined.append(b"".join(waiting))
            waiting = []
    return [*joined, b"".join(waiting)] if waiting else joined


def _closed(data: bytes, stream: io.BufferedIOBase) -> bytes:
    """Read on to the line in which a quote that is open ends; at most some lines."""
    if data.count(b'"') % 2 == 0:
        return data
    lines, size = [data], 0
    while size < _LONGEST_QUOTE and (line := stream.readline()):
        lines.append(line)
        size += len(line)
        if line.count(b'"') % 2:
            break
    return b"".join(lines)
