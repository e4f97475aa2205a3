"""Reading of samples from a table, for training or prediction."""

import numpy as np
from fitted_models import CSNB, NEW
from toys import refused

from xnbflow.models import fit_model, predict_table
from xnbflow.models.reading import described, read_samples, read_training
from xnbflow.running.cli.commands import training_series


def test_a_file_may_have_columns_of_text_that_the_model_does_not_use(tmp_path):
    path = tmp_path / "new.csv"
    NEW.assign(**{"a, b": 1.0, "site": "Ghent", "empty": np.nan})[::-1].to_csv(path)
    read = read_samples(described(str(path)), features=CSNB.features)
    assert predict_table(CSNB, read.loc[NEW.index]).table.equals(predict_table(CSNB, NEW).table)
    NEW.assign(site="Ghent", type=["a", "b"] * 10).to_csv(path)
    known = {"location": str(path), "label": "type", "options": ["drop=site"]}
    model = fit_model(read_training(described(**known)), {"method": "xnb"}, origin=known)
    assert training_series(model, [], "rows").features.tolist() == NEW.columns.tolist()
    NEW.assign(**{CSNB.features[0]: "high"}).to_csv(path)
    with refused(key=CSNB.features[0]):
        read_samples(described(str(path)), features=CSNB.features)
