"""The levels of support of a result, and how a page shows them."""

from typing import Literal

from xnbflow.core.findings import VerdictLevel

#: Classes of the page's style.
Style = Literal["good", "fair", "open", "poor"]
#: Style by the level of a verdict, the best first.
LEVEL_STYLES: dict[str, Style] = {
    "well supported": "good",
    "partly supported": "fair",
    "cannot be judged": "open",
    "not supported": "poor",
}
#: Levels of results that can be used further: in a second cohort, or in an assay.
SUPPORTED: tuple[VerdictLevel, ...] = ("well supported", "partly supported")
