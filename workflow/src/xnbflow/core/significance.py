"""Levels at which tests and intervals decide, each defined once."""

#: One-sided level of verdicts, and of each end of a 95% interval.
ONE_SIDED_LEVEL = 0.025
#: Level of all other tests: two-sided, or one-sided of columns of the samples. Where several are
#: tested, it is that of the adjusted p.
TEST_LEVEL = 0.05
#: False discovery rate below which features and gene sets differ.
FDR_LEVEL = 0.05


def corrected_confidence(n_candidates: int) -> float:
    """Return the confidence of the interval of a classifier that was chosen among candidates.

    Bonferroni: each of ``n_candidates`` intervals may miss its value with a share of the error of a
    single 95% interval.

    Examples
    --------
    >>> corrected_confidence(1), corrected_confidence(5)
    (0.95, 0.99)
    """
    return 1 - 2 * ONE_SIDED_LEVEL / n_candidates
