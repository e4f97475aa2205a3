"""Tables of RNA-seq: units of their values, names of samples and genes."""

import numpy as np
import pytest
from lab_files import HTSEQ, STAR, counts, logarithms

from xnbflow.sources.series.feature_names import TALLY, without_version
from xnbflow.sources.series.sample_names import are_alignments, plain_sample_names
from xnbflow.sources.series.scale_recognition import recognise_scale

COUNTS = counts().T.astype(float)
RNG = np.random.default_rng(0)
LENGTHS = RNG.uniform(0.5, 8, (len(COUNTS), 1))
RATES = COUNTS / LENGTHS
SAMPLES = np.array([f"s{i}" for i in range(COUNTS.shape[1])])


def estimated(share):
    """Return counts of which a share has a fraction, as Salmon divides reads."""
    values = COUNTS.copy()
    uncertain = RNG.random(values.shape) < share
    values[uncertain & (values > 0)] += 0.37
    return values


@pytest.mark.parametrize(
    ("values", "name", "kind"),
    [
        (COUNTS, "", "counts"),
        (estimated(0.3), "", "estimated counts"),
        (COUNTS * 1.013, "", "estimated counts"),  # tximport, countsFromAbundance
        (1e6 * RATES / RATES.sum(axis=0), "", "TPM"),
        (1e6 * COUNTS / COUNTS.sum(axis=0), "x.cpm.tsv", "CPM"),
        (1e6 * RATES / COUNTS.sum(axis=0), "genes_fpkm.csv", "FPKM"),
        (1e6 * RATES / (25 * COUNTS.sum(axis=0)), "genes.csv", "FPKM"),  # of 25 million reads
        (2 ** logarithms().T, "x.csv", "not logged"),
        (np.log2(1 + 1e6 * RATES / RATES.sum(axis=0)), "log_tpm.tsv", "logarithms"),
        (logarithms().T, "TPM.csv", "logarithms"),
    ],
)
def test_the_scale_is_recognised_by_distribution_and_name(values, name, kind):
    assert recognise_scale(values, file_name=name).kind == kind


def test_sums_of_a_million_are_exact_to_a_hundredth():
    values = 1e6 * RATES / RATES.sum(axis=0)
    assert recognise_scale(values * 1.009).kind == "TPM"
    assert recognise_scale(values * 1.011).kind != "TPM"
    values[:, 0] *= 1.1  # one sample is enough
    assert recognise_scale(values).kind != "TPM"


def test_a_name_does_not_make_counts_relative():
    assert recognise_scale(COUNTS, file_name="genes_tpm.csv").kind == "counts"
    negative = recognise_scale(RATES - 1.0, file_name="tpm.csv")
    assert negative.kind == "not logged"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("a_tpm.tsv", "TPM"),
        ("gene.TPMs.tsv", "TPM"),
        ("attpma.tsv", "not logged"),
        ("x.RPKM.txt", "FPKM"),
    ],
)
def test_units_in_names_are_whole_words(name, unit):
    values = RATES * 500 + 0.001  # no zeros, so that only the name tells the unit
    assert recognise_scale(values, file_name=name).kind == unit


@pytest.mark.parametrize(("n_zeros", "expected"), [(9, False), (10, True)])
def test_estimated_counts_have_zeros(n_zeros, expected):
    values = np.random.default_rng(1).lognormal(3, 2.5, 2000) + 1.0
    values[:n_zeros] = 0
    assert (recognise_scale(values.reshape(200, 10)).kind == "estimated counts") == expected


def test_estimated_counts_are_whole_or_hardly_ever_below_half_a_read():
    values = np.random.default_rng(1).lognormal(3, 2.5, 4000) + 1.0
    values[:100] = 0
    positive = np.arange(100, 4000)
    values[positive[:70]] = 0.4  # 1.8 % of the positive values
    assert recognise_scale(values.reshape(400, 10)).kind == "estimated counts"
    values[positive[:90]] = 0.4  # 2.3 %
    assert recognise_scale(values.reshape(400, 10)).kind != "estimated counts"
    values[positive[1000:2100]] = 7.0  # more than a quarter is whole
    assert recognise_scale(values.reshape(400, 10)).kind == "estimated counts"


def test_values_of_one_magnitude_are_no_counts():
    values = np.random.default_rng(1).uniform(50, 150, (200, 10)).round()
    values[0] = 0
    values[1, 0] = 0.5
    assert recognise_scale(values).kind != "estimated counts"


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("/data/run 7/S1.bam", "S1"),
        (r"C:\bam\S1.sorted.bam", "S1"),
        ("S1Aligned.sortedByCoord.out.bam", "S1"),
        ("S1.Aligned.sortedByCoord.out.bam", "S1"),
        ("S1ReadsPerGene.out.tab", "S1"),
        ("S1_ReadsPerGene.out.tab.gz", "S1"),
        ("S1.markdup.sorted.bam", "S1"),
        ("S1_counts.txt.gz", "S1"),
        ("S1.htseq.counts", "S1"),
        ("S1.v2", "S1.v2"),
        ("bam", "bam"),
        (".bam", ".bam"),
    ],
)
def test_names_of_samples_lose_folders_and_endings(name, plain):
    assert plain_sample_names([name]) == [plain]


def test_alignments_are_all_of_them():
    assert are_alignments(["a.bam", "b.CRAM"])
    assert not are_alignments(["a.bam", "b"])
    assert not are_alignments([])


def test_versions_are_left_out_where_most_names_have_one_and_stay_distinct():
    ids = [f"ENSG0000000000{i}.{i}" for i in range(4)]
    assert without_version(ids)[3] == "ENSG00000000003"
    assert without_version([*ids, "a", "b", "c", "d"]) is None  # half
    assert without_version([*ids, "a", "b", "c"])[-1] == "c"
    assert without_version([*ids, "ENSG00000000003.9"]) is None  # two of one gene
    assert without_version(["ENSG00000002586.20_PAR_Y", *ids])[0] == "ENSG00000002586_PAR_Y"


def test_summary_rows_are_those_of_htseq_and_star_alone():
    assert all(map(TALLY.fullmatch, [*HTSEQ.split(), *STAR.split()]))
    assert not any(map(TALLY.fullmatch, ["__mine", "N_cadherin", "no_feature"]))


@pytest.mark.parametrize(
    ("typical", "largest", "are_counts"),
    [
        (10.0, 299, False),  # thirty times the median
        (10.0, 300, True),
        (1.0, 99, False),  # a hundred
        (1.0, 100, True),
    ],
)
def test_counts_span_thirty_times_their_median_and_reach_a_hundred(typical, largest, are_counts):
    values = np.full((200, 10), typical)
    values[0] = 0.0
    values[1, :3] = largest
    values[2, 0] = typical + 0.5
    values[3] = 1.0  # reads have small numbers, too
    assert (recognise_scale(values).kind == "estimated counts") == are_counts


def test_of_two_units_in_a_name_tpm_comes_first():
    values = RATES * 500 + 0.001
    assert recognise_scale(values, file_name="fpkm_and_tpm.tsv").kind == "TPM"
