"""Tables of series and models are read once, however many sections use them."""

from report_study import write_study

from xnbflow.studies import study_reader as module


def test_a_table_of_a_series_is_read_once(tmp_path, monkeypatch):
    results = write_study(tmp_path)
    read = []

    def counted(path, *arguments):
        read.append(path.name)
        return original(path, *arguments)

    original = module.read_parquet
    monkeypatch.setattr(module, "read_parquet", counted)
    first = results.tables_of("genes", dataset="alpha")["genes"]
    assert results.tables_of("genes", dataset="alpha")["genes"] is first
    assert results.tables_of("genes", dataset="GSE7904")["genes"] is not first
    assert read == ["genes.parquet"] * 2
