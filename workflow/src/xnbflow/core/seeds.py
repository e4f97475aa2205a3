"""Random seeds derived from names, so that results do not depend on order or number of cores.

Seeds of a data set depend on its content: `xnbflow.data.series_seed`.
"""

import hashlib


def derive_seed(*parts: str | int) -> int:
    """Return a seed in [0, 2**32) that depends only on the parts, for example data set and repeat.

    Examples
    --------
    >>> derive_seed("GSE50161", 0) == derive_seed("GSE50161", 0)
    True
    >>> derive_seed("GSE50161", 0) == derive_seed("GSE50161", 1)
    False
    """
    text = "\x1f".join(str(word) for word in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
