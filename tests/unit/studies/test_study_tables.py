"""The tables of a study: what its data sets have in common is among the findings of the audit."""

import numpy as np
from toys import dataset

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.series_audit import audit
from xnbflow.studies.study_tables import _checked
from xnbflow.tables.contract import AUDIT_TABLES
from xnbflow.tables.storage import write_parquet


def test_a_sample_that_two_series_share_is_in_the_audit_of_the_study(rng, tmp_path):
    values = rng.normal(8, 1, (300, 12))
    others = rng.normal(8, 1, (300, 12))
    others[:, 4] = values[:, 7]
    files = {name: [] for name in ("series", "learning_curve", "random_genes", *AUDIT_TABLES)}
    headers = {}
    for name, measured in {"one": values, "two": others}.items():
        samples = [f"{name}{i}" for i in range(12)]
        series = dataset(measured, np.repeat(["a", "b"], 6), name, samples=samples)
        files["series"].append(tmp_path / f"{name}.parquet")
        series.write(files["series"][-1])
        headers[name] = DataSet.read(files["series"][-1], values=False)
        for table, rows in audit(series).items():
            files[table].append(tmp_path / f"{name}.{table}.parquet")
            write_parquet(rows, files[table][-1], AUDIT_TABLES[table])
    owners = {"datasets": ["one", "two"], "tested": [], "checked": [], "jobs": []}
    findings = _checked(owners, files, headers)["audit"]
    shared = findings[findings["check"] == "shared sample"]
    assert shared[["dataset", "subject", "severity"]].values.tolist() == [
        ["one", "one7 = two: two4", "warning"]
    ]
