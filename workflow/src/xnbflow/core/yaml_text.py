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


def repeated_key(text: str) -> tuple[list[str], int, int] | None:
    r"""Return the first key that a mapping of a text in YAML has twice; None without one.

    A loader of YAML keeps the last value and drops the others. A merge (``<<``) may repeat keys.

    Returns
    -------
    (list of str, int, int) or None
        The path of keys, and the lines of its first and its second occurrence, from 1.

    Examples
    --------
    >>> repeated_key("a:\n  group: x\n  label: y\n  group: z\n")
    (['a', 'group'], 2, 4)
    """
    return _repeated_below(yaml.compose(text, Loader=_Loader), [])


def _repeated_below(node: yaml.Node | None, above: list[str]) -> tuple[list[str], int, int] | None:
    """Return the first repeated key of a node that the keys ``above`` lead to."""
    children: list[tuple[str, yaml.Node]] = []
    if isinstance(node, yaml.SequenceNode):
        children = [(str(position), item) for position, item in enumerate(node.value)]
    elif isinstance(node, yaml.MappingNode):
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                continue
            if (key.tag, key.value) in lines and key.value != "<<":
                return [*above, key.value], lines[key.tag, key.value], line
            lines[key.tag, key.value] = line
            children.append((key.value, value))
    for name, child in children:
        if repeated := _repeated_below(child, [*above, name]):
            return repeated
    return None
