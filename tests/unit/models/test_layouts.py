"""A table to predict in the layouts that people have: the same values have the same predictions."""

import numpy as np
import pandas as pd
import pytest
from model_files import two_classes

from xnbflow.models import fit_model, predict_table
from xnbflow.models.new_samples import read_samples
from xnbflow.models.reading import described_entry
from xnbflow.sources.dataset_entry import DatasetEntry

N_FEATURES = 40
MODEL = fit_model(two_classes(40, p=N_FEATURES), {"method": "csnb", "params": {"n_features": 3}})
NEW = two_classes(8, p=N_FEATURES, seed=1)
#: Values with few digits, as in a file, and the label.
VALUES = pd.DataFrame(NEW.values.T.round(2), NEW.samples, NEW.features)
ROWS = VALUES.rename_axis("sample").reset_index().assign(type=NEW.labels)
COLUMNS = VALUES.T.rename_axis("gene")


def with_commas(table):
    """Return a table whose numbers are texts with decimal commas."""
    return table.map(lambda cell: str(cell).replace(".", ",") if isinstance(cell, float) else cell)


def two_sheets(path):
    with pd.ExcelWriter(path) as workbook:
        COLUMNS.to_excel(workbook, sheet_name="values")
        ROWS[["sample", "type"]].to_excel(workbook, sheet_name="samples", index=False)


def gct(path):
    table = COLUMNS.rename_axis("Name")
    table.insert(0, "Description", "a gene")
    path.write_text(f"#1.2\n{len(table)}\t{len(VALUES)}\n" + table.to_csv(sep="\t"))


def arff(path):
    names = [*VALUES, "type"]
    types = ["numeric"] * N_FEATURES + ["{normal,tumour}"]
    lines = [f"@attribute {name} {kind}" for name, kind in zip(names, types, strict=True)]
    rows = ROWS[names].to_csv(index=False, header=False)
    path.write_text("\n".join(["@relation new", *lines, "@data", rows]))


def with_detection(path):
    """GEO's plain table of Illumina: a p value beside each sample."""
    table = COLUMNS.copy()
    for position, name in enumerate(COLUMNS):
        table.insert(2 * position + 1, f"{name}.p", 0.01)
    header = ["ID_REF", *np.ravel([[name, "Detection Pval"] for name in COLUMNS])]
    table.reset_index().to_csv(path, index=False, header=header)


#: The function that writes the table, by the name of its file.
LAYOUTS = {
    "rows.csv": lambda path: ROWS.to_csv(path, index=False),
    "semicolons.csv": lambda path: ROWS.to_csv(path, index=False, sep=";", decimal=","),
    "points.csv": lambda path: ROWS.to_csv(path, index=False, sep=";"),
    "commas.tsv": lambda path: ROWS.to_csv(path, index=False, sep="\t", decimal=","),
    "quoted.csv": lambda path: with_commas(ROWS).to_csv(path, index=False),
    "title.csv": lambda path: path.write_text(f"My samples\n{ROWS.to_csv(index=False)}"),
    "unnamed.csv": VALUES.to_csv,
    "r.txt": lambda path: path.write_text(
        "\t".join(VALUES) + "\n" + VALUES.to_csv(sep="\t", header=False)
    ),
    "further.csv": lambda path: ROWS.assign(age=range(30, 38), site="Ghent").to_csv(
        path, index=False
    ),
    "columns.csv": COLUMNS.to_csv,
    "columns.tsv": lambda path: COLUMNS.to_csv(path, sep="\t", decimal=","),
    "labelled.csv": ROWS.set_index("sample").T.to_csv,
    "described.csv": COLUMNS.assign(title="a gene").to_csv,
    "detection.csv": with_detection,
    "rows.xlsx": lambda path: ROWS.to_excel(path, index=False),
    "commas.xlsx": lambda path: with_commas(ROWS).to_excel(path, index=False),
    "columns.xlsx": lambda path: with_commas(COLUMNS).to_excel(path),
    "sheets.xlsx": two_sheets,
    "rows.parquet": lambda path: ROWS.to_parquet(path, index=False),
    "new.gct": gct,
    "new.arff": arff,
}


#: Layouts without the column of labels.
UNLABELLED = {
    "unnamed.csv", "r.txt", "columns.csv", "columns.tsv", "described.csv", "detection.csv",
    "columns.xlsx", "new.gct",
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_predictions_do_not_depend_on_the_layout_of_a_table(tmp_path, name):
    """The training data had decimal commas."""
    if name.endswith(".xlsx"):
        pytest.importorskip("openpyxl", reason="writes the workbook")
    LAYOUTS[name](tmp_path / name)
    training = DatasetEntry("training", "table", label="type", id_column="sample", decimal="comma")
    samples = read_samples(
        described_entry(str(tmp_path / name)),
        training,
        features=MODEL.features,
        quartiles=MODEL.quartiles,
        classes=MODEL.classes,
    )
    actual = predict_table(MODEL, samples.frame).table
    expected = predict_table(MODEL, VALUES).table
    if name == "new.arff":  # which has no names of samples
        expected["sample"] = actual["sample"]
    pd.testing.assert_frame_equal(actual, expected)
    assert samples.labels == (None if name in UNLABELLED else NEW.labels.tolist())
