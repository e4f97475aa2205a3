"""What the study `paper-scale` computes, without a workflow: prints processor seconds by stage.

python -m benchmarks.paper_scale_kernels results/benchmarks/paper-scale/run/resources/series 0 2

The last two numbers: of the series, largest first, every second one beginning with the first.
"""

import json
import sys
import time
from pathlib import Path

import yaml

from xnbflow.data.dataset import DataSet
from xnbflow.data.sources.tiny import tiny_series
from xnbflow.diagnostics.tables import diagnose
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.evaluation.training import train

ROOT = Path(__file__).parents[1]


def main(folder: Path, first: int, step: int) -> None:
    """Diagnose series of a folder and train the study's classifiers on them."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    settings = {key: config["diagnostics"][key] for key in ("min_abs_r", "dependence_alpha", "dof")}
    entries = [
        resolved(unlabelled(config["classifiers"][name]))
        for name in config["studies"]["paper-scale"]["classifiers"]
    ]
    tiny = tiny_series()  # compiles
    diagnose(tiny, **settings)
    for entry in entries:
        train(tiny, folds_of_repeat(tiny, 2, 0), entry)
    seconds = {"diagnose": 0.0, "classify": 0.0}
    files = [
        path for path in folder.glob("*.parquet") if path.name.count(".") == 1
    ]  # no notes, no truth
    for path in sorted(files, key=lambda path: -path.stat().st_size)[first::step]:
        series = DataSet.read(path)
        start = time.process_time()
        diagnose(series, **settings)
        seconds["diagnose"] += time.process_time() - start
        start = time.process_time()
        for entry in entries:
            train(series, folds_of_repeat(series, 10, 0), entry)
        seconds["classify"] += time.process_time() - start
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
