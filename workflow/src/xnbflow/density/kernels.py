"""Kernel functions (XNB paper, Eqs. 5 and 6)."""

import numpy as np

from xnbflow.data.errors import require_choice
from xnbflow.density.exponential import exponentiate
from xnbflow.density.jit import njit

__all__ = ["KERNELS", "apply_kernel", "kernel_code"]

#: The beta family of Eq. 5 (uniform to triweight), the gaussian of Eq. 6, and two more.
KERNELS = (
    "gaussian",
    "uniform",
    "epanechnikov",
    "biweight",
    "triweight",
    "cosine",
    "triangular",
)

_PER_SQRT_2PI = 0.3989422804014327


def kernel_code(kernel: str) -> int:
    """Return the number of a kernel, by which `apply_kernel` knows it; unknown: `InputError`."""
    require_choice("kernel", kernel, KERNELS)
    return KERNELS.index(kernel)


@njit(nogil=True)
def apply_kernel(code: int, values: np.ndarray) -> None:
    """Replace distances ``u`` in bandwidths by the kernel's density ``K(u)``.

    Parameters
    ----------
    code : int
        See `kernel_code`.
    values : ndarray of shape (n,)
    """
    if code == 0:
        for i in range(len(values)):
            values[i] *= -0.5 * values[i]
        exponentiate(values)
        for i in range(len(values)):
            values[i] *= _PER_SQRT_2PI
        return
    for i in range(len(values)):
        u = min(abs(values[i]), 1.0)
        inside = 1.0 - u * u
        if code == 1:
            values[i] = 0.5 if u < 1.0 else 0.0
        elif code == 2:
            values[i] = 0.75 * inside
        elif code == 3:
            values[i] = 15.0 / 16.0 * inside**2
        elif code == 4:
            values[i] = 35.0 / 32.0 * inside**3
        elif code == 5:
            values[i] = 0.25 * np.pi * np.cos(0.5 * np.pi * u) if u < 1.0 else 0.0
        else:
            values[i] = 1.0 - u
