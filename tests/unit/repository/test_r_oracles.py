"""The comparison of numbers with those of R, where packages of R are absent."""

import shutil

import pytest
import r_oracles

has_r = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")


def test_a_test_is_skipped_with_the_name_of_the_absent_package(monkeypatch):
    monkeypatch.setattr(r_oracles, "is_installed", lambda _: False)
    with pytest.raises(pytest.skip.Exception, match="R's limma is not installed"):
        r_oracles.r_answers("limma", "")


def test_without_r_no_package_is_installed(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not r_oracles.is_installed.__wrapped__("stats")


@has_r
def test_a_package_of_r_is_installed_or_not():
    assert r_oracles.is_installed("stats")
    assert not r_oracles.is_installed("no.such.package")


@has_r
@pytest.mark.parametrize(
    "script",
    [
        "library(nosuchpackage)",
        # the words of limma's duplicateCorrelation without statmod
        'stop("nosuchpackage package required but is not installed (or can\'t be loaded)")',
    ],
)
def test_a_test_is_skipped_with_the_name_of_a_package_that_a_function_needs(script):
    with pytest.raises(pytest.skip.Exception, match="R's nosuchpackage is not installed"):
        r_oracles.r_answers("stats", script)


@has_r
@pytest.mark.parametrize(
    "script", ['stop("stats package required but is not installed")', 'stop("no convergence")']
)
def test_another_error_of_r_fails(script):
    with pytest.raises(AssertionError, match="Error:"):
        r_oracles.r_answers("stats", script)
