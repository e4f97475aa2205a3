"""The tables of the analysis of separation scores, and the names of its methods."""

from dataclasses import replace

from xnbflow.data.contract import columns, named, table

__all__ = [
    "ALL",
    "ALL_BLOCKS",
    "BEST_THRESHOLD",
    "BIAS_REMOVED",
    "BY_TRUTH",
    "EQ22",
    "ESTIMATED_WEIGHTS",
    "KNOWN_WEIGHTS",
    "REAL",
    "STYLES",
    "TABLES",
    "TRUE_SCORES",
]

#: Of distributions or sample sizes: all of them together.
ALL = "all"

ALL_BLOCKS = "all blocks"
EQ22 = "Eq. 22 as printed"
BIAS_REMOVED = "Eq. 22, bias removed"
BEST_THRESHOLD = "best threshold, estimated H"
ESTIMATED_WEIGHTS = "weights, estimated H"
KNOWN_WEIGHTS = "weights, known H"
TRUE_SCORES = "threshold at the true scores"
#: Methods that select and can be had, and those that need the truth and cannot.
REAL = (EQ22, BIAS_REMOVED, BEST_THRESHOLD, ESTIMATED_WEIGHTS)
BY_TRUTH = (KNOWN_WEIGHTS, TRUE_SCORES)
STYLES = {method: i for i, method in enumerate((*REAL, *BY_TRUTH, ALL_BLOCKS))}

_SETTING = columns(setting=("text", "the distribution of the true scores", "true scores"))
_ERROR = columns(error=("number", "its standard error", "standard error"))["error"]
_KEPT = columns(kept=("number:.0%", "mean share of blocks that are kept", "blocks kept"))

TABLES = named(
    table(
        "risk",
        "simulated and asymptotic risk of each method of selecting or weighting blocks",
        "a distribution, sample size and method",
        _SETTING,
        distribution=("text", "its kind"),
        low=("number", "of uniform scores"),
        high=("number", "of uniform scores"),
        degrees=("number", "of freedom of a non-central chi-square"),
        noncentrality=("number", "of a non-central chi-square"),
        useless=("number", "share of blocks with score 0"),
        mean_score="number",
        samples=("integer", "per class"),
        method="text",
        separation=("number", "D, mean over training sets", "D~"),
        risk=("number:#.3g", "R, mean over training sets", "R~"),
        risk_error=_ERROR,
        asymptotic_separation="number",
        asymptotic_risk="number",
        gain=("number:z.1%", "1 - R~/R, R being that of all blocks"),
        gain_error=replace(_ERROR, format="z.1%"),
        asymptotic_gain=("number:z.1%", "", "gain by formula"),
        **_KEPT,
        risk_difference=("number", "simulated less asymptotic risk"),
        helps=("boolean", "whether the gain is more than two standard errors above 0"),
        harms=("boolean", "whether it is more than two below 0"),
        sets_harmed=("number:.0%", "training sets with a gain below 0; missing for all blocks"),
    ),
    table(
        "verdicts",
        "in how many cases each method helps and harms",
        "a kind of distribution, sample size and method",
        distribution=("text", "its kind; all for all kinds together", "true scores"),
        samples=("text", "per class; all for all sizes together"),
        method="text",
        cases=("integer", "distributions and sample sizes"),
        helps=("integer", "where the gain is more than two standard errors above 0", "helps in"),
        harms=("integer", "where it is more than two below 0", "harms in"),
        least_gain="number:+z.2%",
        mean_gain="number:+z.2%",
        greatest_gain="number:+z.2%",
    ),
    table(
        "gains",
        "histograms of the gain",
        "a bin that is not empty",
        _SETTING,
        samples=("integer", "per class"),
        method="text",
        gain_from="number",
        gain_to="number",
        training_sets=("integer", "how many; those beyond the outer edges in the outer bins"),
    ),
    table(
        "theorem1",
        "the mean signal of a classifier with a threshold, four ways",
        "a distribution and rule",
        _SETTING,
        rule=("text", "what gives the threshold", "threshold by"),
        threshold=("number:.2f", "", "t"),
        **_KEPT,
        simulated=("number:,.1f", "n E"),
        simulated_error=replace(_ERROR, format=",.2f"),
        printed=("number:,.1f", "by Theorem 1", "as printed"),
        corrected=("number:,.1f", "by Theorem 1, H known", "with boundary term"),
        corrected_estimated=("number:,.1f", "by Theorem 1, H estimated", "with it, estimated H"),
        relative_error=("number", "standard error of the simulated one, as a share of it"),
        printed_off=("number", "how far the printed one is above the simulated one, as a share"),
        corrected_off="number",
        corrected_estimated_off="number",
    ),
    table(
        "weights",
        "the weight of a score",
        "a score",
        _SETTING,
        score="number",
        known=("number", "under the known H"),
        estimated_5_percent=("number", "under estimates of H"),
        estimated_median=("number", "under estimates of H"),
        estimated_95_percent=("number", "under estimates of H"),
        threshold=("number", "of Eq. 20"),
    ),
    table(
        "fitted",
        "BlockNB fitted to normal data, its covariances estimated",
        "a distribution, sample size and method",
        _SETTING,
        samples=("integer", "per class"),
        method="text",
        risk=("number:#.3g", "exact, mean over fits"),
        risk_error=replace(_ERROR, format="#.3g"),
        expected_risk=("number:#.3g", "by the classifier's formula", "expected by itself"),
        known_covariance_risk=("number:#.3g", "by simulation", "covariances known"),
        **_KEPT,
        shrinkage=("number:.2f", "over classes and blocks", "mean shrinkage"),
        gain=("number", "1 - R~/R, R being the fitted risk with all blocks; missing without it"),
        gain_error=("number", "its standard error, as if fitted to different data; may be missing"),
        known_gain=("number", "the same with known covariances"),
        above_known=("number", "how far the risk is above that with known covariances, as a share"),
        above_exact=("number", "how far the expected risk is above the exact one, as a share"),
    ),
    table(
        "fitted_means",
        "what estimating covariances costs, over distributions and methods",
        "a sample size",
        samples=("integer", "per class"),
        shrinkage=("number", "mean"),
        above_known=("number", "median"),
        above_exact=("number", "median"),
    ),
    table(
        "blocks",
        "blocks of correlated features found in data sets",
        "a data set and size of blocks",
        "dataset",
        size=("integer", "", "features per block"),
        samples="integer",
        blocks=("integer", "how many"),
        mean_abs_r=("number:.2f", "between features of a block", "mean |r|"),
        shrunk=("number:.0%", "covariances that are shrunk", "blocks shrunk"),
        mean_shrinkage="number:.2f",
    ),
)
