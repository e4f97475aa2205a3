"""The script for R has the numbers of the gene table; it runs where R has its packages."""

import subprocess

import numpy as np
import pandas as pd
import pytest
from counts_cases import simulated_counts
from r_oracles import is_installed
from toys import HOSTILE, dataset, put_gct

from xnbflow.core.study import Design
from xnbflow.diagnostics.contrasts import contrast_table
from xnbflow.diagnostics.genes import gene_table
from xnbflow.diagnostics.limma_script import limma_script

#: Columns of the table of the script and of the table of genes.
COLUMNS = {
    "difference": "difference",
    "lower": "lower",
    "upper": "upper",
    "mean": "mean",
    "t": "t",
    "p": "p",
    "fdr": "fdr",
    "df": "df",
}


def run_script(folder, series, design):
    """Run the script of a series beside its values; return its table, by comparison and feature."""
    for package in ("limma", "edgeR", "statmod"):
        if not is_installed(package):
            pytest.skip(f"R's {package} is not installed")
    put_gct(folder, series, "toy")
    (folder / "limma.R").write_text(limma_script(series, design))
    done = subprocess.run(
        ["Rscript", "--vanilla", "limma.R", "toy.gct"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(folder / "limma.tsv", sep="\t", quoting=3, keep_default_na=False,
                        na_values=["NA"], dtype={"feature": str, "comparison": str})  # fmt: skip
    return table.set_index(["comparison", "feature"])


def agrees(folder, series, design=None, rtol=1e-6):
    """Compare every number of the script with those of the tables ``genes`` and ``contrasts``."""
    design = design or Design()
    written = run_script(folder, series, design)
    genes = gene_table(series, design).rename(columns={"class": "comparison"})
    pairs = contrast_table(series, design).rename(columns={"contrast": "comparison"})
    tables = [table for table in (genes, pairs) if len(table)]
    expected = pd.concat(tables).set_index(["comparison", "feature"])
    expected = expected[expected["t"].notna()]
    is_logarithm = expected["log_fold_change"].notna()
    expected["difference"] = np.where(
        is_logarithm, expected["log_fold_change"], expected["difference"]
    )
    written = written[written["t"].notna()]
    assert set(written.index) == set(expected.index)
    written = written.loc[expected.index]
    for column in COLUMNS:
        np.testing.assert_allclose(written[column], expected[column], rtol=rtol, err_msg=column)


def expression(rng, labels, **fields):
    """Return log2 intensities of 300 features, of which 30 differ between the classes."""
    codes = np.unique(labels, return_inverse=True)[1]
    spread = np.sqrt(1 / rng.gamma(4, 1, (300, 1)))
    values = rng.normal(8, 1.5, (300, 1)) + spread * rng.normal(size=(300, len(labels)))
    values[:30] += codes
    return dataset(values, labels, **({"scale": "log2"} | fields))


def test_two_classes(tmp_path, rng):
    agrees(tmp_path, expression(rng, ["normal"] * 5 + ["tumour"] * 7))


def test_three_classes_with_a_reference_and_a_pair(tmp_path, rng):
    series = expression(rng, np.repeat(["early", "healthy", "late"], [4, 5, 6]))
    design = Design(reference="healthy", contrasts=("late vs early",), trend=True)
    agrees(tmp_path, series, design)


def test_natural_logarithms_become_log2_fold_changes(tmp_path, rng):
    agrees(tmp_path, expression(rng, list("aaaabbbb"), scale="ln"))


def test_columns_to_adjust_for_and_missing_values(tmp_path, rng):
    phenotype = pd.DataFrame(
        {
            "age": ["40", "51", "60", "38", "71", "55", "NA", "62", "47", "50", "66", "58"],
            "plate": list("112211221122"),
        }
    )
    series = expression(rng, list("aaaaaabbbbbb"), sample_metadata=phenotype)
    values = series.values.copy()
    values[rng.random(values.shape) < 0.03] = np.nan
    series = dataset(values, series.labels, scale="log2", sample_metadata=phenotype, missing=True)
    agrees(tmp_path, series, Design(adjust=("age", "factor(plate)")))


def test_pairs_are_blocks(tmp_path, rng):
    groups = [f"patient {i // 2}" for i in range(12)]
    agrees(tmp_path, expression(rng, ["normal", "tumour"] * 6, groups=groups))


def test_few_groups_of_one_class_beside_pairs_are_left_out(tmp_path, rng):
    groups = list("aabbccddef")
    agrees(tmp_path, expression(rng, ["x", "y"] * 4 + ["x", "y"], groups=groups))


def test_means_of_groups_have_the_weights_of_their_variances(tmp_path, rng):
    groups = list("aaabbcdeeffgh")
    agrees(tmp_path, expression(rng, ["x"] * 7 + ["y"] * 6, groups=groups))


def test_a_class_without_common_groups_has_a_design_of_its_own(tmp_path, rng):
    groups = [*"aabbccdd", *"efghi"]
    labels = ["normal", "tumour"] * 4 + ["healthy"] * 5
    agrees(tmp_path, expression(rng, labels, groups=groups))


def test_samples_of_a_group_are_correlated(tmp_path, rng):
    groups = np.repeat(list("abcdef"), 2)
    series = expression(rng, list("xxyyxxyyxyxy"), groups=groups)
    agrees(tmp_path, series, Design(repeated="correlation"), rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("trend", [False, True])
@pytest.mark.parametrize("paired", [False, True])
def test_counts(tmp_path, trend, paired):
    counts, codes, patients, ages = simulated_counts(3)
    series = dataset(
        counts,
        np.array(["control", "treated"])[codes],
        scale="counts",
        groups=[f"p{i}" for i in patients] if paired else None,
        sample_metadata=pd.DataFrame({"age": ages.astype(str)}),
    )
    adjust = () if paired else ("age",)
    agrees(tmp_path, series, Design(adjust=adjust, trend=trend), rtol=1e-5)


def test_names_are_taken_as_they_are(tmp_path, rng):
    """Numbers as names of samples, and names that R would quote, split or run."""
    names = [name for name in HOSTILE if not name.startswith('"')]
    labels = [names[0]] * 4 + [names[5]] * 4
    series = expression(rng, labels)
    series = dataset(series.values, labels, scale="log2", samples=[str(i) for i in range(8, 0, -1)],
                     features=[*names, *map(str, range(300 - len(names)))])  # fmt: skip
    agrees(tmp_path, series)


def test_without_enough_samples_the_script_is_the_reason(rng):
    script = limma_script(expression(rng, ["a", "b"]), Design())
    assert script.startswith("# There is no script: ")
    assert "no degrees of freedom" in script
