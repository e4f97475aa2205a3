"""A note: what the program noticed while it read a data set, and what its user can do about it."""

from typing import Literal, Self

#: What a note is about. Programs recognise notes by these codes; all other notes are ``other``.
NoteCode = Literal[
    "platform",
    "processing",
    "names repeat",
    "without phenotype",
    "phenotype only",
    "direction",
    "without symbols",
    "other",
]


class Note(str):
    """A text with a code and parts.

    A note is a text (the finding, and the advice if there is one) because most code only prints
    it. Code that distinguishes notes uses ``code``, never the words of the text.

    Attributes
    ----------
    finding : str
        What was noticed.
    code : str
        What it is about, a `NoteCode`.
    advice : str
        What the user can do; empty if there is nothing to do.

    Examples
    --------
    >>> note = Note("3 probes were left out", advice="controls: keep keeps them")
    >>> print(note)
    3 probes were left out; controls: keep keeps them
    >>> note.finding, note.code
    ('3 probes were left out', 'other')
    >>> platform = Note("GPL570", "platform", start="platform ")
    >>> print(platform, platform.finding, sep=" | ")
    platform GPL570 | GPL570
    """

    __slots__ = ("advice", "code", "finding")

    finding: str
    code: NoteCode
    advice: str

    def __new__(
        cls, finding: str, code: NoteCode = "other", *, advice: str = "", start: str = ""
    ) -> Self:
        """Return a note with the text ``{start}{finding}; {advice}``.

        The words of ``start`` are not part of the finding, which is then a plain value.
        """
        text = f"{start}{finding}"
        note = super().__new__(cls, f"{text}; {advice}" if advice else text)
        note.finding = finding
        note.code = code
        note.advice = advice
        return note


class NoteWarning(UserWarning):
    """A warning about a data set, which its message names; ``note`` is its note."""

    def __init__(self, dataset: str, note: str) -> None:
        super().__init__(f"data set {dataset}: {note}")
        self.note = note if isinstance(note, Note) else Note(note)
