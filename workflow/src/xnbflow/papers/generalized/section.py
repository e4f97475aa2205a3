"""Effects: fit, costs, single effects and tuning of generalized naive Bayes (Larsen 2005)."""

import numpy as np
import pandas as pd

from xnbflow.papers.generalized import (
    GENERALIZED,
    LINEAR,
    MODELS,
    NAIVE,
    PAPERS_EXAMPLE,
    PUBLISHED,
)
from xnbflow.papers.generalized.drawings import draw_effect
from xnbflow.papers.generalized.entries import ANALYSIS
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Links, Prose, Section, Table
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.tables.contract import Column

#: Statistics of a fit, and whether greater or less is better.
_STATISTICS = {
    "log_likelihood": "max",
    "mean_square_error": "min",
    "c_statistic": "max",
    "misclassification": "min",
}
_INTERVAL = ["misclassification", "misclassification_lower", "misclassification_upper"]
#: Columns of the scorecard that are drawn.
_EFFECTS = ["naive_effect", "adjustment", "sum"]
#: The features of the paper's Figures 1 and 2.
_PAPER_FIGURES = ["capLengthMAX", "wordFreqOUR"]
#: The paper's number of passes.
_PAPER_PASSES = 6
#: Features, and quantiles of their observations, in the excerpt of the scorecard.
_EXCERPT_FEATURES = 5
_EXCERPT_QUANTILES = (0.0, 0.5, 0.75, 0.9, 0.99)


def section(results: StudyResults) -> Section | None:
    """Return the results on naive and generalized effects; None without data sets."""
    whole = results.analysis(ANALYSIS)
    datasets = whole["fit"]["dataset"].unique()
    if not len(datasets):
        return None
    blocks: list[Block] = []
    for i, dataset in enumerate(datasets):
        content = _DataSetResults(whole, dataset).blocks()
        blocks += content if len(datasets) == 1 else [Group(dataset, content, opened=i == 0)]
    return Section(
        "effects",
        "Naive and generalized effects",
        "The evidence of each feature by itself, the part that is subtracted because features are "
        "correlated, and the gain by this correction.",
        blocks,
    )


_HOW_TO_READ = (
    "Naive Bayes adds up the effect of each feature, in log odds: 0 is neutral, +1 makes the odds "
    "of the event 2.7 times as high, −1 divides them by 2.7. These are the naive effects. Related "
    "features are counted more than once, so probabilities are too close to 0 or 1. Generalized "
    "naive Bayes corrects each effect by an adjustment. Both may take any shape; in logistic "
    "regression every effect is a straight line."
)
_ERRORS = (
    "Share misclassified, with its 95% interval (1.96 standard errors to either side). All "
    "models have the same samples, so differences between them are more certain than the "
    "intervals suggest. Whether the paper’s test samples are these is unknown."
)
_STATISTICS_EXPLAINED = (
    "Log-likelihood of the outcomes: closer to 0 is better. Mean square error of the probability. "
    "C-statistic: share of pairs in which the event has a higher probability than the non-event; "
    "1 is best. A model that counts features twice can have the right order and wrong "
    "probabilities, which worsens the first two. A model much better in training than in the test "
    "overfits. As published: no atoms, no pseudo-observations, and each feature is smoothed until "
    "its adjustment converges before the next one; passes are those of the outer loop, of which "
    "the paper has 6. Naive Bayes as published is the paper’s first step; the other row of naive "
    "Bayes has atoms, which are ours."
)
_CURVES = (
    "Blue dashes: the naive effect. Orange dots: the adjustment. Green line: their sum, which the "
    "model uses. Above 0 a value is evidence for “{event}”, below 0 against. Grey bars: where "
    "the training samples are (heights by square root); where there are hardly any, the curve is "
    "unreliable. A value shared by over a tenth of the samples is a round mark, with its share in "
    "the strip. The outermost 1% on either side is left out."
)
_PAPERS_CURVES = (
    " These are Figures 1 and 2 of the paper, which describes capLengthMAX as a hockey stick (a "
    "steep rise, then constant) and wordFreqOUR as a U."
)
_OTHER_CURVES = (
    "Drawn in the same way, in the order of the effect on the log odds over all samples. Vertical "
    "axes differ."
)
_STRENGTHS = (
    "Effect of each feature on the log odds. Spread: standard deviation over the training "
    "samples, of the naive effect and of the sum. Taken back: the share of the naive effect that "
    "the adjustment removes; below 0 it increases the effect. Least and greatest: range of the "
    "sum, rare values included."
)
_SPLITS = (
    "Share misclassified on random splits of the same sizes as the fixed one: mean, standard "
    "deviation, and the 95% interval in which one further split is expected, such as the paper’s."
)
_COSTS = "Both kinds of error, and their cost per 1,000 samples with L1 + L2 scaled to 2."
_STEPS = (
    "At each step the feature that most improves a logistic regression on the naive effects "
    "enters (score chi-square), or one that is no longer significant is removed (Wald’s "
    "chi-square). With many features some enter by chance: p-values are not adjusted."
)
_TUNING = (
    "Every combination tried, with its log-likelihood per sample in stratified ten-fold "
    "cross-validation of the training part (nearer to 0 is better); the chosen one is marked, and "
    "the fit statistics have the tuned model. Try more values where the chosen one is an extreme."
)


class _DataSetResults:
    """The results on one data set: its rows of all tables, and values that its blocks share."""

    def __init__(self, whole: PageTables, dataset: str) -> None:
        self.whole = whole
        self.dataset = dataset
        self.tables: dict[str, pd.DataFrame] = {}
        for name in whole.present():
            rows = whole.rows(name, dataset=dataset)
            if len(rows):
                self.tables[name] = rows.drop(columns="dataset")
        fit = self.tables["fit"]
        sizes = fit.drop_duplicates("features").set_index("features")["n_features"]
        # Each set of features with its title; the smallest one is shown in detail.
        self.sets = {name: f"{name} ({size} features)" for name, size in sizes.items()}
        self.shown = sizes.idxmin()
        self.part = "test" if (fit["part"] == "test").any() else "train"
        self.models = [model for model in MODELS if (fit["model"] == model).any()]
        self.other, self.event = fit[["other", "event"]].iloc[0]
        self.papers = PAPERS_EXAMPLE[1] if dataset == PAPERS_EXAMPLE[0] else ""

    def rows_of_set(self, table: str, name: str) -> pd.DataFrame:
        """Return the rows of a table that a set of features has."""
        rows = self.tables[table]
        return rows[rows["features"] == name]

    def fit(self, name: str, part: str) -> pd.DataFrame:
        """Return the fit statistics of a set in a part, a row per model."""
        rows = self.rows_of_set("fit", name)
        return rows[rows["part"] == part].set_index("model").reindex(self.models)

    def features(self, name: str) -> list[str]:
        """Return the features of a set; none of a set that there is not."""
        card = self.rows_of_set("scorecard", name)
        return card.loc[card["kind"] != "intercept", "feature"].unique().tolist()

    def blocks(self) -> list[Block]:
        """Return the blocks of a data set: fit, effects, predictions."""
        fit: list[Block] = [Prose(_STATISTICS_EXPLAINED), self.fit_table()]
        shown = f"Effects of single features, set “{self.shown}”"
        blocks: list[Block] = [
            self.headline(),
            Prose(_HOW_TO_READ),
            self.errors(),
            Group("Fit statistics", fit, "log-likelihood, errors, ranking", opened=True),
            *self.splits(),
            Group(shown, self.curves(), opened=True),
            Group("Decisions and what they cost", self.costs(), opened=True),
            Group("Convergence", [self.convergence()], "log-likelihood by pass"),
        ]
        if "stepwise" in self.tables:
            steps = [self.stepwise(name) for name in self.tables["stepwise"]["features"].unique()]
            blocks.append(Group("Stepwise selection", steps, "which features entered"))
        if "tuning" in self.tables:
            blocks.append(Group("Tuning", [self.tuning()], "chosen inside the training part"))
        return [*blocks, Group("Scorecard", self.scorecard(), "the model as a look-up table")]

    def headline(self) -> Prose:
        """Return the errors on the set that is shown, and the paper's."""
        fit = self.fit(self.shown, self.part)
        share = fit["misclassification"]
        error = fit["misclassification_error"]
        text = (
            f"Of {fit['n_samples'].iloc[0]:,} {self.part} samples of {self.dataset}, with the "
            f"features of set “{self.shown}”, generalized naive Bayes misclassifies "
            f"{share[GENERALIZED]:.1%} (standard error {error[GENERALIZED]:.1%}), naive Bayes "
            f"{share[NAIVE]:.1%} and logistic regression {share[LINEAR]:.1%}."
        )
        if self.papers == self.shown:
            (row,) = self.tables["published"].itertuples()
            text += (
                f" The paper prints {row.paper:.1%}, with a standard error of "
                f"{row.paper_error:.1%}: the two differ by {'' if row.differs else 'no '}more than "
                "chance. Its 3,065 training and 1,536 test mails, “randomly selected”, are as "
                "many as those of the classic split of The Elements of Statistical Learning, "
                "which this study uses; the paper does not state whether they are the same."
            )
        return Prose(text, "headline", self.whole.sources("fit", "published"))

    def errors(self) -> Figure:
        """Return the share misclassified by every model on every set, with intervals."""
        fits = [self.fit(name, self.part) for name in self.sets]
        shares = {}
        for model in self.models:
            shares[model] = [fit.loc[model, _INTERVAL].tolist() for fit in fits]
        if self.papers in self.sets:
            printed = self.tables["published"].set_index("features").reindex(list(self.sets))
            columns = ["paper", "paper_lower", "paper_upper"]
            shares["paper"] = printed[columns].to_numpy().tolist()
        groups = []
        for style, (label, rows) in enumerate(shares.items()):
            value, lower, upper = (100 * np.array(rows)).T
            groups.append(RowPoints(label, values=value, lower=lower, upper=upper, style=style))
        xlabel = f"per cent of the {self.part} part misclassified"
        alt = f"Points with intervals: share of the {self.part} part that each model misclassifies."
        return Figure(
            f"effects-errors-{self.dataset}",
            draw_points,
            arguments={"rows": list(self.sets.values()), "groups": groups, "xlabel": xlabel},
            caption=_ERRORS,
            alt=alt,
            sources=self.whole.sources("fit", "published"),
        )

    def splits(self) -> list[Block]:
        """Return the errors on random splits, and the paper's among them."""
        if "splits" not in self.tables:
            return []
        summary = self.tables["splits"]
        blocks: list[Block] = []
        if self.papers:
            sentences = []
            for row in summary[summary["model"].isin([PUBLISHED, GENERALIZED])].itertuples():
                side = "inside" if row.contains else "outside"
                sentences.append(
                    f"With set “{row.features}” the paper’s {row.paper:.1%} is {side} the interval "
                    f"of {row.model} ({row.mean:.2%}; {row.lower:.2%} to {row.upper:.2%})."
                )
            sources = self.whole.sources("splits")
            blocks.append(Prose(" ".join(sentences), "headline", sources))
        columns = ["model", "features", "splits", "mean", "sd", "lower", "upper"]
        if self.papers:
            columns += ["paper", "paper_share", "contains"]
        blocks.append(self.whole.show("splits", _SPLITS, columns, summary))
        return [Group("Random splits", blocks, "the paper has one", opened=True)]

    def fit_table(self) -> Table:
        """Return the fit statistics of all sets and parts."""
        fit = self.tables["fit"].reset_index(drop=True)
        best = set()
        for _, rows in fit.groupby(["features", "part"]):
            for statistic, which in _STATISTICS.items():
                values = rows[statistic]
                is_best = values == values.agg(which)
                best |= {(int(i), statistic) for i in rows.index[is_best]}
        columns = ["model", "features", "part", "n_features", "n_samples", *_STATISTICS, "passes"]
        declarations = dict.fromkeys(list(_STATISTICS)[1:], Column("number", format=".4f"))
        caption = "The best of each set and part is marked."
        return self.whole.show(
            "fit", caption, columns, fit, declarations=declarations, best=frozenset(best)
        )

    def costs(self) -> list[Block]:
        """Return both kinds of errors and their costs, for all sets, parts and models."""
        fit = self.tables["fit"]
        meaning = (
            f"A case is called “{self.event}” where its probability exceeds L1 / (L1 + L2) = "
            f"{fit['cutoff'].iloc[0]:.3g}. L1 is the loss of calling “{self.event}” what is "
            f"“{self.other}”, L2 that of the reverse; the study’s parameter losses sets them."
        )
        called = {
            "false_alarms": Column("integer", label=f"{self.other} called {self.event}"),
            "missed": Column("integer", label=f"{self.event} called {self.other}"),
        }
        columns = ["model", "features", "part", *called, "loss_per_1000"]
        table = self.whole.show("fit", _COSTS, columns, fit, declarations=called)
        return [Prose(meaning, sources=self.whole.sources("fit")), table]

    def curves(self) -> list[Block]:
        """Return the effects of the features of the set that is shown."""
        strengths = self.rows_of_set("strengths", self.shown).set_index("feature")
        first = strengths.index[:2].tolist()
        caption = _CURVES.format(event=self.event)
        if self.papers and set(_PAPER_FIGURES) <= set(strengths.index):
            first = _PAPER_FIGURES
            caption += _PAPERS_CURVES
        order = [*first, *strengths.index.drop(first)]
        figures = [
            self.curve(f"effect-{self.dataset}-{i:02d}", strengths.loc[name], large=name in first)
            for i, name in enumerate(order, 1)
        ]
        (row,) = self.rows_of_set("backfitting", self.shown).itertuples()
        adjusted = (
            f"In {row.against} of {row.effects} features the adjustment works against the naive "
            f"effect; half of the features lose {row.median_taken_back:.0%} or more of it. The "
            "paper finds most adjustment where the naive effect peaks: compare the curves."
        )
        sources = self.whole.sources("scorecard", "strengths")
        blocks: list[Block] = [
            Prose(adjusted, sources=self.whole.sources("backfitting")),
            Gallery(figures[: len(first)], caption, sources),
        ]
        if others := figures[len(first) :]:
            gallery = Gallery(others, _OTHER_CURVES, sources)
            note = f"{len(others)} effects"
            blocks.append(Group("The other features", [gallery], note, opened=True))
        columns = ["feature", "naive", "adjusted", "taken_back", "least", "greatest"]
        table = self.whole.show("strengths", _STRENGTHS, columns, strengths.reset_index())
        return [*blocks, Group("Strength of each effect", [table], "as a table")]

    def curve(self, name: str, strength: pd.Series, *, large: bool) -> Figure:
        """Return the effect of a feature, of which ``strength`` is the row of its table."""
        feature = strength.name
        card = self.rows_of_set("scorecard", self.shown)
        card = card[card["feature"] == feature]
        card = card[card["value"].between(*strength[["low", "high"]])].sort_values("value")
        apart = card[card["apart"]]
        beyond = strength["beyond"]
        arguments = {
            "feature": feature,
            "values": card["value"].to_numpy(),
            "effects": card[_EFFECTS].to_numpy().T,
            "counts": card["count"].to_numpy(),
            "separate": list(zip(apart["value"].tolist(), apart["share"].tolist(), strict=True)),
            "note": f"{beyond:.1%} lie outside" if beyond > 0 else "",
            "large": large,
        }
        alt = (
            f"Effect of {feature} on the log odds: least {strength['least']:.2f} at "
            f"{strength['least_at']:g}, greatest {strength['greatest']:.2f} at "
            f"{strength['greatest_at']:g}."
        )
        return Figure(name, draw_effect, arguments=arguments, caption="", alt=alt)

    def convergence(self) -> Table:
        """Return the log-likelihood by pass over the features, for every set."""
        caption = (
            "Where the log-likelihood of the training part goes. Each pass corrects every curve "
            "once, until the curves hardly change any more; curves are smoothed, so that a pass "
            "may lower it."
        )
        if self.papers in self.sets:
            caption += f" The paper makes {_PAPER_PASSES} passes with set “{self.papers}”."
        declarations = dict.fromkeys(["naive", "last", "greatest"], ",.1f") | {"first_share": ".0%"}
        columns = ["features", "passes", "naive", "last", "greatest", "greatest_after"]
        columns.append("first_share")
        rows = self.tables["backfitting"]
        return self.whole.show("backfitting", caption, columns, rows, declarations=declarations)

    def stepwise(self, name: str) -> Table:
        """Return the steps of the selection of a set."""
        path = self.rows_of_set("stepwise", name)
        caption = f"Set “{name}”. {_STEPS}"
        if len(path) > 2:
            caption += (
                f" The second step gains {path['gain'].iloc[1]:,.1f} of log-likelihood, the last "
                f"{path['gain'].iloc[-1]:,.1f}."
            )
        if self.papers in self.sets:
            paper_features = self.features(self.papers)
            n_shared = len(set(self.features(name)) & set(paper_features))
            caption += (
                f" Of the paper’s {len(paper_features)} features {n_shared} are selected here."
            )
        columns = ["step", "action", "feature", "chi_square", "p_value", "log_likelihood"]
        return self.whole.show("stepwise", caption, columns, path)

    def tuning(self) -> Table:
        """Return the values tried within the training part, and the chosen ones."""
        table = self.tables["tuning"].reset_index(drop=True)
        best = frozenset((int(i), "mean_log_likelihood") for i in np.flatnonzero(table["chosen"]))
        return self.whole.show("tuning", _TUNING, rows=table.drop(columns="chosen"), best=best)

    def scorecard(self) -> list[Block]:
        """Return the place of the look-up table, and a few of its lines."""
        card = self.rows_of_set("scorecard", self.shown)
        parts = [card[card["kind"] == "intercept"]]
        for feature in self.rows_of_set("strengths", self.shown)["feature"].head(_EXCERPT_FEATURES):
            lines = card[card["feature"] == feature].sort_values("value")
            positions = np.unique(np.searchsorted(lines["below"], _EXCERPT_QUANTILES))
            parts.append(lines.iloc[positions])
        caption = (
            "An excerpt: the strongest features at their least value, median and upper quantiles. "
            "To score a case by hand, start from the intercept and add the sum of every feature at "
            "the case’s value (between two lines in proportion, beyond the last as the last). Of "
            f"the result s, the probability of “{self.event}” is 1 / (1 + exp(−s))."
        )
        what = (
            f"the whole look-up table of all sets, {len(self.tables['scorecard']):,} lines, one "
            "per value seen in training"
        )
        files = ["effects/scorecard.parquet", "effects/scorecard.tsv"]
        columns = ["feature", "value", "count", *_EFFECTS]
        table = self.whole.show("scorecard", caption, columns, pd.concat(parts))
        return [Links([("Scorecard", what, files)]), table]
