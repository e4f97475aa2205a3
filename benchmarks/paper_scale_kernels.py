"""What the study `paper-scale` computes, without a workflow: prints processor seconds by stage.

python -m benchmarks.paper_scale_kernels results/benchmarks/paper-scale/run/resources/series 0 2

The last two numbers: of the series, largest first, every second one beginning with the first.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import yaml

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.diagnostic_tables import diagnose
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.evaluation.training import train

ROOT = Path(__file__).parents[1]


def tiny_series(n_per_class: int = 12) -> DataSet:
    """Return a series of two classes with features of every kind, to compile kernels on."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], n_per_class)
    shift = 2.0 * (labels == "b")
    values = np.vstack(
        [
            rng.normal(size=(6, len(labels))) + shift,
            rng.vonmises(0.0, 2.0, size=(2, len(labels))),
            rng.integers(0, 3, size=(2, len(labels))),
        ]
    )
    kinds = ["linear"] * 6 + ["angular"] * 2 + ["categorical"] * 2
    features = [f"feature{i}" for i in range(len(values))]
    samples = [f"sample{i}" for i in range(len(labels))]
    return DataSet("tiny", values, features, samples, labels, kinds)


def main(folder: Path, first: int, step: int) -> None:
    """Diagnose series of a folder and train the study's classifiers on them."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    own = config["diagnostics"]
    tests = {"min_abs_r": own["min_abs_r"], "alpha": own["dependence_alpha"], "dof": own["dof"]}
    entries = [
        resolved(unlabelled(config["classifiers"][name]))
        for name in config["studies"]["paper-scale"]["classifiers"]
    ]
    tiny = tiny_series()  # compiles
    diagnose(tiny, tests)
    for entry in entries:
        train(tiny, folds_of_repeat(tiny, 2, 0), entry)
    seconds = {"diagnose": 0.0, "classify": 0.0}
    files = [
        path for path in folder.glob("*.parquet") if path.name.count(".") == 1
    ]  # no notes, no truth
    for path in sorted(files, key=lambda path: -path.stat().st_size)[first::step]:
        series = DataSet.read(path)
        start = time.process_time()
        diagnose(series, tests)
        seconds["diagnose"] += time.process_time() - start
        start = time.process_time()
        for entry in entries:
            train(series, folds_of_repeat(series, 10, 0), entry)
        seconds["classify"] += time.process_time() - start
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
