"""What several papers use: published data sets, and Bessel functions of the concentration."""
