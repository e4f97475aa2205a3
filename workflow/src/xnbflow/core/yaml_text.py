"""YAML of the project's own files, parsed in C where PyYAML was built with libyaml."""

from collections.abc import Sequence
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]


def parse_yaml(text: str) -> Any:
    """Return what a text in YAML contains, as ``yaml.safe_load`` does, in a sixth of its time.

    Raises
    ------
    yaml.YAMLError
        If the text is no YAML.

    Examples
    --------
    >>> parse_yaml("folds: {3-fold: {splits: 3}}")
    {'folds': {'3-fold': {'splits': 3}}}
    """
    return yaml.load(text, Loader=_Loader)


def flow_yaml(value: Any) -> str:
    """Return a value as YAML in one line; texts that YAML would read otherwise have quotes.

    Examples
    --------
    >>> flow_yaml(["age", "site, ward"]), flow_yaml("no"), flow_yaml({"<60": "young"})
    ("[age, 'site, ward']", "'no'", '{<60: young}')
    """
    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=1_000_000
    )
    return text.removesuffix("\n").removesuffix("\n...")


def line_of_key(text: str, keys: Sequence[Any]) -> int | None:
    r"""Return the line of a path of keys in a text in YAML, from 1; None if the text lacks it.

    The last keys may be items of a list, whose line is returned.

    Examples
    --------
    >>> line_of_key("folds:\n  3-fold: {splits: 3}\n", ["folds", "3-fold", "splits"])
    2
    """
    node = yaml.compose(text, Loader=_Loader)
    line = None
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            pairs = [pair for pair in node.value if pair[0].value == str(key)]
            if not pairs:
                return None
            name, node = pairs[0]
            line = name.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
            line = node.start_mark.line + 1
        else:
            return None
    return line
