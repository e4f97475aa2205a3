"""The tables of a study: what its data sets have in common is among the findings of the audit."""

import numpy as np
from report_study import SMALL_STUDY
from study_files import StudyFiles
from toys import dataset

from xnbflow.core.study import Study
from xnbflow.diagnostics.series_audit import audit
from xnbflow.studies.study_reader import StudyReader
from xnbflow.studies.study_tables import data_findings
from xnbflow.tables.contract import SERIES
from xnbflow.tables.finding_table import finding_table


def test_a_sample_that_two_series_share_is_in_the_audit_of_the_study(rng, tmp_path):
    values = rng.normal(8, 1, (300, 12))
    others = rng.normal(8, 1, (300, 12))
    others[:, 4] = values[:, 7]
    files = StudyFiles(tmp_path)
    for name, measured in {"one": values, "two": others}.items():
        samples = [f"{name}{i}" for i in range(12)]
        series = dataset(measured, np.repeat(["a", "b"], 6), name, samples=samples)
        series.write(tmp_path / SERIES.of(dataset=name))
        files.put("audit", audit(series), dataset=name)
        files.put("acquired", {"findings": finding_table([])}, dataset=name)
    study = Study(**SMALL_STUDY | {"datasets": ("one", "two"), "classifiers": ()})
    inputs = StudyReader(study=study, root=tmp_path)
    findings = data_findings(inputs)
    shared = findings[findings["kind"] == "two series"]
    assert shared[["dataset", "subject", "other", "severity"]].values.tolist() == [
        ["one", "one7", "two: two4", "warning"]
    ]
