"""Files as laboratories and their programs write them, with simulated values.

Each function writes one layout into a folder and returns the file that a user would name. The
sample sheet beside it is ``samples.csv``. All have the 24 samples `SAMPLES`, the first half of them
tumours (`CONDITIONS`), and 600 genes unless a function states another number. Layouts:
nf-core/rnaseq, Subread's featureCounts, HTSeq, STAR (``ReadsPerGene.out.tab``), tximport in R, and
workbooks.
"""

from pathlib import Path

import numpy as np
import pandas as pd

N_SAMPLES = 24
N_GENES = 600
SAMPLES = [f"S{i:02}" for i in range(N_SAMPLES)]
CONDITIONS = np.repeat(["tumour", "normal"], N_SAMPLES // 2)

#: Approved symbols that are found in most tables, and invented ones.
_FAMILIAR = "TP53 MYC KRAS EGFR PTEN BRCA1 BRCA2 KIT MET RET MAX CAT SET REST IMPACT AGER BMI1"
SYMBOLS = [*_FAMILIAR.split(), *(f"ZNF{i}" for i in range(100, 100 + N_GENES))][:N_GENES]
ENSEMBL = [f"ENSG{i:011}" for i in range(141510, 141510 + N_GENES)]


def logarithms(seed: int = 0, n_genes: int = N_GENES, n_samples: int = N_SAMPLES) -> np.ndarray:
    """Return logarithms of intensities to base 2, (n_samples, n_genes); 20 genes differ."""
    rng = np.random.default_rng(seed)
    values = rng.normal(rng.uniform(4, 12, n_genes), 0.7, (n_samples, n_genes))
    values[: n_samples // 2, :20] += 2.5
    return values.clip(2.1, 15.4).round(4)


def counts(seed: int = 0, n_genes: int = N_GENES, largest: float = 4.0) -> np.ndarray:
    """Return negative binomial counts, (n_samples, n_genes), of libraries of several depths.

    The mean of a gene is at most 10 to the power ``largest``.
    """
    rng = np.random.default_rng(seed)
    mean = 10 ** rng.uniform(-0.5, largest, n_genes)
    depth = rng.uniform(0.5, 2.0, (N_SAMPLES, 1))
    mean = np.tile(mean, (N_SAMPLES, 1))
    mean[: N_SAMPLES // 2, 20:40] *= 4
    return rng.negative_binomial(5, 5 / (5 + mean * depth))


def write_samples(folder: Path, samples: list[str] | None = None, **columns: object) -> Path:
    """Write a sample sheet with a condition and further columns."""
    sheet = pd.DataFrame({"sample": samples or SAMPLES, "condition": CONDITIONS} | columns)
    sheet.to_csv(folder / "samples.csv", index=False)
    return folder / "samples.csv"


def genes_in_rows(values: np.ndarray, names: list[str], samples: list[str]) -> pd.DataFrame:
    """Return a frame with a row per gene."""
    return pd.DataFrame(values.T, index=pd.Index(names, name="gene"), columns=samples)


# RNA-seq


def nf_core(folder: Path) -> Path:
    """Write estimated counts of Salmon, with the gene's identifier and name."""
    estimated = counts().astype(float)
    uncertain = np.random.default_rng(1).random(estimated.shape) < 0.3
    estimated[uncertain] += np.random.default_rng(2).random(uncertain.sum()).round(3)
    frame = genes_in_rows(estimated, ENSEMBL, SAMPLES).rename_axis("gene_id")
    frame.insert(0, "gene_name", SYMBOLS)
    frame.to_csv(folder / "salmon.merged.gene_counts.tsv", sep="\t")
    write_samples(folder)
    return folder / "salmon.merged.gene_counts.tsv"


def tpm(folder: Path) -> Path:
    """Write transcripts per million of Salmon, whose columns sum to a million."""
    values = counts() + 0.3
    lengths = np.random.default_rng(5).uniform(500, 8000, N_GENES)
    rates = values / lengths
    values = 1e6 * rates / rates.sum(axis=1, keepdims=True)
    frame = genes_in_rows(values.round(6), ENSEMBL, SAMPLES).rename_axis("gene_id")
    frame.insert(0, "gene_name", SYMBOLS)
    frame.to_csv(folder / "salmon.merged.gene_tpm.tsv", sep="\t")
    write_samples(folder)
    return folder / "salmon.merged.gene_tpm.tsv"


def fpkm(folder: Path) -> Path:
    """Write fragments per kilobase and million, whose columns have no common sum."""
    values = counts() / np.random.default_rng(5).uniform(0.5, 8, N_GENES)
    values = values / counts().sum(axis=1, keepdims=True) * 1e6
    genes_in_rows(values.round(5), SYMBOLS, SAMPLES).to_csv(folder / "genes_FPKM.csv")
    write_samples(folder)
    return folder / "genes_FPKM.csv"


def feature_counts(folder: Path, ending: str = ".sorted.bam") -> Path:
    """Write the table of featureCounts: a comment, six columns of genes, paths of BAM files."""
    frame = genes_in_rows(counts(), ENSEMBL, [f"/data/run7/bam/{s}{ending}" for s in SAMPLES])
    rng = np.random.default_rng(3)
    starts = rng.integers(1_000, 200_000_000, N_GENES)
    lengths = rng.integers(300, 20_000, N_GENES)
    frame.insert(0, "Chr", [f"chr{i}" for i in rng.integers(1, 23, N_GENES)])
    frame.insert(1, "Start", starts)
    frame.insert(2, "End", starts + lengths)
    frame.insert(3, "Strand", rng.choice(["+", "-"], N_GENES))
    frame.insert(4, "Length", lengths)
    first = '# Program:featureCounts v2.0.3; Command:"featureCounts" "-a" "genes.gtf"\n'
    text = frame.rename_axis("Geneid").to_csv(sep="\t")
    (folder / "counts.txt").write_text(first + text)
    write_samples(folder)
    return folder / "counts.txt"


def _with_tallies(frame: pd.DataFrame, tallies: str) -> pd.DataFrame:
    """Return counts followed by rows of reads that were counted for no gene."""
    rng = np.random.default_rng(4)
    names = tallies.split()
    rows = rng.integers(1_000, 90_000, (len(names), frame.shape[1]))
    rows[0, : N_SAMPLES // 2] *= 3  # more reads of no gene in tumours
    rest = pd.DataFrame(rows, index=names, columns=frame.columns)
    return pd.concat([frame, rest]).rename_axis("gene")


#: Rows of HTSeq and STAR that are no genes.
HTSEQ = "__no_feature __ambiguous __too_low_aQual __not_aligned __alignment_not_unique"
STAR = "N_unmapped N_multimapping N_noFeature N_ambiguous"


def htseq(folder: Path) -> Path:
    """Write merged counts of HTSeq, with its summary rows at the end."""
    frame = _with_tallies(genes_in_rows(counts(), ENSEMBL, SAMPLES), HTSEQ)
    frame.to_csv(folder / "htseq_counts.tsv", sep="\t")
    write_samples(folder)
    return folder / "htseq_counts.tsv"


def htseq_in_rows(folder: Path) -> Path:
    """Write counts of HTSeq with samples in rows, and their condition in the second column."""
    frame = _with_tallies(genes_in_rows(counts(), ENSEMBL, SAMPLES), HTSEQ).T
    frame.insert(0, "condition", CONDITIONS)
    frame.to_csv(folder / "htseq_t.csv", index_label="sample")
    return folder / "htseq_t.csv"


def htseq_folder(folder: Path) -> Path:
    """Write a file of HTSeq for each sample, without a header."""
    place = folder / "htseq"
    place.mkdir()
    frame = _with_tallies(genes_in_rows(counts(), ENSEMBL, SAMPLES), HTSEQ)
    for sample in SAMPLES:
        frame[sample].to_csv(place / f"{sample}.counts.txt", sep="\t", header=False)
    write_samples(folder)
    return place


def star_folder(folder: Path) -> Path:
    """Write STAR's ``ReadsPerGene.out.tab`` of each sample: unstranded, sense, antisense."""
    place = folder / "star"
    place.mkdir()
    total = counts()
    sense = np.random.default_rng(6).binomial(total, 0.03)
    for i, sample in enumerate(SAMPLES):
        lines = [f"{name}\t{1000 + i}\t{2000 + i}\t{1500 + i}" for name in STAR.split()]
        lines += [
            f"{gene}\t{total[i, g]}\t{sense[i, g]}\t{total[i, g] - sense[i, g]}"
            for g, gene in enumerate(ENSEMBL)
        ]
        (place / f"{sample}ReadsPerGene.out.tab").write_text("\n".join(lines) + "\n")
    write_samples(folder)
    return place


def ensembl_versions(folder: Path) -> Path:
    """Write counts whose Ensembl identifiers have versions."""
    names = [f"{name}.{1 + i % 17}" for i, name in enumerate(ENSEMBL)]
    genes_in_rows(counts(), names, SAMPLES).to_csv(folder / "gene_counts.csv")
    write_samples(folder)
    return folder / "gene_counts.csv"


def tximport(folder: Path) -> Path:
    """Write tximport's counts as R's write.csv does: estimated counts, an empty first name."""
    estimated = counts() * np.random.default_rng(7).uniform(0.98, 1.02, (N_SAMPLES, N_GENES))
    frame = genes_in_rows(estimated, ENSEMBL, SAMPLES)
    frame.to_csv(folder / "txi_counts.csv", index_label="", quoting=2)
    write_samples(folder)
    return folder / "txi_counts.csv"


def wide_counts(folder: Path) -> Path:
    """Write counts of up to a million for a gene, with samples in rows."""
    frame = pd.DataFrame(counts(largest=6.0), columns=ENSEMBL)
    frame.insert(0, "sample", SAMPLES)
    frame.insert(1, "condition", CONDITIONS)
    frame.insert(2, "age", np.random.default_rng(8).integers(30, 80, N_SAMPLES))
    frame.to_csv(folder / "wide.csv", index=False)
    return folder / "wide.csv"


# Names that are words


CLINICAL_GENES = ["BMI1", "SEX1", "AGE1", "STAGE2", "MICE", "AGE", "SEX", "PSA", "STAGE"]
CLINICAL_GENES += ["GRADE", "WEIGHT"]


def clinical_genes(folder: Path) -> Path:
    """Write 500 genes, some of them named as clinical data, with samples in rows."""
    names = [f"ZNF{i}" for i in range(500)]
    for place, name in zip(range(30, 500, 40), CLINICAL_GENES, strict=False):
        names[place] = name
    frame = pd.DataFrame(logarithms(n_genes=500).round(1), columns=names)
    frame.insert(0, "sample", SAMPLES)
    frame.insert(1, "condition", CONDITIONS)
    frame.insert(2, "age", np.random.default_rng(8).integers(30, 80, N_SAMPLES))
    frame.to_csv(folder / "genes.csv", index=False)
    return folder / "genes.csv"


def clinical_genes_in_rows(folder: Path) -> Path:
    """Write the same with genes in rows and a sample sheet."""
    names = [f"ZNF{i}" for i in range(500)]
    for place, name in zip(range(30, 500, 40), CLINICAL_GENES, strict=False):
        names[place] = name
    genes_in_rows(logarithms(n_genes=500), names, SAMPLES).to_csv(folder / "genes.csv")
    write_samples(folder)
    return folder / "genes.csv"


#: What Excel makes of MARCH1, SEPT2, SEPT9, DEC1, and other names that are words elsewhere.
DATES = ["1-Mar", "2-Sep", "9-Sep", "1-Dec"]


def excel_dates(folder: Path) -> Path:
    """Write a CSV file that Excel has saved: symbols became dates; genes NAN, T and MAX."""
    names = list(SYMBOLS)
    names[100:107] = [*DATES, "NAN", "T", "NA1"]
    genes_in_rows(logarithms(), names, SAMPLES).to_csv(folder / "expression.csv")
    write_samples(folder)
    return folder / "expression.csv"


def repeated_symbols(folder: Path) -> Path:
    """Write a table in which 30 symbols occur twice."""
    names = [*SYMBOLS[: N_GENES - 30], *SYMBOLS[:30]]
    genes_in_rows(logarithms(), names, SAMPLES).to_csv(folder / "symbols.csv")
    write_samples(folder)
    return folder / "symbols.csv"


# Workbooks and headers


def _sheets(order: str, folder: Path, name: str) -> Path:
    """Write a workbook with these of its sheets README, Samples and Expression, in this order."""
    sheet = pd.DataFrame({"Sample": SAMPLES, "Condition": CONDITIONS})
    sheet["Age"] = np.random.default_rng(8).integers(30, 80, N_SAMPLES)
    frames = {
        "README": pd.DataFrame({"Contents of this file": ["Expression: RMA", "Samples: clinic"]}),
        "Samples": sheet,
        "Expression": genes_in_rows(logarithms(), SYMBOLS, SAMPLES).reset_index(),
    }
    with pd.ExcelWriter(folder / name) as book:
        for title in order.split():
            frames[title].to_excel(book, sheet_name=title, index=False)
    return folder / name


def workbook(folder: Path) -> Path:
    """Write a workbook whose first sheet describes the samples."""
    return _sheets("Samples Expression", folder, "study.xlsx")


def workbook_with_readme(folder: Path) -> Path:
    """Write a workbook of three sheets, of which the first is a text."""
    return _sheets("README Expression Samples", folder, "study.xlsx")


TITLE = "Expression of 24 biopsies, RMA, log2"


def title_line(folder: Path) -> Path:
    """Write a title above the header of a CSV file, with a sample sheet."""
    text = genes_in_rows(logarithms(), SYMBOLS, SAMPLES).to_csv()
    (folder / "titled.csv").write_text(f'"{TITLE}"\n{text}')
    write_samples(folder)
    return folder / "titled.csv"


def title_in_workbook(folder: Path) -> Path:
    """Write a title and an empty row above the header of a workbook."""
    frame = genes_in_rows(logarithms(), SYMBOLS, SAMPLES).reset_index()
    with pd.ExcelWriter(folder / "titled.xlsx") as book:
        frame.to_excel(book, index=False, startrow=2)
        book.sheets["Sheet1"]["A1"] = TITLE
    write_samples(folder)
    return folder / "titled.xlsx"


def second_header(folder: Path) -> Path:
    """Write the condition of each sample in a row below the header, without a name."""
    frame = genes_in_rows(logarithms(), SYMBOLS, SAMPLES).astype(object)
    frame = pd.concat([pd.DataFrame([CONDITIONS], index=[""], columns=SAMPLES), frame])
    frame.to_csv(folder / "two_headers.csv", index_label="gene")
    return folder / "two_headers.csv"


def merged_header(folder: Path) -> Path:
    """Write a workbook with merged cells above the samples: the condition, once for each block."""
    frame = genes_in_rows(logarithms(), SYMBOLS, SAMPLES).reset_index()
    with pd.ExcelWriter(folder / "merged.xlsx") as book:
        frame.to_excel(book, index=False, startrow=1)
        page = book.sheets["Sheet1"]
        page.cell(1, 2, "tumour")
        page.cell(1, 2 + N_SAMPLES // 2, "normal")
        page.merge_cells(start_row=1, end_row=1, start_column=2, end_column=1 + N_SAMPLES // 2)
        page.merge_cells(
            start_row=1, end_row=1, start_column=2 + N_SAMPLES // 2, end_column=1 + N_SAMPLES
        )
    return folder / "merged.xlsx"


def classes_in_names(folder: Path) -> Path:
    """Write the class in the names of samples alone."""
    half = range(1, 1 + N_SAMPLES // 2)
    names = [*(f"RCC_{i}" for i in half), *(f"normal_{i}" for i in half)]
    genes_in_rows(logarithms(), SYMBOLS, names).to_csv(folder / "kidney.csv")
    return folder / "kidney.csv"


# Sample sheets


def _beside(folder: Path, samples: list[str] | None = None, **columns: object) -> Path:
    """Write logarithms with genes in rows, and a sample sheet with further columns."""
    genes_in_rows(logarithms(), SYMBOLS, SAMPLES).to_csv(folder / "expression.csv")
    write_samples(folder, samples, **columns)
    return folder / "expression.csv"


def _rows(folder: Path, **columns: object) -> Path:
    """Write logarithms with samples in rows, after their condition and further columns."""
    frame = pd.DataFrame(logarithms(), columns=SYMBOLS)
    phenotype = pd.DataFrame({"sample": SAMPLES, "condition": CONDITIONS} | columns)
    pd.concat([phenotype, frame], axis=1).to_csv(folder / "expression.csv", index=False)
    return folder / "expression.csv"


def unknown_ages(folder: Path) -> Path:
    """Write ages of which some are unknown, in several words."""
    ages = np.random.default_rng(8).integers(30, 80, N_SAMPLES).astype(str).astype(object)
    ages[[3, 7, 11]] = ["unknown", "", "not recorded"]
    return _rows(folder, age=ages)


def survival(folder: Path) -> Path:
    """Write follow-up as TCGA has it, longer in one class."""
    rng = np.random.default_rng(9)
    days = rng.integers(100, 900, N_SAMPLES) + 1000 * (CONDITIONS == "normal")
    return _beside(
        folder,
        days_to_death=days,
        vital_status=np.where(rng.random(N_SAMPLES) < 0.5, "Dead", "Alive"),
    )


def other_words(folder: Path) -> Path:
    """Write a column that is the class in other words."""
    group = np.where(CONDITIONS == "tumour", "Group 1", "Group 2")
    return _beside(folder, **{"Treatment.Group": group})


def rare_classes(folder: Path) -> Path:
    """Write six subtypes, of which two have one and two samples."""
    sizes = {"serous": 8, "endometrioid": 6, "mucinous": 4, "clear cell": 3, "mixed": 2, "other": 1}
    subtype = np.repeat(list(sizes), list(sizes.values()))
    return _rows(folder, condition=subtype)


def time_points(folder: Path) -> Path:
    """Write three time points, which sort as numbers."""
    return _rows(folder, condition=np.resize(["0 h", "6 h", "24 h"], N_SAMPLES))


def classes_of_four(folder: Path) -> Path:
    """Write eight samples of two classes."""
    frame = pd.DataFrame(logarithms(n_samples=8), columns=SYMBOLS)
    frame.insert(0, "sample", SAMPLES[:8])
    frame.insert(1, "condition", np.repeat(["tumour", "normal"], 4))
    frame.to_csv(folder / "small.csv", index=False)
    return folder / "small.csv"


def lacking_samples(folder: Path) -> Path:
    """Write a sample sheet that lacks two samples and has one that was not measured."""
    return _beside(folder, [*SAMPLES[:22], "S90", "S91"])


def sites(folder: Path) -> Path:
    """Write places of the body and study sites."""
    body = np.resize(["colon", "liver", "lung", "liver"], N_SAMPLES)
    return _rows(folder, site=body, cohort=np.resize(["A", "A", "B"], N_SAMPLES))


def cumida(folder: Path) -> Path:
    """Write CuMiDa's layout: ``samples,type`` and probes."""
    frame = pd.DataFrame(logarithms(), columns=[f"{i}_at" for i in range(N_GENES)])
    frame.insert(0, "samples", [f"GSM{372721 + i}" for i in range(N_SAMPLES)])
    frame.insert(1, "type", CONDITIONS)
    frame.to_csv(folder / "Kidney_GSE1.csv", index=False)
    return folder / "Kidney_GSE1.csv"


def german(folder: Path) -> Path:
    """Write what Excel saves as CSV in Germany, with a title that it padded."""
    frame = pd.DataFrame(logarithms(), columns=SYMBOLS)
    frame.insert(0, "Probe", SAMPLES)
    frame.insert(1, "Gruppe", CONDITIONS)
    frame.insert(2, "Alter", np.random.default_rng(8).integers(30, 80, N_SAMPLES))
    text = frame.to_csv(sep=";", decimal=",", index=False)
    (folder / "daten.csv").write_text(f"Studie Nieren 2021;\n{text}")
    return folder / "daten.csv"


def third_column(folder: Path) -> Path:
    """Write a sample sheet whose third column has the names of the samples."""
    genes_in_rows(logarithms(), SYMBOLS, SAMPLES).to_csv(folder / "e.tsv", sep="\t")
    sheet = pd.DataFrame({"no": range(1, 1 + N_SAMPLES), "age": 40, "array_name": SAMPLES})
    sheet.assign(status=CONDITIONS).to_csv(folder / "samples.csv", index=False)
    return folder / "e.tsv"


def alignments_of_classes(folder: Path) -> Path:
    """Write featureCounts of alignments whose names contain the class, without a sample sheet."""
    path = feature_counts(folder)
    text = path.read_text()
    for i, (sample, condition) in enumerate(zip(SAMPLES, CONDITIONS, strict=True)):
        name = "ctrl" if condition == "normal" else "KO"
        text = text.replace(f"/{sample}.sorted.bam", f"/{name}_rep{i % 12 + 1}.sorted.bam")
    path.write_text(text)
    (folder / "samples.csv").unlink()
    return path


def fpkm_of_geo(folder: Path) -> Path:
    """Write a supplementary file of GEO: symbols beside identifiers, the class in the names."""
    half = range(1, 1 + N_SAMPLES // 2)
    names = [*(f"Tumor{i}_FPKM" for i in half), *(f"Normal{i}_FPKM" for i in half)]
    values = counts() / np.random.default_rng(5).uniform(0.5, 8, N_GENES) / 20
    frame = genes_in_rows(values.round(4), ENSEMBL, names).rename_axis("tracking_id")
    frame.insert(0, "gene_short_name", SYMBOLS)
    frame.to_csv(folder / "GSE1_genes.fpkm_table.txt", sep="\t")
    return folder / "GSE1_genes.fpkm_table.txt"


def pairs(folder: Path) -> Path:
    """Write tumour and normal of each patient as ``P1T`` and ``P1N``."""
    half = range(1, 1 + N_SAMPLES // 2)
    names = [*(f"P{i}T" for i in half), *(f"P{i}N" for i in half)]
    genes_in_rows(logarithms(), SYMBOLS, names).to_csv(folder / "pairs.csv")
    return folder / "pairs.csv"


def unnamed_probes(folder: Path) -> Path:
    """Write symbols of probes, of which two have none."""
    names = [*SYMBOLS[:598], "", ""]
    genes_in_rows(logarithms(), names, SAMPLES).to_csv(folder / "e.csv")
    write_samples(folder)
    return folder / "e.csv"


#: Layouts by name.
LAYOUTS = {
    layout.__name__: layout
    for layout in (
        nf_core,
        tpm,
        fpkm,
        feature_counts,
        htseq,
        htseq_in_rows,
        htseq_folder,
        star_folder,
        ensembl_versions,
        tximport,
        wide_counts,
        clinical_genes,
        clinical_genes_in_rows,
        excel_dates,
        repeated_symbols,
        workbook,
        workbook_with_readme,
        title_line,
        title_in_workbook,
        second_header,
        merged_header,
        classes_in_names,
        unknown_ages,
        survival,
        other_words,
        rare_classes,
        time_points,
        classes_of_four,
        lacking_samples,
        sites,
        cumida,
        german,
        third_column,
        alignments_of_classes,
        fpkm_of_geo,
        pairs,
        unnamed_probes,
    )
}
