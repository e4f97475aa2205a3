"""Separation scores of blocks of features (Pavlenko and von Rosen): classifier and study.

======================  =========================================================================
file                    contents
======================  =========================================================================
`gaussian_blocks`       normal densities of many blocks, their distances J (Eqs. 10 and 11)
`separation_scores`     thresholds, weights and risk from scores (Eqs. 9, 13 to 22, Theorem 1)
`mixing`                the distribution H of scores, and the optimal weights (Eq. 17)
`block_nb`              the classifier (Eqs. 8, 13 and 18)
`correlation_blocks`    blocks found from correlations
`compute`               tables of the study: fits, blocks of real series, verdicts
`compute_simulation`    tables of the study: simulated risks of all methods
`compute_figures`       tables of the study: Figures 1 and 2
`section`, `drawings`   the page
======================  =========================================================================
"""

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

#: The paper's figures, and a variant of the second.
FIGURE_1 = "Figure 1"
FIGURE_2 = "Figure 2 as printed"
FIGURE_2_FIXED = "Figure 2, fixed distributions"
#: Readings of the tables of these figures: Eq. 19 as printed, and the exact risk.
AS_PRINTED = "Eq. 19 as printed, added to D"
EXACT = "exact risk"
