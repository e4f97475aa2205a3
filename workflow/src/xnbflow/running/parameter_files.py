"""The schemas of the parameters of methods, which planning reads, made from the classes.

``python -m xnbflow.running.parameter_files`` writes them.
"""

import json
from pathlib import Path
from typing import Any

from xnbflow.core.atomic import atomic
from xnbflow.core.parameters import parameter_schemas
from xnbflow.evaluation.build import import_estimator
from xnbflow.evaluation.methods import shipped_methods


def parameter_files() -> dict[Path, str]:
    """Return the files of the schemas of parameters, which planning reads, with their contents.

    The core's methods have one in `xnbflow.evaluation`, the methods of each paper one in its
    folder. The schemas are made from the constraints that the classes declare.
    """
    library = Path(__file__).parents[1]
    schemas: dict[Path, dict[str, Any]] = {}
    for method in shipped_methods().values():
        parts = method.estimator.split(".")
        folder = library / "papers" / parts[2] if parts[1] == "papers" else library / "evaluation"
        estimator = import_estimator(method.estimator)
        schemas.setdefault(folder, {})[method.name] = parameter_schemas(estimator)
    files = {}
    for folder, methods in schemas.items():
        text = json.dumps(methods, indent=1, ensure_ascii=False)
        files[folder / "parameters.json"] = f"{text}\n"
    return files


def _write_parameter_files() -> None:
    for path, text in parameter_files().items():
        with atomic(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write_parameter_files()
