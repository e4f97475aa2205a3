"""Which class is a control, and which of two classes is shown."""

import re
from collections.abc import Sequence

import numpy as np

#: Whole words of a label that make it a control, in lower case. Abbreviations: HC healthy
#: controls, NT not treated or normal tissue, CK control in plant science (Chinese papers), pre
#: before a treatment; not pre-B, pre-eclampsia or pre-diabetes.
_CONTROLS = (
    r"normals?|controls?|ctrl|ctl|healthy|untreated|wild[- ]?type|wt|vehicle|dmso|mock|"
    r"placebo|baseline|sham|unaffected|hcs?|nt|ck|pre(?![-_ ]?[a-z0-9])|"
    r"pre[-_ ]?(treatment|therapy|dose|op|operation|operative|surgery|chemo|chemotherapy|"
    r"vaccine|vaccination|infection|exposure|exercise|transplant|transplantation)|"
    r"non[- ]?(tumou?r|tumou?rs|tumou?ral|cancer|cancerous|"
    r"diseased?|malignant)"
)
#: Words for a control in German, French, Spanish, Italian and Portuguese.
_IN_OTHER_LANGUAGES = (
    r"kontrollen?|gesunde?r?|t[ée]moins?|contr[ôo]les?|sains?|saines?|control(es)?|sanos?|"
    r"controllo|controlli|sani|controlo|saud[áa]vel"
)
_CONTROL = re.compile(rf"(?<![a-z0-9])({_CONTROLS}|{_IN_OTHER_LANGUAGES})(?![a-z0-9])")
#: Labels with such words that are no controls: "not normal", and the subtype "normal-like".
_NO_CONTROL = re.compile(
    r"(?<![a-z])(not?|non|un|ab)[- _]+(normal|control|healthy)|normal[- _]like"
)

#: A label with one number: text, the number, and text, as ``dose 0.5 uM``.
_LEVEL = re.compile(r"([^\d.,+-]*?)\s*(-?\d+(?:[.,]\d+)?)\s*([^\d]*)")
#: Words for what has levels of which 0 is the control: doses, concentrations and times.
_DOSE = re.compile(
    r"(?<![a-z])(doses?|dosages?|dosis|conc|concentrations?|gy|gray|irradiation|radiation|exposure|"
    r"time ?points?|hours?|days?|minutes?|time)(?![a-z])"
)
#: Units of doses, concentrations and times in lower case: ``mg/kg``, ``nm`` (nanomolar), ``gy``.
_UNIT = re.compile(
    r"([munpµμ]?(m|mol|g|l|gy)(/(ml|l|kg|dl|day|d|m2))?|mcg|ppm|ppb|%|[ckm]?gy|i?u(/(ml|l|kg))?|"
    r"h|hr|hrs|d|min|wk|weeks?)"
)


def control_class(classes: Sequence[str] | np.ndarray, reference: str = "") -> str:
    """Return the class that is the control: the ``reference``, or the class with such a name.

    The result is empty if there is no reference and no class, or several, have such a name.

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


def level_zero(classes: Sequence[str] | np.ndarray, name: str = "") -> str:
    """Return the class of level 0 of a dose, a concentration or a time, which is the control.

    There is such a class if these conditions are met; otherwise the result is empty.

    1. Each label has one number, at least 0, and no two have the same.
    2. Apart from their numbers the labels have the same text, such as a unit. The label of 0 may
       be without it.
    3. The labels are doses: the text of the labels or the ``name`` of their column has a word for
       a dose, or the text is a unit. Cluster 0 is no control.

    Examples
    --------
    >>> level_zero(["0", "5", "10"], name="dose"), level_zero(["0 uM", "0.5 uM"])
    ('0', '0 uM')
    >>> level_zero(["cluster 0", "cluster 1"]), level_zero(["5", "10"], name="dose")
    ('', '')
    """
    label_of_number = {}
    texts = set()
    for label in map(str, classes):
        match = _LEVEL.fullmatch(label.strip())
        if match is None:
            return ""
        number = float(match[2].replace(",", "."))
        text = f"{match[1]} {match[3]}".strip().lower()
        if number in label_of_number or number < 0:
            return ""
        label_of_number[number] = label
        if text or number:  # a plain 0 has no unit and agrees with every unit
            texts.add(text)
    if len(texts) > 1 or len(label_of_number) < 2:  # one class has no control
        return ""
    descriptions = [name.lower().replace("_", " "), *texts]
    has_word = any(_DOSE.search(text) for text in descriptions)
    has_unit = any(map(_UNIT.fullmatch, texts))
    return label_of_number.get(0.0, "") if has_word or has_unit else ""


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
    """Return the positions of the classes whose features are shown.

    Of two classes only one is shown, because their features are mirror images: the class that is
    not the control, or the second one if there is no control.

    Examples
    --------
    >>> shown_classes(["cancer", "normal"]), shown_classes(["a", "b"]), shown_classes(list("abc"))
    ([0], [1], [0, 1, 2])
    """
    if len(classes) != 2:
        return list(range(len(classes)))
    second_is_control = control_class(classes, reference) == str(classes[1])
    return [0] if second_is_control else [1]
