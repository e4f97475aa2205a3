"""GEO's files: heads with all that real ones hold, tables, annotation, downloads, failures."""

import gzip
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import toys
from serving import ncbi
from toys import entry_in, mistakes, refused

from xnbflow.core.study import Design
from xnbflow.diagnostics.adjustment import design_notes
from xnbflow.running.project import default_configuration
from xnbflow.sources.acquire import acquire
from xnbflow.sources.annotation import read_annotation
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.sources.geo import read_geo
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.proposal.geo_summary import summarise_series
from xnbflow.sources.series.class_labels import LabelRule

pytestmark = pytest.mark.filterwarnings("ignore:data set")  # the notes, looked at in the series

VALUES = [[7.5, 8.25, 3.0, 4.0], [5.0, 6.0, 1.0, 2.0], [9.0, 9.5, 2.5, 2.0]]
PROBES = ["1007_s_at", "1053_at", "117_at"]


def line(name, cells):
    return "\t".join([f"!{name}", *(f'"{cell}"' for cell in cells)])


def example(name):
    return Path(__file__).with_name("geo").joinpath(name).read_text()


def matrix(*, values=VALUES, extra=(), kind="Expression profiling by array"):
    """Return a series matrix of three probes and four samples, with further records."""
    rows = ""
    for probe, values_of_probe in zip(PROBES, values, strict=False):
        rows += "\t".join([f'"{probe}"', *map(str, values_of_probe)]) + "\n"
    records = "".join(f"{record}\n" for record in extra)
    return example("series_matrix.txt").format(extra=records, rows=rows, kind=kind)


ANNOTATION = example("GPL97.annot")
SOFT = example("GPL16956_family.soft")
GDS = example("GDS507.soft")


def series_of(location):
    """Return what a user names of a series: its accession or file."""
    return DatasetEntry("x", "geo", location)


def row(location="GSE4107", label="characteristics:diagnosis", **options):
    return DatasetEntry("mine", "geo", str(location), label=label, **options)


def put(folder, text, name="GSE4107_series_matrix.txt"):
    return toys.put(folder, text, name)


def test_a_series_matrix_is_read_with_all_that_is_said_of_its_samples(tmp_path):
    series = read_geo(put(tmp_path, matrix()), row(map={"cancer": "cancer", "normal": "normal"}))
    assert series.values.tolist() == VALUES
    assert list(series.features) == PROBES
    assert list(series.samples) == ["GSM1", "GSM2", "GSM3", "GSM4"]
    assert list(series.labels) == ["cancer", "cancer", "normal", "normal"]
    assert series.sample_metadata.to_dict("list") == {
        "title": [
            *("1M patient's mucosa", "2M patient's mucosa"),
            *("N1 healthy control", "N2 healthy control"),
        ],
        "source": ["mucosa"] * 4,
        "Gender": ["M", "F", "F", "F"],
        "age": ["50", "61", "", "44"],
        "characteristics": ["", "", "keyless", ""],
    }
    with refused(
        "no 'ages', which group names; did you mean 'age'",
        key="group",
    ):
        read_geo(put(tmp_path, matrix()), row(group="ages"))
    with refused("the column 'Gender'.: no degrees of freedom", key="adjust"):
        design_notes(read_geo(put(tmp_path, matrix()), row()), Design(adjust=("gender",)))


@pytest.mark.parametrize(
    ("one", "other"), [("Müller", "Mu\u0308ller"), ("a", "a\u200b"), ("a", "A\u200b"), ("1", "1.0")]
)
def test_classes_that_look_alike_are_told_with_what_is_not_seen(one, other):
    labels, _, (note, few) = LabelRule().apply("here", list("stuvwx"), [one] * 5 + [other])
    assert {*labels} == {one, other}
    assert (ascii(other) in note, f"5 samples in class {other!r} (1): with more folds" in few) == (
        True,
        True,
    )


TROUBLES = tomllib.loads(example("header_values.toml"))


@pytest.mark.parametrize("text", TROUBLES.values(), ids=TROUBLES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_header_value_may_hold_anything(tmp_path, text, ends):
    extra = [line("Series_summary", [text]), line("Sample_description", [text, "b", "c", text])]
    content = matrix(extra=extra).replace("\n", ends)
    series = read_geo(put(tmp_path, content.encode()), row())
    assert series.values.tolist() == VALUES
    description = series.sample_metadata["description"]
    assert description[0] == description[3] == " ".join(text.replace('""', '"').split())
    assert list(description[1:3]) == ["b", "c"]


def test_platform_and_processing_are_notes_of_the_series_each_text_once(tmp_path):
    expected = "processing by the authors of the series: "
    extra = [line("Sample_data_processing", ["MAS5,scaled", "MAS5, scaled", "RMA", ""])]
    extra += [line("Sample_data_processing", ["500", "500", "", ""])]
    series = read_geo(
        put(tmp_path, matrix(extra=extra)), row(map={"cancer": "cancer", "normal": "normal"})
    )
    assert series.notes[:3] == (
        "platform GPL97",
        f"{expected}MAS5, scaled 500",
        f"{expected}RMA",
    )
    parts = [(note.code, note.finding) for note in series.notes[:3]]
    texts = ["MAS5, scaled 500", "RMA"]
    assert parts == [("platform", "GPL97"), *(("processing", text) for text in texts)]


def test_a_quote_that_never_ends_swallows_no_other_record(tmp_path):
    content = matrix(extra=['!Series_summary\t"never ends', line("Sample_description", "abcd")])
    with pytest.warns(UserWarning, match="line 4: a quote that does not end"):
        series = read_geo(put(tmp_path, content), row())
    assert series.values.tolist() == VALUES
    assert list(series.sample_metadata["description"]) == list("abcd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((matrix().replace(old, new), *row) for old, new, *row in mistakes("matrix")),
        *((GDS.replace(old, new), *row) for old, new, *row in mistakes("soft")),
        (
            matrix().partition("117_at")[0],
            "cut off; delete it and get",
        ),
        (
            "gene,s1\ng,1\n",
            "nor a GDS; use source table",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*it is unclear which")
def test_what_is_wrong_with_a_series_matrix_is_told(tmp_path, text, message):
    with refused(message):
        read_geo(put(tmp_path, text), row())


@pytest.mark.parametrize("begun", [True, False])
def test_a_series_without_values_names_its_supplementary_files(tmp_path, begun):
    kind = "Expression profiling by high throughput sequencing"
    text = matrix(values=[], kind=kind)
    if not begun:
        text = text[: text.index("!series_matrix_table_begin")]
    with refused(rf"no table of values \(GSE4107, {kind}\).*counts.txt.gz"):
        read_geo(put(tmp_path, text), row())


def test_intensities_that_are_not_logged_are_told_and_logged_on_demand(tmp_path):
    raw = [[2.0**value for value in values] for values in VALUES]
    path = put(tmp_path, matrix(values=raw))
    assert "look like intensities not logged" in read_geo(path, row()).notes[-1]
    series = read_geo(path, row(transform="log2"))
    np.testing.assert_allclose(series.values, VALUES, rtol=1e-15)
    raw[0][0], raw[0][3] = -5.0, 0.0
    logged = put(tmp_path, matrix(values=[raw[0], *VALUES[1:]]))
    series = read_geo(logged, row(transform="log2", missing="impute"))
    assert np.isnan(series.values[0]).tolist() == [True, False, False, True]
    assert any("2 values of 0 or below became missing" in note for note in series.notes)
    twice = read_geo(put(tmp_path, matrix()), row(transform="log2"))
    assert "the values look logged already" in twice.notes[-1]


def test_a_gds_has_its_subsets_as_labels_and_groups_and_its_identifiers_as_symbols(tmp_path):
    path = put(tmp_path, GDS, "GDS507.soft.gz")
    series = read_geo(path, row("GDS507", "disease state", group="individual"))
    assert series.values.tolist() == VALUES
    assert list(series.labels) == ["RCC", "RCC", "normal", "normal"]
    assert list(series.groups) == ["035", "1", "035", "1"]
    assert list(series.feature_metadata["symbol"]) == ["DDR1", "", "RFC2"]
    assert list(series.sample_metadata["source"]) == ["kidney"] * 4
    unnamed = read_geo(path, row("GDS507", "characteristics:disease state"))
    assert "'individual' has 2 values for 4 samples" in unnamed.notes[1]


def test_probes_get_symbols_and_collapse_to_genes(tmp_path):
    annotation = str(put(tmp_path, ANNOTATION, "GPL97.annot.gz"))
    path = put(tmp_path, matrix())
    series = read_geo(path, row(annotation=annotation))
    assert series.feature_metadata.to_dict("list") == {
        "symbol": ["DDR1", "RFC2///XYZ", "DDR1"],
        "entrez_id": ["780", "5982///1", "780"],
    }
    best = read_geo(path, row(annotation=annotation, collapse="max_mean"))
    assert list(best.features) == ["DDR1"]
    assert best.values.tolist() == [VALUES[2]]  # mean 5.75 against 5.69
    assert list(best.feature_metadata["probe"]) == ["117_at"]
    assert "2 probes were collapsed to 1 gene (max_mean)" in best.notes[-1]
    middle = read_geo(path, row(annotation=annotation, collapse="median"))
    np.testing.assert_array_equal(middle.values, [np.median([VALUES[0], VALUES[2]], axis=0)])


@pytest.mark.parametrize(("old", "new", "message"), mistakes("annotation"))
def test_a_wrong_annotation_is_told(tmp_path, old, new, message):
    with refused(message):
        read_annotation(put(tmp_path, ANNOTATION.replace(old, new), "GPL97.annot"), PROBES)


SERIES = "series/GSE4nnn/GSE4107/matrix/"
FILES = {
    f"{SERIES}GSE4107_series_matrix.txt.gz": gzip.compress(matrix().encode()),
    "datasets/GDSnnn/GDS507/soft/GDS507.soft.gz": gzip.compress(GDS.encode()),
    "platforms/GPLnnn/GPL97/annot/GPL97.annot.gz": gzip.compress(ANNOTATION.encode()),
}


def settings(folder, server, **more):
    places = {"downloads": folder, "base_urls": {"geo": [server.url]}}
    return places | {"retries": 0, "timeout": 5} | more


def places_of(folder, server):
    return Downloads(folder, {"geo": [server.url]}, RetryPolicy(timeout=5))


def test_a_summary_lists_the_classes_that_regex_and_map_make(tmp_path):
    path = put(tmp_path, matrix())
    options = {
        "label_pattern": "patient|control",
        "map": {"patient": "cancer", "control": "normal"},
    }
    summary = summarise_series(
        replace(series_of(str(path)), label="title", **options), Downloads(tmp_path)
    )
    assert summary.reason.startswith("Label: title: cancer (2), normal (2).")
    with refused(key="map"):
        summarise_series(
            replace(series_of(str(path)), label="title", map={"nobody": "cancer"}),
            Downloads(tmp_path),
        )


def test_an_accession_of_several_platforms_names_them(tmp_path):
    expected = "several platforms, one file each; give one of GSE4107-GPL96, GSE4107-GPL97"
    names = [f"GSE4107-GPL{i}_series_matrix.txt.gz" for i in (96, 97)]
    listing = "".join(f'<a href="{name}">{name}</a>\n' for name in names).encode()
    files = {f"{SERIES}{name}": FILES[f"{SERIES}GSE4107_series_matrix.txt.gz"] for name in names}
    with ncbi(files=files | {SERIES: listing}) as server:
        with refused(expected):
            acquire(row(), **settings(tmp_path, server))
        with refused(expected):
            summarise_series(series_of("GSE4107"), places_of(tmp_path, server))
        assert acquire(row("GSE4107-GPL97"), **settings(tmp_path, server)).n_samples == 4


@pytest.mark.parametrize(
    ("accession", "body", "message"),
    [
        (
            "GSE4107",
            gzip.compress(b"gene,s1\ng,1\n", mtime=0),
            "neither a GEO series matrix",
        ),
        (
            "GSE4107",
            gzip.compress(matrix().encode(), mtime=0)[:-20],
            "broken gzip .*; try again",
        ),
        ("GSE9", b"", "cannot get GSE9_series_matrix.txt.gz:"),
        ("GDS9", b"", "cannot get GDS9.soft.gz:"),
    ],
)
def test_an_accession_that_cannot_be_had_is_told(tmp_path, accession, body, message):
    files = {f"{SERIES}GSE4107_series_matrix.txt.gz": body}
    with ncbi(files=files) as server, refused(message):
        summarise_series(series_of(accession), places_of(tmp_path, server))


def test_a_platform_without_an_annotation_is_told_before_the_series_is_downloaded(tmp_path):
    message = "annotation GPL570: cannot get GPL570.annot.gz(.|\n)*set annotation: none"
    with ncbi(files=FILES) as server, refused(message, key="annotation"):
        acquire(row(annotation="GPL570"), **settings(tmp_path, server))
    assert not [path for path in server.requests if "series_matrix" in path]


def test_without_an_annotation_the_table_of_the_platform_is_taken_of_every_source(tmp_path):
    folder = "platforms/GPL16nnn/GPL16956"
    files = FILES | {f"{folder}/soft/GPL16956_family.soft.gz": gzip.compress(SOFT.encode())}
    text = "samples,type,1007_s_at,1053_at\na,ill,7.5,2.5\nb,well,6.5,4.25\n"
    table = put(tmp_path, text, "t.csv")
    put(tmp_path, text, "T_t.csv")
    named = {"annotation": "GPL16956"}
    rows = [
        row(annotation="GPL16956"),
        DatasetEntry("t", "table", str(table), label="type", id_column="samples", **named),
        DatasetEntry("t", "cumida", "T/t", **named),
    ]
    with ncbi(files=files) as server:
        for dataset in rows:
            urls = {"geo": [server.url], "cumida": [str(tmp_path)]}
            places = settings(tmp_path, server) | {"base_urls": urls}
            series = acquire(dataset, **places)
            genes = series.feature_metadata.set_index(series.features).loc["1007_s_at"]
            assert genes.index.tolist() == ["symbol", "entrez_id", "ensembl_gene_id"]
            assert genes.tolist() == ["DDR1", "780", "ENSG00000204580"]
            assert series.scale == "log2"
    assert sum("GPL16956_family" in path for path in server.requests) == 1


def test_a_platform_without_symbols_is_a_warning(tmp_path):
    text = SOFT.replace("GENE_SYMBOL", "SPOT")
    files = FILES | {
        "platforms/GPL16nnn/GPL16956/soft/GPL16956_family.soft.gz": gzip.compress(text.encode())
    }
    with ncbi(files=files) as server, pytest.warns(UserWarning, match="GPL16956"):
        series = acquire(row(annotation="GPL16956"), **settings(tmp_path, server))
    assert series.feature_metadata is None


def test_the_proposed_entry_acquires_the_series_downloaded_once(tmp_path):
    with ncbi(files=FILES) as server:
        for location, labels in (
            ("GSE4107", {"Cancer", "normal"}),  # also spelt cancer
            ("GDS507", {"RCC", "normal"}),
        ):
            summary = summarise_series(series_of(location), places_of(tmp_path, server))
            (tmp_path / "x.yaml").write_text(f"datasets:\n{summary.entry_text}")
            dataset = entry_in(tmp_path / "x.yaml")
            assert dataset == summary.entry
            assert summary.entry_text in str(summary)
            for place in (location, ".", "."):
                asked = len(server.requests)
                series = acquire(dataset, **settings(tmp_path / place, server))
                annotated = "3 of 3 features have a symbol in the annotation" in series.notes
                assert annotated == (location == "GSE4107")  # the other file has symbols
                assert series.values.tolist() == VALUES
                assert set(series.labels) <= labels
                assert series.feature_metadata["symbol"][0] == "DDR1"
            assert len(server.requests) == asked


def test_without_the_platform_s_file_the_summary_proposes_probes_and_says_so(tmp_path):
    files = {name: body for name, body in FILES.items() if "platforms" not in name}
    with ncbi(files=files) as server:
        places = places_of(tmp_path, server)
        summary = summarise_series(series_of("GSE4107"), places)
        assert not summary.entry.annotation
        assert "WITHOUT GENE SYMBOLS" in summary.reason
        assert acquire(summary.entry, **settings(tmp_path, server)).n_features == 3
        wanted = summarise_series(replace(series_of("GSE4107"), annotation="GPL97"), places)
    assert wanted.entry.annotation == "GPL97"  # the user has asked for it


def test_the_summary_of_rna_seq_proposes_a_table_of_counts_with_the_series_as_phenotype(tmp_path):
    kind = "Expression profiling by high throughput sequencing"
    text = matrix(
        values=[], kind=kind, extra=[line("Series_supplementary_file", ["ftp://x/geo/RAW.tar"])]
    )
    summary = summarise_series(series_of(str(path := put(tmp_path, text))), Downloads(tmp_path))
    assert (summary.entry.source, summary.entry.samples) == ("table", "columns")
    assert summary.entry.location == "https://x/geo/series/GSE4nnn/GSE4107/suppl/counts.txt.gz"
    assert summary.entry.phenotype == str(path)
    assert summary.entry.transform == "tmm"
    assert "check what it contains" in str(summary)


def test_the_counts_that_ncbi_has_computed_are_a_study_by_accession(tmp_path):
    """Its page of downloads names them (GEO, "NCBI-generated RNA-seq count data")."""
    kind = "Expression profiling by high throughput sequencing"
    counts, genes = "GSE4107_raw_counts_GRCh38.p13_NCBI.tsv.gz", "Human.GRCh38.p13.annot.tsv.gz"
    query, page = "download/?type=rnaseq_counts", "download/?acc=GSE4107"
    links = [f"{query}&amp;acc=GSE4107&amp;file={counts}", f"{query}&amp;file={genes}"]
    table = "GeneID\tGSM1\tGSM2\tGSM4\n780\t10\t30\t5\n5982\t30\t10\t15\n"
    annotation = "GeneID\tSymbol\tEnsemblGeneID\n780\tDDR1\tENSG00000204580\n5982\tRFC2\t\n"
    name = f"{SERIES}GSE4107_series_matrix.txt.gz"
    served = {
        name: gzip.compress(matrix(values=[], kind=kind).encode()),
        page: "".join(f'<a href="/geo/{link}">file</a>' for link in links).encode(),
        f"{query}&format=file&acc=GSE4107&file={counts}": gzip.compress(table.encode()),
        f"{query}&format=file&file={genes}": gzip.compress(annotation.encode()),
    }
    with ncbi(files=served | {page: b"no file"}) as server:
        assert "counts.txt.gz" in str(
            summarise_series(series_of("GSE4107"), places_of(tmp_path, server)).entry
        )
    with ncbi(files=served) as server:
        summary = summarise_series(series_of("GSE4107"), places_of(tmp_path / "a", server))
        (tmp_path / "x.yaml").write_text(f"datasets:\n{summary.entry_text}")
        dataset = entry_in(tmp_path / "x.yaml")
        series = acquire(dataset, **settings(tmp_path, server))
    assert series.samples.tolist() == ["GSM1", "GSM2", "GSM4"]
    assert list(series.labels) == ["Cancer", "Cancer", "normal"]
    assert list(series.feature_metadata["symbol"]) == ["DDR1", "RFC2"]
    assert series.scale == "counts"
    assert series.values[0].tolist() == [10.0, 30.0, 5.0]


@pytest.mark.slow
def test_the_real_series_matrix_is_what_the_configuration_says(shared_data, tmp_path):
    dataset = read_entry("colorectal", default_configuration()["datasets"]["colorectal"])
    folder = shared_data / "geo"
    dataset = replace(dataset, annotation=str(folder / "GPL97.annot.gz"))
    series = acquire(dataset, downloads=tmp_path, base_urls={"geo": [str(folder)]})
    assert "13179 of 54613 features have a symbol in the annotation" in series.notes
    assert Counter(series.labels) == {"cancer": 12, "normal": 10}
    text = gzip.decompress((folder / "GSE4107_series_matrix.txt.gz").read_bytes()).decode()
    for probe in ("1320_at", "91952_at"):
        cells = next(x for x in text.splitlines() if x.startswith(f'"{probe}"')).split("\t")
        expected = np.log2([float(cell) for cell in cells[1:]])
        np.testing.assert_array_equal(series.values[list(series.features).index(probe)], expected)
