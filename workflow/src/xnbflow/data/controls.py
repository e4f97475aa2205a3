"""Which class is a control, and which of two classes is shown."""

import re
from collections.abc import Sequence

import numpy as np

#: Whole words of a label that make it a control, in lower case.
_CONTROLS = (
    r"normals?|controls?|ctrl|ctl|healthy|untreated|wild[- ]?type|wt|vehicle|dmso|mock|"
    r"placebo|baseline|sham|unaffected|non[- ]?(tumou?r|tumou?rs|tumou?ral|cancer|cancerous|"
    r"diseased?|malignant)"
)
_CONTROL = re.compile(rf"(?<![a-z0-9])({_CONTROLS})(?![a-z0-9])")
#: Labels with such words that are no controls: "not normal", and the subtype "normal-like".
_NO_CONTROL = re.compile(r"(?<![a-z])(not|non|un|ab)[- _]+(normal|control|healthy)|normal[- _]like")


def control_class(classes: Sequence[str] | np.ndarray, reference: str = "") -> str:
    """Return the class that is the control: the ``reference``, else the one with such a name.

    Empty if no name is that of a control, or several are.

    Examples
    --------
    >>> control_class(["normal", "tumour"]), control_class(["Healthy donor", "AML"])
    ('normal', 'Healthy donor')
    >>> control_class(["abnormal", "B"]), control_class(["B", "C"], reference="C")
    ('', 'C')
    """
    if reference:
        return reference
    named = [
        str(label)
        for label in classes
        if _CONTROL.search(str(label).lower().replace("_", " "))
        and not _NO_CONTROL.search(str(label).lower())
    ]
    return named[0] if len(named) == 1 else ""


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
    return [0] if control_class(classes, reference) == str(classes[1]) else [1]
