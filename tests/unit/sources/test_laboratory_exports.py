"""Tables as laboratories export them: each is proposed and read unasked, to the same series.

Every function writes 24 samples in the layout of one program, and returns the table and the sample
sheet (or classes) that a user would name beside it, if there is one.
"""

import numpy as np
import pandas as pd
import pytest
from lab_files import CONDITIONS, ENSEMBL, SAMPLES, SYMBOLS, counts, logarithms
from toys import entry_in

from xnbflow.running.cli.app import propose
from xnbflow.sources.acquire import acquire

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

N_GENES = 600
PROBES = [f"{i}_at" for i in range(1007, 1007 + N_GENES)]
#: Logarithms of intensities, counts, and estimated counts, (n_genes, n_samples).
INTENSITIES = logarithms(n_genes=N_GENES).T
COUNTS = counts(n_genes=N_GENES).T
ESTIMATED = COUNTS + 0.25 * (COUNTS > 50)  # of genes that share reads with others
SYMBOLS_OF_GENES = SYMBOLS[:N_GENES]
GENES = ENSEMBL[:N_GENES]


def table(values, names):
    """Return a frame with a row per gene and a column per sample."""
    return pd.DataFrame(values, index=names, columns=SAMPLES)


def sample_sheet(folder, samples=SAMPLES):
    frame = pd.DataFrame({"sample": samples, "condition": CONDITIONS})
    frame.to_csv(folder / "samples.tsv", sep="\t", index=False)
    return folder / "samples.tsv"


def excel_with_a_title(folder):
    frame = table(INTENSITIES, PROBES).reset_index(names="Probe")
    with pd.ExcelWriter(folder / "export.xlsx") as book:
        frame.to_excel(book, index=False, startrow=1)
        book.sheets["Sheet1"]["A1"] = "Core facility, normalised expression (log2)"
    return folder / "export.xlsx", sample_sheet(folder)


def german_excel_as_csv(folder):
    frame = table(INTENSITIES, PROBES).T.reset_index(names="Probe")
    frame.insert(1, "Diagnose", CONDITIONS)
    frame.to_csv(folder / "export.csv", sep=";", decimal=",", index=False)
    return folder / "export.csv", None


def write_table_of_r(folder):
    """``write.table(t(x), sep = "\\t")``: names in quotes, and none for the column of row names."""
    frame = table(INTENSITIES, PROBES).T
    frame.insert(0, "condition", CONDITIONS)
    header = "\t".join(f'"{name}"' for name in frame)
    lines = [header]
    for sample, cells in frame.iterrows():
        numbers = "\t".join(map(str, cells[1:]))
        lines.append(f'"{sample}"\t"{cells["condition"]}"\t{numbers}')
    (folder / "export.txt").write_text("\n".join(lines) + "\n")
    return folder / "export.txt", None


def gct_and_cls(folder):
    frame = table(INTENSITIES, PROBES)
    frame.insert(0, "Description", SYMBOLS_OF_GENES)
    text = frame.to_csv(sep="\t", index_label="NAME")
    (folder / "export.gct").write_text(f"#1.2\n{N_GENES}\t{len(SAMPLES)}\n{text}")
    codes = " ".join("0" if condition == "tumour" else "1" for condition in CONDITIONS)
    (folder / "export.cls").write_text(f"{len(SAMPLES)} 2 1\n# tumour normal\n{codes}\n")
    return folder / "export.gct", folder / "export.cls"


def samples_in_columns(folder):
    table(INTENSITIES, PROBES).to_csv(folder / "export.csv", index_label="probe")
    shuffled = np.random.default_rng(0).permutation(len(SAMPLES))  # in another order
    frame = pd.DataFrame({"sample": SAMPLES, "condition": CONDITIONS}).iloc[shuffled]
    frame.to_csv(folder / "samples.csv", index=False)
    return folder / "export.csv", folder / "samples.csv"


def unicode_text_of_excel(folder):
    """Excel's "Unicode Text (*.txt)": UTF-16 with its mark, tabs, line ends of Windows."""
    frame = table(INTENSITIES, PROBES).T.reset_index(names="Sample")
    frame.insert(1, "Gewebe", CONDITIONS)
    text = frame.to_csv(sep="\t", index=False, lineterminator="\r\n")
    (folder / "export.txt").write_bytes(text.encode("utf-16"))
    return folder / "export.txt", None


def limma(folder):
    """``write.csv(cbind(fit$genes, exprs(x)))``: ``Gene.Symbol`` between the probe and samples."""
    frame = table(INTENSITIES, PROBES)
    frame.insert(0, "Gene.Symbol", SYMBOLS_OF_GENES)
    frame.to_csv(folder / "normalised.csv", index_label="ID", quoting=2)
    return folder / "normalised.csv", sample_sheet(folder)


def feature_counts(folder):
    frame = table(COUNTS, GENES)
    frame.columns = [f"/scratch/run 1/{sample}.sorted.bam" for sample in SAMPLES]
    frame.insert(0, "Chr", "chr1;chr1")
    frame.insert(1, "Start", "100;900")
    frame.insert(2, "End", "200;1000")
    frame.insert(3, "Strand", "+;+")
    frame.insert(4, "Length", 202)
    text = frame.to_csv(sep="\t", index_label="Geneid")
    comment = '# Program:featureCounts v2.0.3; Command:"featureCounts" "-T" "8"\n'
    (folder / "counts.txt").write_text(comment + text)
    return folder / "counts.txt", sample_sheet(folder)


def salmon_of_nf_core(folder):
    frame = table(ESTIMATED, GENES)
    frame.insert(0, "gene_name", SYMBOLS_OF_GENES)
    path = folder / "salmon.merged.gene_counts.tsv"
    frame.to_csv(path, sep="\t", index_label="gene_id")
    return path, sample_sheet(folder)


def kallisto_by_tximport(folder):
    """``write.csv(txi$counts)`` in R: an empty first name, and versions of the identifiers."""
    frame = table(ESTIMATED, [f"{gene}.{1 + i % 9}" for i, gene in enumerate(GENES)])
    frame.to_csv(folder / "kallisto_gene_counts.csv", index_label="", quoting=2)
    return folder / "kallisto_gene_counts.csv", sample_sheet(folder)


ARRAYS = [
    excel_with_a_title,
    german_excel_as_csv,
    write_table_of_r,
    gct_and_cls,
    samples_in_columns,
    unicode_text_of_excel,
    limma,
]
SEQUENCING = [feature_counts, salmon_of_nf_core, kallisto_by_tximport]


def read_unasked(folder, export):
    """Return the series of an export by the row that `xnbflow study` proposes."""
    path, beside = export(folder)
    settings = {} if beside is None else {"phenotype": str(beside)}
    propose(str(path), output=str(folder / "mine"), **settings)
    return acquire(entry_in(folder / "mine.yaml"), downloads=folder)


@pytest.mark.parametrize("export", ARRAYS, ids=lambda export: export.__name__)
def test_exports_of_arrays_are_one_series(tmp_path, export):
    if export is excel_with_a_title:
        pytest.importorskip("openpyxl", reason="writes the workbook")
    series = read_unasked(tmp_path, export)
    assert series.features.tolist() == PROBES
    assert series.samples.tolist() == SAMPLES
    assert series.labels.tolist() == CONDITIONS.tolist()
    np.testing.assert_array_equal(series.values, INTENSITIES)


@pytest.mark.parametrize("export", SEQUENCING, ids=lambda export: export.__name__)
def test_exports_of_sequencing_are_one_series(tmp_path, export):
    series = read_unasked(tmp_path, export)
    assert series.features.tolist() == GENES
    assert series.samples.tolist() == SAMPLES
    assert series.labels.tolist() == CONDITIONS.tolist()
    expected = COUNTS if export is feature_counts else ESTIMATED
    np.testing.assert_array_equal(series.values, expected)
    assert series.scale == "counts"  # transform: tmm is proposed, which normalises within folds


@pytest.mark.parametrize("export", [limma, gct_and_cls, salmon_of_nf_core])
def test_symbols_beside_the_samples_annotate_the_genes(tmp_path, export):
    series = read_unasked(tmp_path, export)
    if export is gct_and_cls:
        assert series.feature_metadata["Description"].tolist() == SYMBOLS_OF_GENES
    else:
        assert series.feature_metadata["symbol"].tolist() == SYMBOLS_OF_GENES
