"""Which groups are blocks, which are means, and which classes are compared."""

import numpy as np
from toys import refused

from xnbflow.data.class_design import class_designs


def designs(text):
    """Return the designs of samples such as ``A0 A1 B0``: a group and a class each."""
    samples = text.split()
    groups = np.array([sample[0] for sample in samples])
    codes = np.array([int(sample[1]) for sample in samples])
    return class_designs(codes, groups)


PAIRS = "A0 A1 B0 B1 C0 C1"


def test_four_groups_of_one_class_are_compared_beside_blocks():
    (design,) = designs(f"{PAIRS} D0 E0 F1 G1")
    assert design.left_out == 0
    assert design.blocks == 3
    assert design.matrix.shape == (10, 5)  # two classes, and a level of each block


def test_three_groups_of_one_class_are_left_out():
    (design,) = designs(f"{PAIRS} D0 E0 F1")
    assert design.left_out == 3
    assert design.matrix.shape == (6, 4)  # two classes, and the levels of two of three blocks


def test_groups_of_a_single_class_are_left_out():
    (design,) = designs(f"{PAIRS} D0 E0 F0 G0")
    assert design.left_out == 4


def test_classes_are_compared_with_all_to_which_groups_connect_them():
    (design,) = designs("A0 A1 B0 B1 C1 C2 D1 D2")
    assert design.contrasts.tolist() == [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]]


def test_a_class_without_shared_groups_is_compared_by_means_of_class_means():
    first, second = designs("A0 A0 A0 A1 B0 B1 C2 D2 E2")
    assert first.compared.tolist() == [True, True, False]
    assert second.compared.tolist() == [False, False, True]
    assert second.contrasts[2].tolist() == [-0.5, -0.5, 1.0]
    # Three samples of class 0 and one of class 1: the mean of both means.
    weights = second.weights.toarray()[:, 0]
    np.testing.assert_allclose(weights[:4], [1 / 6, 1 / 6, 1 / 6, 1 / 2])
    np.testing.assert_allclose(second.matrix[0, :3], [0.5, 0.5, 0.0])


def test_as_many_samples_as_coefficients_leave_no_variance():
    codes = np.array([0, 0, 1, 1])
    class_designs(codes, None, {"age": np.array([1.0, 2, 3, 5])})  # 4 samples, 3 coefficients
    with refused("4 units .* and 4 coefficients .*: no degrees of freedom"):
        class_designs(
            codes, None, {"age": np.array([1.0, 2, 3, 5]), "dose": np.array([0.0, 1, 1, 0])}
        )


def test_a_category_has_a_column_for_each_level_but_the_first():
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    plate = np.array(list("abcaabca"))
    (design,) = class_designs(codes, None, {"plate": plate})
    assert design.matrix.shape == (8, 4)
    np.testing.assert_allclose(design.matrix[:, 2:].sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose((design.matrix[:, 2:] ** 2).sum(axis=0), 1)


def test_the_message_names_as_few_other_columns_as_possible():
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    age = np.array([1.0, 5, 2, 4, 3, 1, 7, 2])
    with refused("^the column 'plate' cannot be separated from the class, so"):
        class_designs(codes, None, {"age": age, "plate": np.array(list("aaaabbbb"))})
    with refused("^the column 'months' cannot be separated from the column 'age', so"):
        class_designs(codes, None, {"age": age, "months": 12 * age})
