"""The project's own YAML: what PyYAML's safe loader reads, and nothing that runs code."""

import pytest
import yaml

from xnbflow.core.yaml_text import parse_yaml
from xnbflow.running.project import ROOT

FILES = sorted(
    path
    for folder in ("config", "workflow", ".test/config", "envs")
    for path in (ROOT / folder).rglob("*.yaml")
)


def test_every_file_is_read_as_by_the_safe_loader():
    assert len(FILES) > 8
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert parse_yaml(text) == yaml.safe_load(text), path


def test_an_object_of_python_is_refused():
    with pytest.raises(yaml.YAMLError, match="could not determine a constructor"):
        parse_yaml("!!python/object/apply:os.getcwd []")
