"""Per family: fit one density per feature, log-density per feature and sample."""
