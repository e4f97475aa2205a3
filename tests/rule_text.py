"""The text of the rules: a directive of a rule, evaluated by the names that a test passes."""

import re
import textwrap
from functools import partial
from pathlib import Path

from xnbflow.running import rule_parts

RULES = Path(__file__).parents[1] / "workflow/rules"


def rule_texts():
    """Return the text of all rule files."""
    return "".join(path.read_text() for path in sorted(RULES.glob("*.smk")))


def parameters_of_rule(stage, arguments=None, own_code=None):
    """Return the parameters of a rule with the name of its stage in place of a digest."""
    return rule_parts.parameters(stage, arguments, own_code) | {"code": stage}


def directive(rule, name, **names):
    """Evaluate a directive of a rule: its value, or the dictionary of its keywords.

    ``names`` are those of the rule file, such as its planner.
    """
    (block,) = re.findall(
        rf"^rule {rule}:\n(.*?)(?=^\S|\Z)", rule_texts(), re.MULTILINE | re.DOTALL
    )
    (body,) = re.findall(rf"^    {name}:(.*?)(?=^    \S|\Z)", block, re.MULTILINE | re.DOTALL)
    for function in ("cpus_for", "over", "requests", "tables_of", "tables_over"):
        names[function] = getattr(rule_parts, function)
    names["partial"] = partial
    names |= {"update": str, "directory": str}
    names["parameters"] = parameters_of_rule
    body = textwrap.dedent(body).strip()
    for common, value in re.findall(
        r"^([A-Z_]+) = (dict\(\n.*?^\))", rule_texts(), re.MULTILINE | re.DOTALL
    ):
        if common in body:  # what several rules of a file have
            names[common] = eval(value, names)
    return eval(f"dict({body})" if body.endswith(",") else body, names)  # the text of our own rules
