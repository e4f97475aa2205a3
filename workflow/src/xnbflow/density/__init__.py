"""Smoothers and densities: numba kernels over plain arrays."""
