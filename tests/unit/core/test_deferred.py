"""Imports at the first use."""

import sys
from importlib import import_module
from threading import Barrier, Thread

import pytest

from xnbflow.core.deferred import DeferredModule, defer_import, is_instance

MODULE = """
from time import sleep
LOADED = []
sleep(0.05)
LOADED.append(1)
half = 0.5
"""


@pytest.fixture
def slow_module(tmp_path, monkeypatch):
    """The name of a module that is deferred and has not been imported."""
    (tmp_path / "slow_toy.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    defer_import("slow_toy")
    yield "slow_toy"
    del sys.modules["slow_toy"]


def test_a_deferred_module_is_imported_when_an_attribute_is_used(slow_module):
    slow_toy = import_module(slow_module)

    assert isinstance(sys.modules[slow_module], DeferredModule)
    assert slow_toy.half == 0.5
    assert not isinstance(sys.modules[slow_module], DeferredModule)
    assert slow_toy.LOADED is sys.modules[slow_module].LOADED


def test_a_name_from_a_deferred_module_is_imported(slow_module):
    namespace = {}

    exec(f"from {slow_module} import half", namespace)  # a toy is no declared dependency

    assert namespace["half"] == 0.5


def test_a_module_in_a_deferred_package_is_imported(tmp_path, monkeypatch):
    (tmp_path / "slow_package").mkdir()
    (tmp_path / "slow_package/__init__.py").write_text("whole = 1\n")
    (tmp_path / "slow_package/part.py").write_text("from slow_package import whole\n")
    monkeypatch.syspath_prepend(tmp_path)
    defer_import("slow_package")
    try:
        assert import_module("slow_package.part").whole == 1
    finally:
        for name in ("slow_package", "slow_package.part"):
            sys.modules.pop(name, None)


def test_a_search_through_all_modules_imports_nothing(slow_module):
    assert not hasattr(sys.modules[slow_module], "__warningregistry__")
    assert isinstance(sys.modules[slow_module], DeferredModule)


def test_threads_that_use_a_deferred_module_at_once_wait_for_the_whole(slow_module):
    module, barrier, values = sys.modules[slow_module], Barrier(4), []

    def use():
        barrier.wait()
        values.append(module.half)

    threads = [Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [0.5] * 4
    assert sys.modules[slow_module].LOADED == [1]


def test_a_module_that_has_been_imported_stays():
    defer_import("pytest")
    assert sys.modules["pytest"] is pytest


def test_a_class_that_has_not_been_imported_has_no_instances():
    assert not is_instance(1, "no_such_package.Class", "slow_toy.Class")
    assert is_instance(1, "no_such_package.Class", "builtins.int")
    assert not is_instance("1", "builtins.int")
