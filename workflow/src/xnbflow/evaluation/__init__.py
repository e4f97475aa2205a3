"""Evaluation of classifiers: folds, fits, predictions and their metrics.

- `methods`, `method_checks`, `build`: which methods exist, is an entry of the configuration valid,
  and which estimator does it describe?
- `folds`, `folds_file`: which samples are tested together?
- `training`, `fitting`: fit a classifier in each fold, with groups kept whole and missing values
  filled in.
- `selected`: which features does a fitted classifier use?
- `metrics`: how good are predictions?
- `keyed_tables`: tables of all classifiers of a study.
"""
