"""What several papers use.

| module | content |
|---|---|
| `coverage` | the list of a paper's items, and where each is in the project |
| `published`, `uci` | published data sets: reading, cleaning, kinds of features |
| `repeats` | cross-validations of an analysis: check of the series, a job per repeat |
| `bessel` | Bessel functions of the concentration |
"""
