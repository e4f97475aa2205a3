"""What the entry points of the plugin name."""

from xnbflow.core.entries import Analysis, Method, Source, whole

NEAREST = Method(
    name="nearest_mean",
    estimator="toyplugin.nearest.NearestMean",
    title="nearest mean",
    source="nobody (2024)",
    parameters={"power": whole(1, 9)},
)
LINES = Source(name="lines", module="toyplugin.lines", keys={"step": whole(1)}, places=())
COUNT = Analysis(
    name="count",
    compute="toyplugin.count",
    section="toyplugin.section",
    parameters={"most": whole(1)},
)
