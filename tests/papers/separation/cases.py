"""Cases of this paper for the tests of all estimators, see `paper_cases`."""

import numpy as np
from refused_samples import CODES, CONSTANT, HALF, NOISE, ONE, TWO

from xnbflow import naive_bayes as nb
from xnbflow import preprocessing
from xnbflow.papers.separation.gaussian_blocks import GaussianBlocks

REFUSED = [
    (nb.BlockNB(blocks=[[0, 1], [1, 2, 3]]), NOISE, CODES, "feature 1"),
    (nb.BlockNB(blocks=[[0, 1], [3]]), NOISE, CODES, "feature 2"),
    (nb.BlockNB(blocks=[[0, 1, 2, 3, 4]]), NOISE, CODES, "column 4"),
    (nb.BlockNB(blocks=12), np.tile(NOISE[:11], 4), CODES[:11], "block 0 has 12 features"),
    (nb.BlockNB(), CONSTANT, CODES, "feature 2 is constant within each class"),
    (nb.BlockNB(), NOISE[:2], [0, 1], "2 samples"),
    (nb.BlockNB(covariance="per_class"), HALF, CODES, "feature 2 is constant within class 0"),
    (nb.BlockNB(covariance="per_class"), NOISE, ONE, "class 2 has 1 sample"),
    (nb.BlockNB(blocks=2, covariance="per_class"), NOISE, TWO, "use covariance='pooled'"),
    (preprocessing.CorrelationBlocks(), NOISE[:3], [0, 1, 1], "samples"),
]

VARIANTS = [
    nb.BlockNB(blocks=[[0, 3], [1], [2]]),
    nb.BlockNB(blocks=2, selection="threshold"),
    nb.BlockNB(blocks=2, covariance="per_class"),
]
FAMILIES = [GaussianBlocks]
SUMMED = [
    GaussianBlocks(columns=np.arange(60).reshape(30, 2)),
    GaussianBlocks(columns=np.arange(60).reshape(30, 2), covariance="per_class"),
]
