"""The words of a page that a reader sees before anything is opened."""

import re
from html.parser import HTMLParser

#: Elements whose text is no word of the page: programs, drawings, what a browser without
#: JavaScript shows.
_NO_TEXT = {"script", "style", "svg", "noscript", "title"}
#: Classes of elements that are not visible on a screen.
_HIDDEN = {"hidden", "paper", "static", "skip"}
_VOID = {"meta", "link", "img", "br", "input", "hr", "col"}
#: Elements whose end tag the page leaves out.
_UNCLOSED = {"th", "td"}


class VisibleWords(HTMLParser):
    """Collects the visible words of a page: tokens with a letter.

    ``words`` are all of them, ``above_genes`` those before the table of genes.
    """

    def __init__(self):
        super().__init__()
        self.words, self.above_genes = [], None
        self._open = []  # element, whether its text is visible, and whether its content is

    def handle_starttag(self, tag, attrs):
        if tag in _VOID or tag in _UNCLOSED:
            return
        attributes = dict(attrs)
        classes = set((attributes.get("class") or "").split())
        if "genes" in classes and self.above_genes is None:
            self.above_genes = list(self.words)
        visible = tag not in _NO_TEXT and not classes & _HIDDEN and "hidden" not in attributes
        if self._open:
            _, around, content = self._open[-1]
            visible = visible and around and (content or tag == "summary")
        content = tag != "details" or "open" in attributes
        self._open.append((tag, visible, content))

    def handle_endtag(self, tag):
        if tag in _UNCLOSED or tag not in [name for name, *_ in self._open]:
            return
        while self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not self._open or all(self._open[-1][1:]):
            self.words += re.findall(r"\S*[^\W\d_]\S*", data)


def visible_words(html):
    """Return the visible words of a page, and those above the table of genes."""
    parser = VisibleWords()
    parser.feed(html)
    return parser.words, parser.above_genes
