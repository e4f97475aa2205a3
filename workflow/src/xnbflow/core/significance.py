"""Levels at which tests and intervals decide, each defined once."""

#: One-sided level of verdicts, and of each end of a 95% interval.
ONE_SIDED_LEVEL = 0.025
#: Level of all other tests: two-sided, or one-sided of columns of the samples. Where several are
#: tested, it is that of the adjusted p.
TEST_LEVEL = 0.05
#: False discovery rate below which features and gene sets differ.
FDR_LEVEL = 0.05
