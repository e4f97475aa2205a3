"""The XNB paper: rerun of its tables and of Figure 1, and its questions for future work.

The classifier itself is `xnbflow.naive_bayes.XNB`.

| module | content |
|---|---|
| `published` | the numbers that the paper prints |
| `compute`, `section` | Tables 1 and 2 with their means: the printed numbers beside ours |
| `figure1` | Figure 1: its numbers over many folds |
| `compute_distances`, `section_distances` | other distances, bandwidths and kernels |
"""
