"""What a study computes beyond the common tables: one folder an analysis, its section included.

An analysis is a package with a module ``compute`` (a function ``analyse``), a module ``section`` (a
function of that name), a module ``contract`` with its ``TABLES``, and in its ``__init__`` an object
`Analysis` called ``ANALYSIS``: the one thing that the rest of the workflow knows of it. Another
distribution adds one by an entry point of the group ``xnbflow.analyses`` that names its package.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from xnbflow.contract import Table
from xnbflow.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from xnbflow.report.page.blocks import Section
    from xnbflow.report.results import StudyResults
    from xnbflow.series import Series

__all__ = ["Analysis", "find_analysis", "known_analyses"]

_GROUP = "xnbflow.analyses"


@dataclass(frozen=True)
class Analysis:
    """An analysis; its modules are imported when they are used.

    Attributes
    ----------
    package : str
        Full name of its package.
    tables : mapping of str to Table
        The tables that it may write.
    needs, printed : sequence of str
        Tables of the study, and tables that a paper prints, from which a function ``compare`` of
        its module ``compute_comparison`` makes more tables. Nothing for an analysis without one.
    """

    package: str
    tables: Mapping[str, Table]
    needs: Sequence[str] = ()
    printed: Sequence[str] = ()

    @property
    def name(self) -> str:
        """What the configuration calls it, and the folder of its results."""
        return self.package.rpartition(".")[2]

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that its tables depend on."""
        names = ("compute", "contract", *(("compute_comparison",) if self.needs else ()))
        return (self.package, *(f"{self.package}.{name}" for name in names))

    def compute(
        self, series: "dict[str, Series]", params: dict[str, Any], threads: int
    ) -> "dict[str, pd.DataFrame]":
        """Return its tables by name.

        Raises
        ------
        TypeError
            If it makes a table that it does not declare.
        """
        found = importlib.import_module(f"{self.package}.compute").analyse(series, params, threads)
        return self._declared(found)

    def compare(
        self,
        about: Mapping[str, Any],
        study: "Mapping[str, pd.DataFrame]",
        published: "Mapping[str, pd.DataFrame]",
    ) -> "dict[str, pd.DataFrame]":
        """Return the tables that follow from the study's and the papers' tables.

        Parameters
        ----------
        about : mapping
            ``labels``: the study's classifiers' names by id; ``folds``: its schemes, in order.
        study, published : mapping of str to DataFrame
            What it ``needs``, and what is ``printed``.
        """
        if not self.needs:
            return {}
        module = importlib.import_module(f"{self.package}.compute_comparison")
        return self._declared(module.compare(about, study, published))

    def _declared(self, found: "dict[str, pd.DataFrame]") -> "dict[str, pd.DataFrame]":
        if unknown := sorted(set(found) - set(self.tables)):
            msg = (
                f"the analysis {self.name!r} makes a table {unknown[0]!r} that it does not declare"
            )
            raise TypeError(msg)
        return found

    def section(self, results: "StudyResults") -> "Section | None":
        """Return its section of the report; None where it has nothing to say."""
        return importlib.import_module(f"{self.package}.section").section(results)


def known_analyses() -> dict[str, str]:
    """Return the packages of all analyses by name: this distribution's, and entry points."""
    found = {m.name: f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__) if m.ispkg}
    return {point.name: point.value for point in entry_points(group=_GROUP)} | found


def find_analysis(name: str) -> Analysis:
    """Return the analysis of a name.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> find_analysis("cica").package
    'xnbflow.analyses.cica'
    """
    packages = known_analyses()
    if name not in packages:
        near = difflib.get_close_matches(name, packages, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(packages))}"
        msg = f"there is no analysis {name!r}; {hint}"
        raise InputError(msg)
    return importlib.import_module(packages[name]).ANALYSIS
