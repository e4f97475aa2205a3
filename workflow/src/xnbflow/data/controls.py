"""Which class is a control, and which of two classes is shown."""

import re
from collections.abc import Sequence

import numpy as np

#: Whole words of a label that make it a control, in lower case. Abbreviations: HC healthy
#: controls, NT not treated or normal tissue, CK control in plant science (Chinese papers), pre
#: before a treatment.
_CONTROLS = (
    r"normals?|controls?|ctrl|ctl|healthy|untreated|wild[- ]?type|wt|vehicle|dmso|mock|"
    r"placebo|baseline|sham|unaffected|hcs?|nt|ck|pre|pre[- ]?(treatment|therapy|dose|op)|"
    r"non[- ]?(tumou?r|tumou?rs|tumou?ral|cancer|cancerous|"
    r"diseased?|malignant)"
)
_CONTROL = re.compile(rf"(?<![a-z0-9])({_CONTROLS})(?![a-z0-9])")
#: Labels with such words that are no controls: "not normal", and the subtype "normal-like".
_NO_CONTROL = re.compile(r"(?<![a-z])(not|non|un|ab)[- _]+(normal|control|healthy)|normal[- _]like")


def control_class(classes: Sequence[str] | np.ndarray, reference: str = "") -> str:
    """Return the class that is the control: the ``reference``, else the one with such a name.

    The result is empty if no class has the name of a control, or if several have one.

    Examples
    --------
    >>> control_class(["normal", "tumour"]), control_class(["Healthy donor", "AML"])
    ('normal', 'Healthy donor')
    >>> control_class(["abnormal", "B"]), control_class(["B", "C"], reference="C")
    ('', 'C')
    """
    if reference:
        return reference
    controls = [str(label) for label in classes if _is_control(str(label).lower())]
    return controls[0] if len(controls) == 1 else ""


def is_control_word(label: str) -> bool:
    """Return whether a label is nothing but a word for a control.

    Examples
    --------
    >>> is_control_word("Ctrl"), is_control_word("control A")
    (True, False)
    """
    return re.fullmatch(_CONTROLS, label.strip().lower().replace("_", " ")) is not None


def _is_control(label: str) -> bool:
    """Return whether a label in lower case is the name of a control."""
    words = label.replace("_", " ")
    return bool(_CONTROL.search(words)) and not _NO_CONTROL.search(label)


def shown_classes(classes: Sequence[str] | np.ndarray, reference: str = "") -> list[int]:
    """Return the positions of the classes to show: of two, which are mirror images, only one.

    It is the class that is not the control, or the second one if there is no control.

    Examples
    --------
    >>> shown_classes(["cancer", "normal"]), shown_classes(["a", "b"]), shown_classes(list("abc"))
    ([0], [1], [0, 1, 2])
    """
    if len(classes) != 2:
        return list(range(len(classes)))
    second_is_control = control_class(classes, reference) == str(classes[1])
    return [0] if second_is_control else [1]
