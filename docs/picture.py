"""The picture of a report that the README shows: ``python docs/picture.py``, after ``make run``."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "results/studies/demo/report.html"
PICTURE = ROOT / "docs/images/report.png"
#: The window, and how many pixels of the picture one of its pixels is.
WIDTH, HEIGHT, SCALE = 1280, 1080, 0.78


def main() -> None:
    """Draw the first screen of the report of the study demo, in 64 colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or not REPORT.is_file():
        sys.exit(f"needs Chromium and {REPORT.relative_to(ROOT)}, which `make run` makes")
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        subprocess.run(  # noqa: S603
            [
                *(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *(f"--user-data-dir={folder}/profile", f"--force-device-scale-factor={SCALE}"),
                *(f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={shot}", REPORT.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
        Image.open(shot).convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
