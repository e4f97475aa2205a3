"""Inference: intervals, tests, verdicts, the label test, stability.

- `intervals`, `estimates`: how accurate is a classifier, with which interval?
- `label_test`: are labels predicted better than permuted ones? `label_exchange`: which labels may
  be exchanged; `diagonal_discriminant`, `ridge_score`: the statistics; `combined_test`: their
  combination; `sequential`: other tests that stop early
- `within_strata`: does a batch explain the result?
- `verdicts`, `headlines`: is a result supported, and which classifier comes first?
- `second_cohort`, `meta_analysis`, `hartung_knapp`: does it hold in other series?
- `halves`, `stability`, `calibration`, `random_genes`, `preselection`: how stable, how sure, how
  special is a selection?
- `rank_tests`, `paired_tests`: which of several classifiers is better?
"""
