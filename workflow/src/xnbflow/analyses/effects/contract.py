"""The tables of the analysis of naive and generalized effects."""

from xnbflow.contract import Columns, named, table

__all__ = ["TABLES"]

_SET: Columns = {"dataset": "text", "features": ("text", "the set of features")}
_MODEL: Columns = {**_SET, "model": "text", "part": ("text", "train or test")}
_CUTOFF: Columns = {"cutoff": ("number", "an event is predicted above it")}

TABLES = named(
    table(
        "fit",
        "how well each model fits",
        "a set, model and part",
        **_MODEL,
        n_features="integer",
        n_samples="integer",
        log_likelihood="number",
        mean_square_error="number",
        c_statistic=("number", "area under the ROC curve"),
        **_CUTOFF,
        misclassification=("number", "share of samples"),
    ),
    table(
        "confusion",
        "how often a class is taken for the other",
        "a set, model, part and pair of classes",
        **_MODEL,
        **_CUTOFF,
        actual="text",
        predicted="text",
        count="integer",
    ),
    table(
        "linear_loss",
        "how much worse linear effects are",
        "a set, part and statistic",
        **_SET,
        part=("text", "train or test"),
        statistic="text",
        generalized=("number", "of generalized naive Bayes"),
        linear=("number", "of logistic regression"),
        loss=("number", "how much worse the linear one is"),
    ),
    table(
        "convergence",
        "the log-likelihood by iteration",
        "an iteration",
        **_SET,
        iteration=("integer", "0 is naive Bayes"),
        log_likelihood=("number", "in training"),
    ),
    table(
        "scorecard",
        "the effect of each value of each feature",
        "a feature and value",
        **_SET,
        feature="text",
        kind=("text", "intercept, continuous or categorical"),
        value=("number", "missing for the intercept"),
        count=("integer", "samples with the value"),
        naive_effect="number",
        adjustment="number",
        sum=("number", "naive effect and adjustment"),
    ),
    table(
        "tuning",
        "what was tried; absent where nothing is tuned",
        "a combination of parameters",
        **_SET,
        **{"{parameter}": ("text or number", "a column for each tuned parameter, under its name")},
        mean_log_likelihood=("number", "cross-validated, per sample"),
        chosen="boolean",
    ),
    table(
        "stepwise",
        "steps of the stepwise selection; absent where there is none",
        "a step",
        **_SET,
        step="integer",
        action="text",
        feature="text",
        chi_square="number",
        p_value="number",
        log_likelihood="number",
        n_selected=("integer", "features after the step"),
    ),
)
