"""A note of a reader: what was noticed while a data set was read, and what the reader can do."""

from typing import Literal, Self

#: What a note is about: the closed list of what programs use, and all others.
NoteCode = Literal[
    "platform",
    "processing",
    "names repeat",
    "without phenotype",
    "phenotype only",
    "without symbols",
    "other",
]


class Note(str):
    """A note as text, with its code, and with its parts.

    It is a text, so that whatever only prints notes prints this one. No program reads the text.

    Attributes
    ----------
    finding : str
        What was noticed.
    code : str
        What it is about, a `NoteCode`.
    advice : str
        What the reader can do; empty where there is nothing to do.

    Examples
    --------
    >>> note = Note("3 probes were left out", advice="the option controls=keep keeps them")
    >>> print(note)
    3 probes were left out; the option controls=keep keeps them
    >>> note.finding, note.code
    ('3 probes were left out', 'other')
    """

    __slots__ = ("advice", "code", "finding")

    finding: str
    code: NoteCode
    advice: str

    def __new__(
        cls, finding: str, code: NoteCode = "other", *, advice: str = "", start: str = ""
    ) -> Self:
        """Return a note whose text has the advice after the finding, and a ``start`` before it."""
        text = f"{start}{finding}"
        note = super().__new__(cls, f"{text}; {advice}" if advice else text)
        note.finding = finding
        note.code = code
        note.advice = advice
        return note


class NoteWarning(UserWarning):
    """A warning with a note on a data set, whose message names the data set."""

    def __init__(self, dataset: str, note: str) -> None:
        super().__init__(f"data set {dataset}: {note}")
        self.note = note if isinstance(note, Note) else Note(note)
