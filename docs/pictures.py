"""Pictures of reports, drawn by headless Chromium.

``python docs/pictures.py``, after ``make run``, draws the README's picture. The build of the site
draws the first screen of the example with the numbers that "How to read your report" explains.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

__all__ = ["MARKS", "draw", "has_browser"]

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "results/studies/demo/report.html"
PICTURE = ROOT / "docs/images/report.png"
#: The window in pixels of the page, and the pixels of the picture for one of these.
WIDTH, HEIGHT, SCALE = 1280, 1080, 0.78
#: What the numbers of docs/tutorials/read-your-report.md mark on the report, in their order.
MARKS = (
    ".card h3",
    ".card .short",
    ".card .tile .label",
    ".card .core caption",
    ".card .small-heading",
    ".card .box",
    "nav li",
)
#: Puts a number before the first element of each selector; returns the selectors that match none.
NUMBER = """
return arguments[0].filter((selector, position) => {
  const found = document.querySelector(selector)
  if (!found) return true
  const mark = document.createElement("b")
  mark.textContent = position + 1
  mark.style = "float:left;min-width:1.5em;height:1.5em;line-height:1.5em;margin-right:.4em;" +
    "border-radius:1em;text-align:center;background:#b3261e;color:#fff;font:bold 15px sans-serif"
  found.prepend(mark)
})
"""


def browser() -> str | None:
    """Return the path of Chromium or Chrome, or None."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def has_browser() -> bool:
    """Return whether a browser and its driver are installed."""
    return browser() is not None and shutil.which("chromedriver") is not None


def draw(report: Path, picture: Path, marks: tuple[str, ...] = ()) -> None:
    """Draw the first screen of a report, in 256 colours, with numbers at what ``marks`` selects.

    Raises
    ------
    ValueError
        If the report has no element of one of the ``marks``.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = str(browser())
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    with webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver"))) as page:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": SCALE, "mobile": False}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        page.get(report.as_uri())
        if missing := page.execute_script(NUMBER, marks):
            msg = f"{report.name} has no {', '.join(missing)}; correct MARKS and the page's text"
            raise ValueError(msg)
        page.save_screenshot(str(picture))
    Image.open(picture).convert("RGB").quantize(256).save(picture, optimize=True)


if __name__ == "__main__":
    if not has_browser() or not REPORT.is_file():
        sys.exit(
            f"needs Chromium, its driver and {REPORT.relative_to(ROOT)}, which `make run` makes"
        )
    draw(REPORT, PICTURE)
