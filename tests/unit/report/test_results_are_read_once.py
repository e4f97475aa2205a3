"""Tables of series and models are read once, however many sections use them."""

from report_study import write_study

from xnbflow.report import results as module


def test_a_table_of_a_series_is_read_once(tmp_path, monkeypatch):
    results = write_study(tmp_path)
    read = []

    def counted(path, *arguments):
        read.append(path.name)
        return original(path, *arguments)

    original = module.read_parquet
    monkeypatch.setattr(module, "read_parquet", counted)
    first = results.gene_tables("alpha")["genes"]
    assert results.gene_tables("alpha")["genes"] is first
    assert results.gene_tables("GSE7904")["genes"] is not first
    assert read == ["genes.parquet"] * 2
