"""The tables of the analysis of signatures."""

from xnbflow.data.contract import named, table

__all__ = ["TABLES"]

TABLES = named(
    table(
        "curves",
        "how good each classifier is with how many features, over repeated cross-validation",
        "a data set, method and value of the parameter that decides how many features",
        "dataset method",
        parameter=("text", "what decides how many features"),
        value=("number", "of the parameter"),
        features_per_class=("number", "mean over classes, folds and repeats"),
        accuracy=("number", "of the predictions pooled over folds, mean over repeats"),
        balanced_accuracy=("number", "likewise"),
        log_loss=("number", "likewise, in nats; missing if the method gives no probabilities"),
        accuracy_sd=("number", "over repeats; missing with one repeat"),
        samples="integer",
        classes="integer",
        folds=("integer", "per repeat"),
        repeats="integer",
    ),
    table(
        "sizes",
        "the number of features per pair of classes that inner cross-validation chooses",
        "a fold",
        "dataset repeat fold",
        n_features=("integer", "per pair of classes"),
        features_per_class=("number", "mean over classes"),
        temperature="number",
    ),
    table(
        "chosen",
        "the same over folds",
        "a data set",
        "dataset",
        least=("integer", "features per pair of classes"),
        median=("number", "likewise"),
        most=("integer", "likewise"),
        features_per_class=("number", "mean over folds and classes"),
        temperature=("number", "median"),
    ),
)
