"""The command `cumida`: a study of series of CuMiDa by their names.

CuMiDa (Feltes et al. 2019) has its own comparison of classifiers on its series, with three folds.
With ``--benchmark`` the study has these classifiers beside ours, and three folds. Nothing is
downloaded before the study runs.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from xnbflow.core.errors import InputError, quoted
from xnbflow.running.cli.output_files import deliver
from xnbflow.running.cli.terminal import print_text

#: A series as CuMiDa names it: the type of cancer, an accession of GEO, and a part of it.
_SERIES = re.compile(r"([A-Za-z]+)_(GSE\d+(?:_[A-Za-z0-9-]+)?)")

#: The classifiers of every study, by their ids in the project's configuration.
_OURS = ["csnb-cv", "xnb", "nb", "forest"]
_HEADLINE = "csnb-cv"
#: The folds of a study, by their id in the project's configuration.
_FOLDS = "10-fold"
#: The folds of CuMiDa's benchmark.
_BENCHMARK_FOLDS = "3-fold"

_SCALER = {"method": "sklearn.preprocessing.StandardScaler"}
#: The classifiers of CuMiDa's benchmark that the project's configuration does not have.
_BENCHMARK: dict[str, dict[str, Any]] = {
    "cumida-svm": {
        "label": "SVM (CuMiDa)",
        "steps": [_SCALER, {"method": "sklearn.svm.SVC", "params": {"kernel": "linear"}}],
    },
    "cumida-mlp": {
        "label": "Multilayer perceptron (CuMiDa)",
        "steps": [
            _SCALER,
            {"method": "sklearn.neural_network.MLPClassifier", "params": {"max_iter": 1000}},
        ],
    },
    "cumida-tree": {
        "label": "Decision tree (CuMiDa)",
        "method": "sklearn.tree.DecisionTreeClassifier",
    },
    "cumida-neighbours": {
        "label": "k nearest neighbours (CuMiDa)",
        "steps": [_SCALER, {"method": "sklearn.neighbors.KNeighborsClassifier"}],
    },
    "cumida-majority": {
        "label": "Majority class (CuMiDa)",
        "method": "sklearn.dummy.DummyClassifier",
    },
}

_ABOUT = """\
# A study of series of CuMiDa, laid over the configuration of the project. The classifier in
# `headline` is tested by permuted labels and in halves of the samples. `xnbflow methods` lists the
# classifiers.
"""


def cumida(
    series: Annotated[
        list[str], typer.Argument(help="Series of CuMiDa, as Brain_GSE50161; several at once.")
    ],
    *,
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="Write NAME.yaml; the series' name if one."),
    ] = "",
    benchmark: Annotated[
        bool,
        typer.Option("--benchmark", help="Also the classifiers and three folds of CuMiDa's own."),
    ] = False,
    mirror: Annotated[
        list[str], typer.Option(help="A URL or folder laid out as CuMiDa's, instead of CuMiDa.")
    ] = [],  # noqa: B006
    arff: Annotated[bool, typer.Option("--arff", help="The ARFF files instead of CSV.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite NAME.yaml.")] = (False),
) -> None:
    """Write a study of series of CuMiDa, with the classifiers of its own benchmark on request."""
    if not output and len(series) > 1:
        msg = "Several series are one study: name it by --output"
        raise InputError(msg, key="output")
    output = output or series[0]
    command = _write_cumida_study(
        series, output, benchmark=benchmark, mirrors=mirror, arff=arff, force=force
    )
    print_text(f"{output}.yaml is written; run: {command}")


def _cumida_name(series: str) -> str:
    """Return the name of a series in an entry of ``datasets``.

    Examples
    --------
    >>> _cumida_name("Liver_GSE14520_U133A")
    'Liver/GSE14520_U133A'
    """
    match = _SERIES.fullmatch(series)
    if match is None:
        msg = f"{quoted(series)} is not a series of CuMiDa, as Brain_GSE50161 is"
        raise InputError(msg, key="series")
    return "/".join(match.groups())


def _write_cumida_study(
    series: Sequence[str],
    output: str,
    *,
    benchmark: bool = False,
    mirrors: Sequence[str] = (),
    arff: bool = False,
    force: bool = False,
) -> str:
    """Write the configuration ``<output>.yaml`` of a study.

    Parameters
    ----------
    series : sequence of str
        Names of series, as ``Brain_GSE50161``.
    output : str
        A path without suffix, whose last part names the study.
    benchmark : bool
        Whether the study has the classifiers of CuMiDa's benchmark and three folds.
    mirrors : sequence of str
        URLs or folders to download from instead of CuMiDa.
    arff : bool
        Whether the ARFF files are read.
    force : bool
        Whether to overwrite a file.

    Returns
    -------
    str
        The command that runs the study.

    Raises
    ------
    InputError
        If a name is not that of a series of CuMiDa or repeats, the study cannot have its name, or a
        file exists.
    """
    from xnbflow.running.cli.proposals import (  # noqa: PLC0415  not needed for --help
        check_study_name,
        configuration_text,
        refuse_to_replace_study,
    )
    from xnbflow.sources.dataset_entry import DatasetEntry  # noqa: PLC0415
    from xnbflow.sources.proposal.entry_text import entry_text  # noqa: PLC0415

    study = Path(output).name
    check_study_name(study)
    for name in series:
        if list(series).count(name) > 1:
            msg = f"{quoted(name)} is named twice; leave one out"
            raise InputError(msg, key="series")
    options = {"format": "arff"} if arff else {}
    entries = [DatasetEntry(name, "cumida", _cumida_name(name), options=options) for name in series]
    refuse_to_replace_study(output, force=force)
    configuration = Path(f"{output}.yaml")
    settings = _settings(study, series, benchmark=benchmark)
    if mirrors:
        settings["download"] = {"base_urls": {"cumida": list(mirrors)}}
    configuration.parent.mkdir(parents=True, exist_ok=True)
    datasets = "".join(map(entry_text, entries))
    text = configuration_text({"run": [study]}, datasets, _without_anchors(settings))
    deliver(f"{_ABOUT}{text}", configuration)
    return f"xnbflow run {study} --configfile {configuration}"


def _settings(study: str, series: Sequence[str], *, benchmark: bool) -> dict[str, Any]:
    """Return the configuration of a study of series, without its data sets."""
    settings: dict[str, Any] = {
        "studies": {
            study: {
                "title": f"CuMiDa: {', '.join(series)}",
                "datasets": list(series),
                "classifiers": [*_OURS, *_BENCHMARK] if benchmark else _OURS,
                "folds": [_BENCHMARK_FOLDS if benchmark else _FOLDS],
                "headline": _HEADLINE,
            }
        },
    }
    if benchmark:
        settings["classifiers"] = _BENCHMARK
        settings["folds"] = {_BENCHMARK_FOLDS: {"splits": 3, "repeats": 1}}
    return settings


def _without_anchors(value: Any) -> Any:
    """Return a copy in which no object occurs twice, because YAML would write a reference to it."""
    if isinstance(value, dict):
        return {key: _without_anchors(content) for key, content in value.items()}
    if isinstance(value, list):
        return [_without_anchors(item) for item in value]
    return value
