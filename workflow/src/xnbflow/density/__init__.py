"""Kernels, bandwidths, grids and distances of densities: numba over plain feature-major arrays."""
