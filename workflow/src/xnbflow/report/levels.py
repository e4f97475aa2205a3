"""The levels of support of a result, and how a page shows them."""

from typing import Literal

#: Classes of the page's style by the level of a verdict, the best first.
LEVELS: dict[str, Literal["good", "fair", "poor"]] = {
    "well supported": "good",
    "partly supported": "fair",
    "not supported": "poor",
}
