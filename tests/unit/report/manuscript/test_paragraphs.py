"""Methods and results in words: every number is that of a table, every clause was run."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_study import (
    CLASSES,
    FEATURES,
    SAMPLES,
    changed,
    completed,
    judged,
    study_of_tables,
    with_rows,
    write_declared,
    write_study,
)

from xnbflow.report import sentences
from xnbflow.report.manuscript import paragraphs as source
from xnbflow.report.manuscript import writer
from xnbflow.report.manuscript.paragraphs import paragraphs, preparing_steps
from xnbflow.report.manuscript.references import cited_keys
from xnbflow.report.numbers import format_p
from xnbflow.tables import contract
from xnbflow.tables.storage import read_parquet, write_parquet

PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A study of two data sets, without groups and without permutations."""
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def grouped_results(tmp_path_factory):
    """A study of one data set whose samples have groups, with a permutation test on request."""
    results = write_study(tmp_path_factory.mktemp("tested"), datasets=("alpha",))
    row = {"dataset": "alpha", "classifier": "xnb", "metric": "balanced_accuracy"}
    row |= {"observed": 0.71, "permutations": 200, "null_mean": 0.5, "at_least": 3, "permuted": ""}
    results = with_rows(results, permutation_tests=[row | {"p_value": 4 / 201}])
    results = changed(results, "verdicts", "classifier == 'xnb'", p_value=4 / 201)
    results = changed(results, "datasets", groups=12.0)
    return replace(results, study=replace(results.study, permutations={"xnb": 200}))


def numbers_of(results, row):
    """The numbers that are told of a classifier on a data set, in their order."""
    where = {name: row[name] for name in ("dataset", "folds", "classifier")}
    estimates = results.rows("estimates", **where).set_index("metric")
    limits = ("estimate", "lower", "upper")
    accuracy = estimates.loc["accuracy"]
    value, *interval = [f"{100 * accuracy[name]:.1f}%" for name in limits]
    actual = [value, "95%", *interval]
    actual += [f"{100 * estimates.loc['balanced_accuracy', name]:.1f}%" for name in limits]
    actual += [f"{100 * accuracy['reference']:.1f}%", format_p(accuracy["p"])]
    for row_of_class in estimates.loc[["recall"]].to_dict("records"):
        actual += [f"{100 * row_of_class[name]:.1f}%" for name in limits]
        actual += [str(row_of_class["samples"])]
    mean = results.rows("summary", **where, metric="features_per_class")["mean"].iloc[0]
    actual += [f"{mean:.0f}" if mean == round(mean) else f"{mean:.1f}"]
    actual += [format_p(row["p_value"])] if pd.notna(row["p_value"]) else []
    stability = results.rows("stability", **where, **{"class": ""}).dropna(subset="stability")
    for estimate in stability.to_dict("records"):
        actual += [f"{estimate[name]:.2f}" for name in ("stability", "lower", "upper")]
    return actual


@pytest.mark.parametrize("study", ["results", "grouped_results"])
def test_every_number_of_a_classifier_is_that_of_its_table(study, request):
    results = request.getfixturevalue(study)
    text = writer.sections_of_text(paragraphs(results))["Results"]
    verdicts = results.tables["verdicts"]
    assert len(verdicts) == 3 * len(results.study.datasets)
    for _, row in verdicts.iterrows():
        place = results.with_folds(row["dataset"], row["folds"])
        start = f"{place}, {results.labels[row['classifier']]}: accuracy "
        (sentence,) = (line for line in text.splitlines() if line.startswith(start))
        place_of = {name: row[name] for name in ("dataset", "folds", "classifier")}
        statement, why = sentence.removeprefix(start).split(f"this result is {row['level']}")
        reasons = sentences.reasons_against(results, place_of)
        assert why == (f" because {' and '.join(reasons)}." if reasons else ".")
        recall = results.rows("estimates", **place_of, metric="recall")
        assert re.findall("“(.*?)”", statement) == recall["class"].tolist()
        statement = re.sub("“.*?”", "", statement)
        assert re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?%?", statement) == numbers_of(results, row)
    headline = sentences.headline_sentence(results)
    assert headline in text
    within = results.tables["pairwise_within"]
    adjusted = int((within["corrected_t_holm"] <= 0.05).sum())
    after = f"After adjustment {adjusted} of {len(within)} comparisons of two classifiers"
    assert after in text
    for _, row in results.tables["omnibus"].iterrows():
        test = f"over {row['datasets']} data sets (scheme {row['folds']}): statistic "
        test += f"{row['statistic']:z.2f}, p = {row['p_value']:.2g}."
        assert test in text


def test_first_genes_have_symbols_once_and_gene_sets_their_numbers(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    path = results.root / contract.GENES.of(study="small", dataset="alpha", table="genes")
    fields = ["class", "feature", "symbol", "rank", "difference", "log_fold_change", "auc", "fdr"]
    genes = [
        ("healthy", "p2", "TP53", 2, 2.0, 2.0, 0.8, 0.002),
        ("healthy", "p1", "TP53", 1, 1.0, 1.234, 0.9, 1e-7),
        ("healthy", "p3", "", 3, -1.0, np.nan, 0.2, 0.04),
        ("tumour", "p3", "", 1, 1.0, np.nan, 0.8, 0.04),
        ("tumour", "p4", "MYC", 2, 1.0, 1.0, 0.8, 0.06),
    ]
    table = pd.DataFrame(genes, columns=fields).assign(p=0.001)
    write_declared(table, path, contract.GENE_TABLES["genes"])
    row = {"dataset": "alpha", "class": "healthy", "rank": 1, "gene_set": "REPAIR"}
    row |= {"set_size": 30, "direction": "higher", "p": 1e-8, "fdr": 2.2e-6}
    lower = row | {"direction": "lower", "gene_set": "CYCLE", "fdr": 0.01}
    tables = {"gene_set_tests": [row, lower, row | {"fdr": 0.2}]}
    text = writer.sections_of_text(paragraphs(with_rows(results, **tables)))["Results"]
    assert "3 of 4 genes differ between classes" in text
    assert "2 are higher in “healthy”" in text
    assert "TP53 (log2 fold change 1.23, FDR 1e-07). 1 is higher in “tumour”" in text
    assert "p3 (AUC 0.800, FDR 0.04)." in text
    sets = (
        "REPAIR (higher in “healthy”, 30 genes, FDR 2.2e-06), CYCLE (lower in “healthy”, 30 genes, "
    )
    assert f"Gene sets by CAMERA: {sets}FDR 0.01)." in text
    assert text.count("REPAIR") == 1


def test_the_methods_give_the_sizes_and_folds_of_the_study(results):
    text = writer.sections_of_text(paragraphs(results))
    sizes = results.tables["class_sizes"]
    expected = {name: (SAMPLES, FEATURES, len(classes)) for name, classes in CLASSES.items()}
    for _, row in results.tables["datasets"].iterrows():
        classes = sizes[sizes["dataset"] == row["dataset"]]
        assert tuple(row[["samples", "features", "classes"]]) == expected[row["dataset"]]
        assert set(classes["samples"]) == {SAMPLES // len(classes)}
        counts = [f"“{label}” {n}" for label, n in classes[["class", "samples"]].to_numpy()]
        sentence = f"It has {row['samples']} samples in {row['classes']} classes"
        sentence += f" ({', '.join(counts)}) and {row['features']} features."
        assert sentence in text["Data"]
    validation = text["Cross-validation"]
    assert "by 3-fold cross-validation, stratified by class and drawn 2 times" in validation
    # xnbflow.data.series_seed; not from names
    assert "derived from the pattern of the classes of the samples" in validation
    assert all(label in text["Classifiers"] for label in results.labels.values())
    assert all(number in text["Software"] for number in results.software.values())


def test_clauses_follow_what_was_run(results, grouped_results):
    plain, grouped = paragraphs(results), paragraphs(grouped_results)
    assert "No permutation test was run." in plain
    assert "200 permutations" in grouped
    assert "No permutation test" not in grouped
    assert "the label test of xnbflow" not in grouped  # a test was asked for
    assert "12 groups" in grouped
    assert "group" not in plain.replace("where samples have groups, groups count", "")
    assert "Friedman" in plain
    assert "Friedman" not in grouped  # one data set
    for absent in ("hypergeometric", "second cohort was", "disjoint halves of the samples, which"):
        assert absent not in plain + grouped
    assert "2.5" not in writer.sections_of_text(plain)["Statistics"]  # no classifier tunes itself


def test_random_genes_and_forecasts_are_written_where_they_were_run(tmp_path):
    expected = "balanced accuracy is 75.0% (50.0% to 90.0%) with 72 training samples"
    results = write_study(tmp_path, datasets=("alpha",))
    assert not re.search("random signature|learning curve", paragraphs(results))
    place = {"dataset": "alpha", "classifier": "xnb"}
    random = {"signatures": 100, "selected_score": 0.8, "as_good_random": 7, "random_p": 8 / 101}
    random |= {"random_mean": 0.7}
    curve = {"training_samples": 72.0, "balanced_accuracy": 0.75, "lower": 0.5, "upper": 0.9}
    kinds = pd.DataFrame({"kind": ["measured", "forecast"], "unreliable": ["", "wide"]})
    curve = kinds.assign(**curve | place)
    text = paragraphs(with_rows(results, random_genes=[random | place], learning_curve=curve))
    assert "with 100 random signatures (alpha, " in text
    assert "; 7 of 100 random signatures reached it (p = 0.079)." in text
    assert text.count(f"{expected} (unreliable: wide).") == text.count("72 training") == 1
    assert {"venet2011", "mukherjee2003"} <= set(cited_keys(text))
    text = paragraphs(changed(results, "audit", severity="warning", subject="s", finding="f"))
    assert f"Audit of alpha (warning, {len(results.tables['audit'])} findings; s, s, s and" in text


def test_versions_are_those_of_the_training_and_differences_are_named(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    assert "those of the training were not recorded" in paragraphs(results)
    key = {"study": "small", "dataset": "alpha", "folds": results.study.folds[0], "job": "main"}
    path = results.root / contract.TRAINING_PATH.of(**key, table="fits")
    fits = contract.stacked_schema(contract.TRAINING_TABLES["fits"])
    write_parquet(read_parquet(path, fits), path, fits, series="digest")
    ours = results.software["numpy"]
    assert "The same versions trained" in paragraphs(replace(results))
    text = paragraphs(replace(results, software={**results.software, "numpy": "0.1"}))
    assert f"numpy {ours}" in text
    assert "the report was written with numpy 0.1." in text


def test_a_study_without_classifiers_claims_no_classification(tmp_path):
    text = paragraphs(write_study(tmp_path, classifiers=()))
    assert set(writer.sections_of_text(text)) == {"Data", "Statistics", "Software"}
    assert not re.search("cross-valid|accurac|permut", text)


def test_steps_are_described_with_their_reasons(results):
    steps = [{"method": "quantile_normalizer", "reason": "two days"}]
    configuration = results.configuration | {"preprocessing": {"GSE7904": steps}}
    text = writer.sections_of_text(paragraphs(replace(results, configuration=configuration)))
    assert "in the mean; source: @bolstad2003; reason: two days" in text["Preprocessing"]
    assert "No further preprocessing" not in text["Preprocessing"]


def test_the_steps_of_a_pipeline_are_those_before_its_classifier(results):
    name = next(iter(results.configuration["classifiers"]))
    steps = [{"method": "quantile_normalizer"}, {"method": "gaussian_nb"}]
    assert [step["owner"] for step in preparing_steps(results, {name: {"steps": steps}})] == [
        results.labels[name]
    ]
    assert list(preparing_steps(results, {name: {"method": "gaussian_nb"}})) == []


def test_genes_of_a_paper_are_five_of_a_class_and_higher_in_it(tmp_path):
    rows = [
        {"class": "b", "feature": f"g{i}", "symbol": "", "rank": i, "p": 0.001, "fdr": 0.01}
        | {"difference": 1.0}
        for i in range(7)
    ]
    rows[1]["difference"] = -1.0
    rows[2]["fdr"] = 0.05
    study = study_of_tables(tmp_path, {"genes.genes": rows})
    actual = source.gene_facts(study, "d")
    assert (actual["tested"], actual["found"]) == (7, 6)
    (of_class,) = actual["higher"]
    assert of_class["found"] == 5
    assert [row["name"] for row in of_class["first"]] == ["g0", "g3", "g4", "g5", "g6"]
    rows.append(rows[0] | {"feature": "g8", "rank": 8})
    study = study_of_tables(tmp_path, {"genes.genes": rows})
    assert len(source.gene_facts(study, "d")["higher"][0]["first"]) == 5


@pytest.mark.parametrize(
    ("rank", "fdr", "named"),
    [(3, 0.04, True), (4, 0.04, False), (1, 0.05, False), (1, None, False)],
)
def test_a_gene_set_is_named_by_rank_and_fdr(rank, fdr, named):
    assert source.is_named_set({"rank": rank, "fdr": fdr}) == named


def test_a_verdict_of_a_paper_has_the_rows_of_its_classifier(tmp_path):
    verdict = PLACE | {"level": "well supported"}
    estimate = PLACE | {"metric": "balanced_accuracy", "class": "", "lower": 0.5}
    curve = {"dataset": "d", "classifier": "xnb"}
    study = study_of_tables(tmp_path, {"verdicts": [verdict], "estimates": [estimate]})
    tables = {
        "estimates": [estimate, estimate | {"classifier": "nb", "lower": 0.1}],
        "summary": [PLACE | {"metric": "features_per_class", "mean": 7.0, "folds_failed": 0}],
        "stability": [PLACE | {"class": "a"}, PLACE | {"class": "", "stability": 0.5}],
        "random_genes": [],
        "equal_priors": [PLACE | {"class": label, "priors_decide": label == "a"} for label in "ab"],
        "learning_curve": [
            curve | {"kind": "measured", "fitted": ""},
            curve | {"kind": "forecast", "fitted": ""},
            curve | {"kind": "forecast", "fitted": "ClassSpecificNB"},  # not of this classifier
        ],
    }
    actual = source.verdict_facts(study, verdict, tables)
    assert actual["balanced_accuracy"]["lower"] == 0.5
    assert actual["features"] == 7.0
    assert actual["stability"]["stability"] == 0.5
    assert [row["class"] for row in actual["by_priors"]] == ["a"]
    assert [row["kind"] for row in actual["learning_curve"]] == ["forecast"]
    assert [row["fitted"] for row in actual["learning_curve"]] == [""]


def test_a_selection_without_halves_is_named_as_a_reason(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb", "xnb"))
    results = judged(judged(results, "nb"), "xnb", "stability not tested")
    lines = paragraphs(results).splitlines()
    (selects,) = (line for line in lines if line.startswith("alpha, XNB: "))
    assert selects.endswith(
        "partly supported because the stability of its features was not tested."
    )
    (others,) = (line for line in lines if line.startswith(f"alpha, {results.labels['nb']}: "))
    assert others.endswith("this result is well supported.")


def test_checks_belong_to_the_first_scheme_of_folds(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    row = {"dataset": "alpha", "classifier": "nb", "signatures": 100}
    results = with_rows(results, random_genes=[row])
    (place,) = source.facts(results)["evaluations"]
    assert len(place["verdicts"][0]["random_genes"]) == 1
    other = replace(results.study, folds=("another", "3-fold"))
    configuration = results.configuration | {"folds": {"another": {}, "3-fold": {}}}
    results = replace(results, study=other, configuration=configuration)
    vars(results)["training_software"] = {}  # the other scheme has no training
    _, place = source.facts(results)["evaluations"]
    assert place["verdicts"][0]["random_genes"] == []


def test_intervals_of_a_paper_are_described_as_they_are_computed(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb", "forest"))
    assert results.tables["headline"]["candidates"].iloc[0] == 2
    text = writer.sections_of_text(paragraphs(results))["Statistics"]
    assert "corrected for 2 candidates by Bonferroni's method" in text
    assert "The upper limit is 1 where the number of errors, divided in the same way, is at" in text
    assert "upper limit of the accuracy is the greater one" in text
    assert "design effect" not in text  # no groups
    grouped = changed(results, "datasets", groups=12.0)
    text = writer.sections_of_text(paragraphs(grouped))["Statistics"]
    assert "In alpha the number of samples is divided by the design effect" in text


def test_only_classifiers_that_tune_themselves_have_wider_intervals(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    entries = {"nb": {"method": "gaussian_nb"}}
    tuned = {"nb": {"method": "csnb_cv"}}
    tables = {"summary": [], "stability": []}
    for classifiers, labels in ((entries, []), (tuned, ["Naive Bayes"])):
        configuration = results.configuration | {"classifiers": classifiers}
        study = replace(results, configuration=configuration)
        assert source.classifier_facts(study, tables)["tuned"] == labels


def test_comparisons_of_a_paper_have_an_adjusted_p_of_at_most_five_per_cent(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",))
    pair = {"dataset": "alpha", "folds": "3-fold", "first": "nb", "mean_difference": 0.1}
    rows = [
        pair | {"second": "xnb", "corrected_t_holm": 0.05},
        pair | {"second": "forest", "corrected_t_holm": 0.051},
    ]
    text = paragraphs(with_rows(results, pairwise_within=rows))
    assert "After adjustment 1 of 2 comparisons" in text
    assert "Naive Bayes minus XNB: +0.100 in accuracy" in text
    assert "Naive Bayes minus Forest" not in text


def test_notes_are_in_the_methods_without_their_advice(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",), classifiers=("nb",))
    row = {"dataset": "alpha", "code": "other"}
    rows = [
        row | {"note": "1 feature is called NAN", "advice": "name a gene; or none"},
        row | {"note": "values were: if, add, and set", "advice": ""},
        row | {"note": "GPL570", "code": "platform", "advice": ""},
        row | {"note": "platform GPL96", "code": "processing", "advice": ""},
    ]
    text = paragraphs(with_rows(results, notes=rows))
    assert "Notes on reading: 1 feature is called NAN; values were: if, add, and set." in text
    assert "Platform: GPL570." in text
    assert "processing as “platform GPL96”" in text  # the code decides, not the words


def test_methods_state_a_sample_of_features_where_one_was_drawn(results):
    sample = {"tested": 850_000, "compared": 10_000}
    sample |= {"dependent_error": 0.00494, "pair_share_error": 3.1e-8}
    sampled = changed(results, "diagnostics", "dataset == 'alpha'", **sample)
    methods = paragraphs(sampled)
    assert "Of the 850,000 features of alpha a simple random sample of 10,000" in methods
    assert "a standard error of 0.0049, and that of dependent pairs one of 3e-08" in methods
    assert methods.count("simple random sample") == 1


MODEL = {"adjusted": "", "groups": "", "variance": "constant", "samples": 36, "left_out": 0}


def methods_with(root, *, counts=False, contrasts=(), **design):
    """Return the Methods of a study whose data sets were compared by a design."""
    results = write_study(root, classifiers=("nb",))
    for dataset in ("alpha", "GSE7904"):
        place = contract.GENES.fill(study="small", dataset=dataset)
        fields = MODEL | (design if dataset == "alpha" else {})
        table = completed(pd.DataFrame([fields]), contract.GENE_TABLES["design"])
        write_parquet(table, root / place.of(table="design"), contract.GENE_TABLES["design"])
        rows = [{"contrast": name} for name in contrasts if dataset == "alpha"]
        table = completed(
            pd.DataFrame(rows, columns=["contrast"]), contract.GENE_TABLES["contrasts"]
        )
        write_parquet(table, root / place.of(table="contrasts"), contract.GENE_TABLES["contrasts"])
    results = changed(results, "datasets", "dataset == 'alpha'", counts=counts)
    return source.paragraphs(replace(results))


def test_data_sets_of_one_design_have_one_sentence(tmp_path):
    text = methods_with(tmp_path)
    assert text.count("difference of each feature between a class") == 1
    assert "The difference of each feature" in text
    assert "linear model with moderated variances [@smyth2004], with the false" in text


@pytest.mark.parametrize(
    ("design", "expected", "absent"),
    [
        (
            {"adjusted": "age, plate", "left_out": 2},
            ["and of age, plate, with moderated", "; 2 samples without"],
            ["blocks"],
        ),
        ({"groups": "mean"}, ["samples of several classes were blocks"], ["smyth2005"]),
        (
            {"groups": "correlation", "variance": "trend", "counts": True},
            [
                "one correlation for all features [@smyth2005]",
                "variance depends on the mean [@law2014]",
            ],
            ["were blocks", "means were the units", "voom"],
        ),
        ({"variance": "voom", "counts": True}, ["precision weights of voom"], ["depends on"]),
        ({"variance": "trend"}, ["[@smyth2004] that depend on the mean"], ["voom"]),
        (
            {"contrasts": ("a vs b", "slope(age)")},
            ["this model: a vs b; slope(age)."],
            [],
        ),
    ],
)
def test_the_methods_describe_the_model_of_the_design(tmp_path, design, expected, absent):
    text = methods_with(tmp_path, **design)
    assert "In alpha the difference of each feature" in text
    assert "In GSE7904 the difference of each feature" in text
    model = text[text.index("In alpha the difference") : text.index("In GSE7904 the difference")]
    for phrase in expected:
        assert phrase in model
    for phrase in absent:
        assert phrase not in model


def test_a_study_without_diagnostics_describes_its_genes(tmp_path):
    results = write_study(tmp_path, classifiers=("nb",))
    study = replace(results.study, diagnostics=False)
    text = source.paragraphs(replace(results, study=study))
    assert "Shapiro-Wilk" not in text
    assert "The difference of each feature between a class" in text
