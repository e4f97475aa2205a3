"""The comparisons of the features of a series as a script for R's limma.

The script has the samples, the design and the contrasts of the tables ``genes`` and ``contrasts``,
and reads the values from the file that ``xnbflow export`` writes. Its numbers are those of the
tables (M. E. Ritchie and others, "limma powers differential expression analyses for RNA-sequencing
and microarray studies", Nucleic Acids Research 43 (2015), e47).
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.data.canonical_order import numbered
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.diagnostics.adjustment import covariates, with_known_covariates
from xnbflow.diagnostics.contrasts import comparisons
from xnbflow.diagnostics.genes import LOG2
from xnbflow.diagnostics.linear_models import weights_of_units
from xnbflow.diagnostics.modelled_features import modelled_features, variance_model

#: The part that all scripts have, beside this module.
_TEMPLATE = "limma.R"
#: Delimiters of a table in the script: a raw string of R, in which no character is special.
_OPEN = 'r"-----('
_CLOSE = ')-----"'


def limma_script(series: DataSet, design: Design) -> str:
    """Return the script that compares the features of a series by a design.

    Without measurements, or with too few samples for a comparison, the script is a comment that
    contains the reason.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 5.0, 6.5], [3.0, 4.0, 3.1, 4.5], [7.0, 7.5, 7.0, 7.1]])
    >>> series = DataSet("toy", values, ["g1", "g2", "g3"], list("wxyz"), ["a", "a", "b", "b"])
    >>> script = limma_script(series, Design())
    >>> "design <- model.matrix(~ 0 + class)" in script
    True
    """
    if (series.kinds != "linear").any():
        return "# There is no script: not all features are measurements, which GCT files need.\n"
    try:
        compared = with_known_covariates(series, design)
        columns = covariates(compared, design)
        codes = np.unique(compared.labels, return_inverse=True)[1]
        correlated = design.repeated == "correlation" and compared.groups is not None
        blocks = None if correlated else compared.groups
        designs = class_designs(codes, blocks, columns)
        pairs = comparisons(series, design)
    except InputError as error:
        return f"# There is no script: {' '.join(str(error).split())}\n"
    lines = [*_head(compared, design, columns), _template()]
    classes = [str(label) for label in compared.classes]
    contrasts_of_pairs = {
        pair.name: pair.contrast(compared.classes, len(classes))[0] for pair in pairs
    }
    for class_design in designs:
        # The contrasts that this design determines: of its classes, and of pairs of them.
        names = [
            label for label, is_in in zip(classes, class_design.compared, strict=True) if is_in
        ]
        contrasts = dict(zip(names, class_design.contrasts[class_design.compared], strict=True))
        for name, contrast in contrasts_of_pairs.items():
            if _is_determined(class_design, contrast):
                contrasts.setdefault(name, contrast)
        contrasts_of_pairs = {
            name: contrast for name, contrast in contrasts_of_pairs.items() if name not in contrasts
        }
        if _is_formula(class_design, blocks):
            lines += _formula(columns, class_design, blocked=blocks is not None)
        else:
            weights = _unit_weights(compared, design, class_design, columns)
            lines += _tables_of_units(compared, class_design, weights)
        lines += _call(contrasts, correlated=correlated)
    lines += [
        "",
        "table <- do.call(rbind, tables)",
        *_means_of_first_design(len(designs)),
        'write.table(table, "limma.tsv", sep = "\\t", quote = FALSE, row.names = FALSE)',
        "print(head(table[order(table$p), ], 20), digits = 3)",
        "",
    ]
    return "\n".join(lines)


def _means_of_first_design(n_designs: int) -> list[str]:
    """Return the lines that give each class the means of the units of the first of two designs."""
    if n_designs == 1:
        return []
    return [
        "of_class <- table$comparison %in% classes  # their means are of the first design",
        "first <- match(table$feature[of_class], tables[[1]]$feature)",
        "table$mean[of_class] <- tables[[1]]$mean[first]",
    ]


def _template() -> str:
    """Return the part of the script that reads values and fits a design."""
    return files(str(__package__)).joinpath(_TEMPLATE).read_text(encoding="utf-8")


def _head(series: DataSet, design: Design, columns: Mapping[str, np.ndarray]) -> Iterator[str]:
    """Yield what the script is, the settings of the model, and the table of the samples."""
    variance = variance_model(series, design)
    name = series.name
    yield f"# The features of {name}, class by class, by limma: the numbers of the table genes.tsv."
    yield "#"
    yield "# Packages: limma (3.54 has these numbers), edgeR for counts, statmod for correlations."
    yield '# install.packages("BiocManager"); BiocManager::install(c("limma", "edgeR", "statmod"))'
    yield "#"
    yield "# In the folder that contains the folder results, with the path of this file there:"
    yield f"#   xnbflow export {name}    writes the values, {name}.gct"
    yield f"#   Rscript PATH/limma.R {name}.gct    writes limma.tsv"
    yield ""
    yield "library(limma)"
    yield ""
    yield f"dataset <- {_quoted(name)}"
    yield f"counts <- {_logical(series.scale == COUNTS)}"
    yield f"voom_weights <- {_logical(variance == 'voom')}  # of counts; else log-CPM"
    yield f"trend <- {_logical(variance == 'trend')}  # whether the variance depends on the mean"
    factor = LOG2.get(series.scale)
    yield f"factor_log2 <- {factor or 1.0!r}  # from differences to log2 fold changes"
    yield f"classes <- c({', '.join(_quoted(str(label)) for label in series.classes)})"
    sheet = pd.DataFrame({"sample": series.samples, "class": series.labels})
    for column, cells in columns.items():
        sheet[f"adjust: {column}"] = cells
    if series.groups is not None:  # by number: names of patients are in no file of results
        sheet["group"] = numbered(series.groups) + 1
    yield f"samples <- {_table(sheet)}"


def _is_determined(design: ClassDesign, contrast: np.ndarray) -> bool:
    """Return whether the groups of a design connect the classes of a contrast."""
    first, second = int(contrast.argmax()), int(contrast.argmin())
    connected = np.nan_to_num(design.contrasts[first])
    return bool(connected[second] < 0)


def _is_formula(design: ClassDesign, blocks: np.ndarray | None) -> bool:
    """Return whether units are samples, and all groups with a level of their own, or no group."""
    if blocks is None:
        return True
    return not design.averaged and design.in_block is not None and bool(design.in_block.all())


def _formula(
    columns: Mapping[str, np.ndarray], design: ClassDesign, *, blocked: bool
) -> Iterator[str]:
    """Yield the design as a formula of R, for the samples that are compared."""
    yield "# -- The design and the contrasts " + "-" * 66
    yield ""
    used = design.weights.indices
    if len(used) < design.weights.shape[0]:
        rows = ", ".join(str(i + 1) for i in used)
        yield f"used <- c({rows})  # samples in groups of several classes"
    else:
        yield "used <- seq_len(nrow(samples))"
    yield "class <- factor(samples$class[used], levels = classes)"
    terms = ["0", "class"]
    if blocked:
        yield "group <- factor(samples$group[used])"
        terms.append("group")
    for number, (name, cells) in enumerate(columns.items(), start=1):
        cell = f"samples[[{_quoted(f'adjust: {name}')}]][used]"
        if np.asarray(cells).dtype.kind != "f":
            cell = f"factor({cell})"
        yield f"covariate_{number} <- {cell}"
        terms.append(f"covariate_{number}")
    yield f"design <- model.matrix(~ {' + '.join(terms)})"
    yield "units <- values[, used]"
    yield "unit_sizes <- sizes[used]"
    yield "weights <- NULL"


def _unit_weights(
    series: DataSet, design: Design, class_design: ClassDesign, columns: Mapping[str, np.ndarray]
) -> np.ndarray | None:
    """Return the weights of units that differ in their variance, as in `moderated_contrasts`."""
    if not class_design.unequal or series.groups is None:
        return None
    codes = np.unique(series.labels, return_inverse=True)[1]
    modelled = modelled_features(series.values, series, design)
    [of_samples] = class_designs(codes, None, columns)
    return weights_of_units(
        modelled.values,
        class_design,
        samples=of_samples.matrix,
        groups=series.groups,
        sizes=modelled.sizes,
    )


def _tables_of_units(
    series: DataSet, design: ClassDesign, weights: np.ndarray | None
) -> Iterator[str]:
    """Yield the design as tables: the samples of each unit, and its row of the design."""
    yield "# -- The design and the contrasts " + "-" * 66
    yield ""
    yield "# Units are samples of groups with several classes, or means of the samples of a group."
    shares = pd.DataFrame(design.weights.toarray())
    shares.columns = [f"unit {i + 1}" for i in range(shares.shape[1])]
    yield f"shares <- as.matrix({_table(shares)})  # a row per sample"
    matrix = pd.DataFrame(design.matrix)
    n_classes = len(series.classes)
    names = [str(label) for label in series.classes]
    names += [f"term {i + 1}" for i in range(design.matrix.shape[1] - n_classes)]
    matrix.columns = names
    yield f"design <- as.matrix({_table(matrix)})  # a row per unit"
    yield f"several <- rowSums(design[, seq_len({n_classes})] != 0) > 1"
    yield "units <- means_of_units(values, shares, several)"
    yield "unit_sizes <- if (is.null(sizes)) NULL else as.vector(sizes %*% shares)"
    text = "NULL" if weights is None else f"c({_numbers(weights)})"
    yield f"weights <- {text}  # inverse variances of the units"


def _call(contrasts: Mapping[str, np.ndarray], *, correlated: bool) -> Iterator[str]:
    """Yield the comparisons: each class less the mean of the others, and pairs."""
    items = [f"  {_quoted(name)} = c({_numbers(weights)})" for name, weights in contrasts.items()]
    yield "contrasts <- list("
    yield ",\n".join(items)
    yield ")"
    block = "samples$group" if correlated else "NULL"
    yield (
        "tables <- c(tables, list(compare(units, design, contrasts, unit_sizes, weights, "
        f"block = {block})))"
    )
    yield ""


def _table(frame: pd.DataFrame) -> str:
    """Return a table as an expression of R, with names and texts as they are."""
    # A tab or a line break in a cell would be one of the table.
    cells = frame.map(lambda cell: " ".join(cell.split()) if isinstance(cell, str) else cell)
    text = cells.to_csv(sep="\t", index=False, lineterminator="\n", quoting=csv.QUOTE_NONE)
    return (
        f'read.delim(text = {_OPEN}{text}{_CLOSE}, check.names = FALSE, quote = "", '
        'comment.char = "", na.strings = "")'
    )


def _numbers(values: Sequence[float] | np.ndarray) -> str:
    """Return numbers with all their digits, between commas."""
    return ", ".join(repr(float(value)) for value in values)


def _quoted(text: str) -> str:
    """Return a text as a string of R, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False)


def _logical(value: bool) -> str:
    """Return a truth value of R."""
    return "TRUE" if value else "FALSE"
