"""Names of genes: which names of features are gene symbols, and which are several genes."""

import re

#: Form of human gene symbols: TP53, C9orf72, HLA-A.
_SYMBOL = re.compile(r"[A-Z][A-Z0-9]+(orf[0-9]+)?(-[A-Z0-9]+)*")
#: Identifiers of probes in this form: accessions of GenBank, controls, and numbered ones.
_PROBE = re.compile(r"[A-Z]\d{5}|[A-Z]{2}\d{6,8}|AFFX-.*|(GENE|GSM|PROBE|TC|V|X)\d+")


def is_symbol(name: str) -> bool:
    """Return whether the name of a feature has the form of a gene symbol.

    Examples
    --------
    >>> [is_symbol(name) for name in ("ABCB1", "C9orf72", "HLA-A", "1007_s_at", "X95735", "GENE12")]
    [True, True, True, False, False, False]
    """
    return _SYMBOL.fullmatch(name) is not None and _PROBE.fullmatch(name) is None


def split_genes(text: str) -> list[str]:
    """Return the genes of a symbol, or of a name, that has several, as probes of related genes.

    Examples
    --------
    >>> split_genes("DDR1 /// MIR4640"), split_genes("TP53"), split_genes("---")
    (['DDR1', 'MIR4640'], ['TP53'], [])
    """
    genes = [gene.strip(" -") for gene in text.split("///")]
    return list(dict.fromkeys(filter(None, genes)))
