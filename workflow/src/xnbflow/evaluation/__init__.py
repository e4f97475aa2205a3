"""Evaluation of classifiers: methods, folds, fitting, training and metrics."""
