"""Kernels, bandwidths, densities on a grid, and distances between the densities of classes.

===================== ==================================================================
kernels               the kernel functions, and fast exponentials
bandwidth             the bandwidth of each class and feature by any rule, and its floor
plug_in_bandwidth     Sheather and Jones' plug-in equation
validated_bandwidth   the best likelihood of left-out samples
adaptive_bandwidth    a bandwidth for each sample by Abramson's square-root law
grid, log_sums        densities on a grid: fast sums, and sums for any kernel in log space
distances             distances between the densities of two classes
class_tiles, tiles    strips of features by class, on threads
density_tables        tables of the densities of large classes
standard, borrowed    standard units; densities that are shrunk to a normal one
families              distributions: fit per class, log density per feature
===================== ==================================================================
"""
