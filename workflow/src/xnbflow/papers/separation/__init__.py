"""Separation scores of blocks of features: simulations, fits on microarrays, and their section."""

#: Label of all distributions or sample sizes together.
ALL = "all"

ALL_BLOCKS = "all blocks"
EQ22 = "Eq. 22 as printed"
BEST_THRESHOLD = "best threshold, estimated H"
ESTIMATED_WEIGHTS = "weights, estimated H"
KNOWN_WEIGHTS = "weights, known H"
TRUE_SCORES = "threshold at the true scores"
#: Methods that are applicable to data, and those that need the truth.
REAL = (EQ22, BEST_THRESHOLD, ESTIMATED_WEIGHTS)
BY_TRUTH = (KNOWN_WEIGHTS, TRUE_SCORES)
