"""The files of a report: curves for other tools, the record, reports of failed studies."""

import json
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pandas as pd
import pytest
from report_study import CLASSIFIERS, changed, write_study
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.report.manuscript.paragraphs import methods_in_words
from xnbflow.report.outline import WITHOUT_FIGURES
from xnbflow.report.page.blocks import with_legends
from xnbflow.report.study_page import (
    _sections_of,
    read_record,
    sections_with_figures,
    write_curves,
    write_record,
    write_report,
)
from xnbflow.tables import contract


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def test_curves_have_the_declared_shape_and_the_areas_and_bins_of_the_tables(results, tmp_path):
    write_curves(results, tmp_path / "curves.json")
    written = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    schema = Path(__file__).parents[3] / "workflow/schemas/curves.schema.json"
    jsonschema.validate(written, json.loads(schema.read_text()))
    owner, curves = ["dataset", "folds", "classifier"], pd.DataFrame(written["curves"])
    roc = curves[curves["curve"] == "roc"]
    areas = roc.assign(
        area=[np.trapezoid(*curve) for curve in zip(roc["y"], roc["x"], strict=True)]
    )
    actual = areas.groupby(owner)["area"].mean()
    expected = results.rows("summary", metric="roc_auc").set_index(owner)["mean"]
    np.testing.assert_allclose(actual, expected[actual.index], atol=0.005)
    bins = results.tables["calibration"].query("count > 0").groupby(owner)["observed"].agg(list)
    curve = curves[curves["curve"] == "calibration"].set_index(owner)["y"]
    assert len(actual) == len(curve) == len(bins) == len(results.tables["calibration"]) / 10 == 6
    assert all(curve[key] == values for key, values in bins.items())
    tables = {name: results.tables[name] for name in ("roc", "calibration")}
    tables["calibration"] = tables["calibration"].assign(observed_lower=np.nan)
    stub = SimpleNamespace(study=results.study, tables=tables, analyses={})
    write_curves(stub, tmp_path / "curves.json")  # unknown limits are null
    written = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, json.loads(schema.read_text()))


def test_the_sections_that_are_drawn_have_all_figures_of_the_page(results):
    def figures(sections):
        return {
            section.id: [figure.name for figure, _ in with_legends(section.blocks)]
            for section in sections
        }

    drawn = figures(sections_with_figures(results))
    of_page = figures(_sections_of(results))
    left_out = set(of_page) - set(drawn)
    assert left_out == {"samples", "methods"} <= set(WITHOUT_FIGURES)
    assert not any(of_page[name] for name in left_out)
    assert drawn == {name: names for name, names in of_page.items() if name not in left_out}
    assert sum(map(len, drawn.values())) > 10


@pytest.mark.slow  # more than a second for a study of its own
def test_a_study_in_which_everything_failed_has_a_report_that_says_so(tmp_path):
    results = write_study(tmp_path, failed=tuple(CLASSIFIERS))
    write_report(results, tmp_path / "report.html")
    assert "No classifier could be fitted" in (tmp_path / "report.html").read_text()


def test_a_study_is_read_again_from_its_record_unless_its_tables_have_changed(tmp_path):
    results = write_study(tmp_path)
    path = results.root / contract.RECORD.of(study="small")
    write_record(results, path)
    again = read_record("small", {}, results.root)
    for field in ("study", "labels", "software"):
        assert getattr(again, field) == getattr(results, field)
    assert methods_in_words(again) == methods_in_words(results)
    changed(results, "estimates", estimate=0.5)
    with refused(file=path):
        read_record("small", {}, results.root)
    with pytest.raises(InputError, match="xnbflow run absent"):
        read_record("absent", {}, results.root)
