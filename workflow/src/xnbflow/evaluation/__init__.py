"""How good a classifier is: folds, training, metrics, stability, comparison."""
