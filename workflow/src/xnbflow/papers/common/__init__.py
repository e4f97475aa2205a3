"""What several papers use.

| module | content |
|---|---|
| `published`, `uci` | published data sets: reading, cleaning, kinds of features |
| `bessel` | Bessel functions of the concentration |
"""
