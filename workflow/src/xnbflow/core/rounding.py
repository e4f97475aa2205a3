"""The tolerance with which a computed number is compared with a threshold."""

#: Numbers of the size of 1 (shares, correlations, sums of probabilities) that differ by less are
#: equal. Their rounding errors, which depend on the processor, are below 1e-11; shares of two
#: different counts differ by more than 1e-8.
ROUNDING = 1e-9
