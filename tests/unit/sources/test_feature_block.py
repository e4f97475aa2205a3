"""The block of features: columns that describe samples before, after and among the genes."""

import numpy as np
import pytest

from xnbflow.sources.infer.feature_block import _LEAST_FEATURES, find_feature_block

N_GENES = 800
N_SAMPLES = 20


def texts(values, n_decimals):
    return [f"{value:.{n_decimals}f}" for value in values]


def described(rng):
    """Return twenty columns that describe samples, as sheets have them, each with its decimals."""
    whole = {
        "run_order": rng.permutation(N_SAMPLES) + 1,
        "age": rng.integers(30, 80, N_SAMPLES),
        "Ki67": rng.integers(1, 90, N_SAMPLES),
        "percent_tumour": rng.integers(30, 99, N_SAMPLES),
        "library size": rng.integers(2e7, 4e7, N_SAMPLES),
        "mapped_reads": rng.integers(1e7, 3e7, N_SAMPLES),
        "Gleason": rng.integers(6, 10, N_SAMPLES),
    }
    tenths = {
        "RIN": rng.normal(7.8, 0.8, N_SAMPLES),
        "BMI": rng.normal(27, 4, N_SAMPLES),
        "tumour_size": rng.uniform(5, 40, N_SAMPLES),
        "DV200": rng.normal(70, 12, N_SAMPLES),
        "weight_kg": rng.normal(70, 10, N_SAMPLES),
        "hours to freezing": rng.uniform(0.5, 6, N_SAMPLES),
        "concentration_ng_ul": rng.normal(80, 20, N_SAMPLES),
        "CRP": rng.lognormal(1.5, 1, N_SAMPLES),
        "WBC": rng.normal(7, 2, N_SAMPLES),
    }
    hundredths = {
        "PSA": rng.lognormal(1.3, 0.5, N_SAMPLES),
        "serum_marker": rng.normal(2.7, 0.3, N_SAMPLES),
        "A260_280": rng.normal(2, 0.05, N_SAMPLES),
        "duplication.rate": rng.uniform(0.1, 0.4, N_SAMPLES),
    }
    columns = {}
    for n_decimals, group in enumerate((whole, tenths, hundredths)):
        columns |= {name: texts(values, n_decimals) for name, values in group.items()}
    return columns


def names_of_genes(kind, rng):
    letters = [chr(code) for code in range(ord("A"), ord("Z") + 1)]
    symbols = ["".join(rng.choice(letters, 4)) + str(i) for i in range(N_GENES)]
    names = {
        "numbered": [f"gene{i}" for i in range(N_GENES)],
        "probes": [f"{1000 + i}{('_at', '_s_at', '_x_at')[i % 3]}" for i in range(N_GENES)],
        "Ensembl": [f"ENSG{i:011}" for i in range(N_GENES)],
        "symbols": symbols,
    }
    return names[kind]


def values_of_genes(kind, rng):
    """Return a list of texts for each gene."""
    medians = rng.normal(8, 2, N_GENES)
    if kind == "counts":
        means = 2**medians
        return [
            [str(count) for count in rng.negative_binomial(4, 4 / (4 + mean), N_SAMPLES)]
            for mean in means
        ]
    logarithms = [rng.normal(median, 1, N_SAMPLES) for median in medians]
    if kind == "intensities":
        return [texts(2**values, 1) for values in logarithms]
    return [texts(values, 3) for values in logarithms]


def insert(genes, others, place, rng):
    """Return the names and cells of a table with columns before, after or among the genes."""
    if place == "before":
        columns = others | genes
    elif place == "after":
        columns = genes | others
    else:
        positions = {*rng.choice(np.arange(30, N_GENES - 30), len(others), replace=False).tolist()}
        remaining = list(others.items())
        columns = {}
        for i, (name, cells) in enumerate(genes.items()):
            if i in positions:
                other, other_cells = remaining.pop()
                columns[other] = other_cells
            columns[name] = cells
    return list(columns), list(columns.values())


@pytest.mark.parametrize("place", ["before", "after", "among"])
@pytest.mark.parametrize("values", ["logarithms", "counts", "intensities"])
@pytest.mark.parametrize("kind", ["numbered", "probes", "Ensembl"])
def test_twenty_columns_of_samples_are_outside_the_block(kind, values, place):
    rng = np.random.default_rng(5)
    others = described(rng)
    genes = dict(zip(names_of_genes(kind, rng), values_of_genes(values, rng), strict=True))
    names, cells = insert(genes, others, place, rng)
    block = find_feature_block(names, cells)
    assert {names[i] for i in block.others} == set(others)
    assert [names[i] for i in block.features] == list(genes)


@pytest.mark.parametrize("place", ["before", "after", "among"])
def test_decimals_distinguish_a_quality_from_a_symbol(place):
    """RIN and PSA could be symbols; they have fewer decimals than the logarithms beside them."""
    rng = np.random.default_rng(6)
    others = described(rng)
    genes = dict(
        zip(names_of_genes("symbols", rng), values_of_genes("logarithms", rng), strict=True)
    )
    names, cells = insert(genes, others, place, rng)
    block = find_feature_block(names, cells)
    assert {names[i] for i in block.others} >= set(others) - {"Gleason", "Ki67"}
    assert {names[i] for i in block.others} <= set(others)


@pytest.mark.parametrize("kind", ["numbered", "probes", "Ensembl", "symbols"])
def test_genes_alone_are_features_whatever_their_order(kind):
    rng = np.random.default_rng(7)
    cells = sorted(values_of_genes("intensities", rng), key=lambda gene: -float(gene[0]))
    block = find_feature_block(names_of_genes(kind, rng), cells)
    assert not block.others


@pytest.mark.parametrize("place", [0, 400, 800])
@pytest.mark.parametrize("gene", ["NUP133", "NEK6|10783", "DDR1 /// MIR4640", "HSPA1A;HSPA1B"])
@pytest.mark.parametrize("cells", [["NA"] * 17 + ["7", "8", "7"], ["0"] * 20])
def test_genes_with_few_values_or_whole_ones_are_features(place, gene, cells):
    rng = np.random.default_rng(8)
    names = names_of_genes("symbols", rng)
    values = values_of_genes("logarithms", rng)
    names.insert(place, gene)
    values.insert(place, cells)
    assert not find_feature_block(names, values).others


@pytest.mark.parametrize(
    ("kind", "genes"),
    [
        ("symbols", ["0610005C13Rik", "1700001C02Rik", "mt-Nd1", "mt-Co1"]),  # of mice
        ("symbols", ["1-Mar", "2-Sep", "10-Mar"]),  # dates that Excel made of symbols
        ("symbols", ["5S_rRNA", "5_8S_rRNA", "Metazoa_SRP"]),  # names of Ensembl
        ("miRNA", ["hsa-let-7a-5p", "hsa-let-7a-3p", "hsa-let-7b-5p", "cel-miR-39-3p"]),
        ("UniProt", ["A0A024R161", "A0A0B4J2D5", "Q9Y6K9-2"]),
    ],
)
@pytest.mark.parametrize("place", [0, 400, 800])
def test_genes_with_names_of_their_own_form_are_features(kind, genes, place):
    """Sorted by name, such genes are the first or the last rows of their table."""
    rng = np.random.default_rng(11)
    if kind == "symbols":
        names = names_of_genes("symbols", rng)
    elif kind == "miRNA":
        names = [f"hsa-miR-{i + 1}-5p" for i in range(N_GENES)]
    else:
        names = [f"{'OPQ'[i % 3]}{10000 + i}" for i in range(N_GENES)]
    values = values_of_genes("logarithms", rng)
    for gene in genes:
        names.insert(place, gene)
        values.insert(place, texts(rng.normal(14, 1, N_SAMPLES), 3))
    assert not find_feature_block(names, values).others


def test_unlike_names_of_one_scale_are_one_block():
    """Metabolites have no family of names."""
    rng = np.random.default_rng(9)
    names = ["glucose", "lactic acid", "C18:1", "3-hydroxybutyrate", "PC(36:2)", "urea"]
    names += [f"{letter * 3}{word}" for letter in "abcd" for word in ("ine", " acid", "ol-1")]
    names += ["TMAO", "L-Proline", "myo-inositol"]
    cells = [texts(rng.normal(5, 1, N_SAMPLES), 3) for _ in names]
    block = find_feature_block([*names, "age"], [*cells, texts(np.arange(40, 60), 0)])
    assert block.others == [len(names)]


def test_controls_of_an_array_and_unnamed_columns_are_not_judged():
    rng = np.random.default_rng(10)
    names = [*names_of_genes("probes", rng), "AFFX-BioB-5_at", "", "__no_feature"]
    cells = [*values_of_genes("logarithms", rng), *[["15000"] * N_SAMPLES] * 3]
    assert not find_feature_block(names, cells).others


@pytest.mark.parametrize(("n_columns", "is_small"), [(_LEAST_FEATURES, False), (19, True)])
def test_fewer_than_twenty_columns_are_no_block(n_columns, is_small):
    cells = [["1.5", "2.5"]] * n_columns
    block = find_feature_block([f"g{i}" for i in range(n_columns)], cells)
    assert block.is_small == is_small
    assert block.features == list(range(n_columns))


@pytest.mark.parametrize("place", [0, 2])
def test_a_quality_that_is_written_as_the_genes_are_is_known_by_its_name(place):
    rng = np.random.default_rng(11)
    names = ["sample_order", "RIN", *(f"ZNF{i}" for i in range(N_GENES))]
    names.insert(place, "BMI")
    cells = [texts(rng.normal(8, 1, N_SAMPLES), 1) for _ in names]
    others = {names[i] for i in find_feature_block(names, cells).others}
    assert others == {"sample_order", "RIN", "BMI"}


def test_genes_whose_last_digits_are_zeros_by_chance_are_features():
    """A column of p values has four decimals in every gene, except where the last is a zero."""
    rng = np.random.default_rng(12)
    names = [f"ZNF{i}" for i in range(40)]
    cells = [[*texts(rng.normal(8, 1, N_SAMPLES - 1), 2), "0.1234"] for _ in names]
    cells[7][-1] = "0.123"
    assert not find_feature_block(names, cells).others


@pytest.mark.parametrize("kind", ["numbered", "Ensembl"])
@pytest.mark.parametrize("n_symbols", [25, 100])
def test_symbols_before_identifiers_of_genes_without_one_are_features(kind, n_symbols):
    """Some tables have a symbol where there is one, and an identifier elsewhere."""
    rng = np.random.default_rng(13)
    names = names_of_genes(kind, rng)
    names[:n_symbols] = [f"ZNF{i}" for i in range(n_symbols)]
    cells = values_of_genes("logarithms", rng)
    quality = texts(rng.normal(7.8, 0.8, N_SAMPLES), 1)
    counts = texts(rng.integers(1e3, 1e4, N_SAMPLES), 0)
    block = find_feature_block(["RIN", "WBC", *names], [quality, counts, *cells])
    assert block.others == [0, 1]
