"""How good a classifier is: methods, folds, fitting, training and metrics."""
