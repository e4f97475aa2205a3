"""Instances of classes that may not be imported."""

from xnbflow.core.instances import is_instance


def test_a_class_that_has_not_been_imported_has_no_instances():
    assert not is_instance(1, "no_such_package.Class", "slow_toy.Class")
    assert is_instance(1, "no_such_package.Class", "builtins.int")
    assert not is_instance("1", "builtins.int")
