"""The report in a real browser: what a reader sees and does, by mouse and by keyboard."""

import base64
import io
import itertools
import json
import re
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from marks_table import example_chart
from PIL import Image
from report_study import CLASSES, SCRIPT, changed, with_rows, write_study
from study_files import StudyFiles
from toys import dataset

from xnbflow.core.study import Design, Study
from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.diagnostics.gene_tables import gene_tables
from xnbflow.diagnostics.series_audit import audit
from xnbflow.report.drawings.marks import (
    MARKS,
    Band,
    Boxes,
    Cells,
    Level,
    Line,
    Points,
    Regions,
    Rug,
    Samples,
    Strip,
)
from xnbflow.report.index import write_index
from xnbflow.report.page.blocks import (
    Card,
    Cards,
    ClassLine,
    Figure,
    Gallery,
    GeneRow,
    Section,
    Table,
)
from xnbflow.report.page.page import write_page
from xnbflow.report.page.style import _MARKERS, COLOURS, style_of
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import genes
from xnbflow.report.study_page import write_report

WebDriverWait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
OPTIONS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --window-size=1400,900"
)

#: Functions that return what is wrong with a page.
FAULTS = Path(__file__).with_name("page_faults.js").read_text()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The page of a small study, with the index beside it."""
    root = tmp_path_factory.mktemp("report")
    results = write_study(root, warned=("nb",))
    results = changed(results, "datasets", "dataset == 'alpha'", dependent_ratio=np.nan)
    path = results.folder / "report.html"
    write_report(results, path)
    write_index([results.study], root / "results/index.html")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser of its own, that records what it fetches and what it complains about."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs Chromium and chromedriver (Debian: chromium, chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in (*OPTIONS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, report):
    browser.get(report.as_uri())
    return browser


@pytest.fixture
def details(browser, report):
    """The second page."""
    browser.get(report.with_name("details.html").as_uri())
    return browser


@contextmanager
def shown(browser, width=1400, theme="light", media="", height=900):
    """Show pages at a width and height, in a theme, on screen or paper."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def find(page, selector):
    return page.find_element("css selector", selector)


def find_all(page, selector):
    return page.find_elements("css selector", selector)


def column(page, table, number):
    """Text of a column's cells in the order of the rows that are to be seen."""
    script = (
        "return [...arguments[0].tBodies[0].rows].filter(row => !row.hidden)"
        ".map(row => row.cells[arguments[1]].firstChild?.textContent ?? '')"
    )
    return page.execute_script(script, table, number)


def open_everything(page):
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")


PAGES = ["report.html", "details.html", "../../index.html"]


@pytest.mark.parametrize("name", PAGES)
def test_it_opens_without_complaint_and_fetches_nothing(browser, report, name):
    """The browser reports violations of the page's policy: it reports those that are added."""
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    page = (report.parent / name).resolve()
    browser.get(page.as_uri())
    open_everything(browser)
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    fetched = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in fetched if not url.startswith("data:")} == {page.as_uri()}
    browser.execute_script(
        "const script = document.createElement('script');"
        "script.textContent = 'document.title = 1'; document.body.append(script);"
        "new Image().src = 'http://127.0.0.1:9/x.png';"
    )
    refused = [entry["message"] for entry in browser.get_log("browser")]
    assert len(refused) == 2, refused
    assert all("Content Security Policy" in message for message in refused)
    assert browser.title != "1"


@pytest.fixture
def assumptions(browser, report):
    """The table of the assumptions of naive Bayes, in the audit of the main page."""
    browser.get(report.as_uri())
    open_everything(browser)
    (group,) = [
        element
        for element in find_all(browser, "#audit details")
        if find(element, "summary").text.startswith("Assumptions")
    ]
    return find(group, "table")


def test_a_column_sorts_by_number_up_and_down_by_mouse_and_keyboard(browser, assumptions):
    table = assumptions
    header = find_all(table, "thead th")[1]
    button = header.find_element("css selector", "button")
    before = column(browser, table, 0)
    button.click()
    values = [float(text) for text in column(browser, table, 1)]
    assert values == sorted(values)
    assert header.get_attribute("aria-sort") == "ascending"
    browser.execute_script("arguments[0].focus()", button)
    browser.switch_to.active_element.send_keys("\ue007")  # Enter
    assert header.get_attribute("aria-sort") == "descending"
    values = [float(text) for text in column(browser, table, 1)]
    assert values == sorted(values, reverse=True)
    assert sorted(column(browser, table, 0)) == sorted(before)


def test_missing_values_stay_last(browser, assumptions):
    table = assumptions
    names = [header.text for header in find_all(table, "thead th")]
    place = next(i for i, name in enumerate(names) if "depend" in name)
    (value,) = {*column(browser, table, place)} - {""}
    for _ in range(2):
        find_all(table, "thead button")[place].click()
        assert column(browser, table, place) == [value, ""]


def test_spreads_sort_by_their_mean(details):
    accuracy = find(details, "#accuracy table")
    details.execute_script("arguments[0].click()", find_all(accuracy, "thead button")[2])
    means = [float(text.split(" ±")[0]) for text in column(details, accuracy, 2)]
    assert means == sorted(means)


def test_a_filter_leaves_the_rows_that_hold_every_word(details):
    open_everything(details)
    table = find_all(details, "#samples details .table")[1]
    box, count = find(table, "input"), find(table, "output")
    rows = len(column(details, find(table, "table"), 0))
    entered = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
    details.execute_script(entered, box, "TUMOUR sample 3")
    left = [row.text for row in find_all(table, "tbody tr") if row.is_displayed()]
    assert 0 < len(left) < rows
    assert all(word in text for text in left for word in ("sample", "tumour", "3"))
    assert count.text == f"{len(left)} of {rows} rows"
    details.execute_script(entered, box, "no such sample")
    assert column(details, find(table, "table"), 0) == []


def test_any_sample_can_be_explained(details):
    models = find_all(details, "select[name=model] option")
    assert [option.text for option in models] == ["alpha: XNB", "GSE7904: XNB"]
    models[1].click()
    samples = find_all(details, "select[name=sample] option")
    assert len(samples) == 36
    place = find(details, ".explanation")
    for option in (samples[0], samples[-1]):
        option.click()
        name = option.text.split(" (")[0]
        assert place.find_element("css selector", "p").text.startswith(f"Sample {name} is ")
        headings = [heading.text for heading in find_all(place, "h4")]
        assert {text.split(":")[0] for text in headings} == set(CLASSES["GSE7904"])
        # The most probable class comes first; what is said of it adds up to its evidence.
        chances = [float(text.split("probability ")[1]) for text in headings]
        assert chances == sorted(chances, reverse=True)
        evidence = [cell.text for cell in find_all(place, ".scroll tbody td:nth-child(3)")]
        for steps, text in zip(find_all(place, ".steps"), evidence, strict=True):
            added = [float(c.text.replace("−", "-")) for c in find_all(steps, "td.n")]
            assert sum(added) == pytest.approx(float(text.replace("−", "-")), abs=0.03)


@pytest.mark.parametrize(
    ("name", "selector"),
    [("report.html", "#audit .gallery .drawing"), ("details.html", "#accuracy .alone .drawing")],
)
def test_a_chart_is_saved_as_png_of_300_dots_per_inch(browser, report, name, selector):
    """Also a chart that was not in sight; title and legend are HTML beside it on the page."""
    page = browser
    page.get(report.with_name(name).as_uri())
    page.set_script_timeout(30)
    dots = page.execute_script("return devicePixelRatio")
    numbers = page.execute_async_script(FAULTS + "saved(arguments[0], arguments[1])", selector)
    with Image.open(io.BytesIO(bytes(numbers))) as picture:
        assert picture.format == "PNG"
        assert picture.width == 640 * 300 // 96  # 640 pixels of the page
        pixels = np.asarray(picture.convert("RGB"))
    numbered = np.unique(pixels.astype(int) @ [256 * 256, 256, 1])
    colours = np.stack([numbered >> 16, numbered >> 8 & 255, numbered & 255], axis=1)
    for colour in COLOURS[:2]:  # of the classes, in the legend and in the chart
        rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
        assert np.abs(colours - rgb).sum(axis=1).min() < 6, colour
    legend, chart = pixels[: picture.width // 20], pixels[picture.width // 20 :]
    assert legend.min() < 60  # the text of the legend
    assert chart.min() < 120
    assert pixels.max() == 255  # the paper
    assert page.execute_script("return devicePixelRatio") == dots
    assert not find_all(page, ".chart.off")


def drawn(browser, selector, number=1, seconds=20):
    """Scroll to an element and wait for its canvases; return the element."""
    element = WebDriverWait(browser, seconds).until(lambda b: find(b, selector))
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    script = "return arguments[0].querySelectorAll('.canvas').length >= arguments[1]"
    WebDriverWait(browser, seconds).until(lambda b: b.execute_script(script, element, number))
    return element


@pytest.mark.parametrize("width", [400, 1400])
def test_charts_fill_their_width_on_the_screen_and_are_on_paper(browser, report, width):
    with shown(browser, width):
        browser.get(report.as_uri())
        gallery = drawn(browser, "#audit .gallery", 2)
        charts = gallery.find_elements("css selector", ".drawing.live .chart")
        assert len(charts) == 2
        widths = [chart.size["width"] for chart in charts]
        assert min(widths) >= (560 if width == 1400 else 340)
        drawings = gallery.find_elements("css selector", ".drawing")
        tops = [drawing.location["y"] for drawing in drawings]
        assert (tops[0] == tops[1]) == (width == 1400)  # side by side
        assert not gallery.find_element("css selector", ".static").is_displayed()
        with shown(browser, 717, media="print"):
            script = "return getComputedStyle(document.querySelector(arguments[0])).display"
            assert browser.execute_script(script, ".drawing.live > .static") == "none"
            assert browser.execute_script(script, ".drawing.live > .chart") == "block"
            waiting = ".drawing:not(.live)"
            assert browser.execute_script(script, f"{waiting} > .static") == "block"
            assert browser.execute_script(script, f"{waiting} > .chart") == "none"


def test_samples_are_coloured_by_a_column_and_a_click_leads_to_the_explanation(browser, report):
    browser.get(report.as_uri())
    gallery = drawn(browser, "#audit .gallery", 2)
    place = gallery.find_elements("css selector", ".drawing")[1]
    before = [item.text for item in place.find_elements("css selector", ".legend li")]
    select = place.find_element("css selector", "select")
    select.find_elements("css selector", "option")[1].click()
    WebDriverWait(browser, 10).until(
        lambda _: (
            len(place.find_elements("css selector", ".legend")) == 1
            and place.find_elements("css selector", ".canvas > *")
        )
    )
    assert min(before)[0] in "●■▲◆"
    chart = json.loads(place.find_element("css selector", "script").get_attribute("textContent"))
    marks = {mark["mark"]: mark for mark in chart["rows"][0][0]["marks"]}
    sample = marks["samples"]["samples"][5]
    explained = marks["samples"]["model"]
    link = browser.execute_script("return whyLink(arguments[0], arguments[1])", explained, sample)
    browser.get(f"{report.parent.as_uri()}/{link}")
    assert find(browser, ".explanation p").text.startswith(f"Sample {sample} is ")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_overflows_and_texts_are_legible(browser, report, width, theme, name):
    with shown(browser, width, theme):
        browser.get((report.parent / name).resolve().as_uri())
        open_everything(browser)
        assert browser.execute_script(FAULTS + "return overflowing()") == [0, []]
        assert browser.execute_script(FAULTS + "return smallTexts()") == []


#: Names that a browser breaks after a hyphen or slash, or in a narrow column.
NAMES = [
    "ENSG00000141510",
    "HLA-DRB1///HLA-DRB3///HLA-DRB4",
    "LOC100505501-LOC100509105",
    "201125_s_at",
    "chr17:7571720-7590868_TP53_promoter",
    "FOSB",
]


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("by_class", [False, True])
def test_names_are_not_broken_inside_a_word_and_the_pointer_has_the_whole_name(
    browser, tmp_path, width, by_class
):
    """They are genes of ten classes, which a narrow column of the card broke letter by letter."""
    rows = [
        GeneRow(
            name=name,
            feature_id="204011_at" if place % 2 else "",
            label=f"Pro-B-ALL with t(11q23)/MLL {place}" if by_class else "",
            mark="▲",
            meaning="higher",
            change=2.5,
            auc=0.99,
            share=1.0,
            core=True,
        )
        for place, name in enumerate(NAMES)
    ]
    lines = [
        ClassLine(
            name="c-ALL/Pre-B-ALL with t(9;22)", note="n = 10", share=0.9, lower=0.6, upper=1.0
        )
    ]
    figure = Figure("points", example_chart, {"kind": Points}, "", "Points.")
    card = Card(
        title="HG-U133B", note="", verdict="", level="good", facts={}, lines=lines,
        feature_rows=rows, share_of="disjoint halves", figure=figure,
    )  # fmt: skip
    frame = pd.DataFrame({"feature": NAMES, "class": "c-ALL/Pre-B-ALL", "note": "a-b " * 20})
    blocks = [Cards([card], ""), Table(frame, "")]
    write_page(tmp_path / "p.html", "t", lead="", sections=[Section("answer", "A", "", blocks)])
    with shown(browser, width):
        browser.get((tmp_path / "p.html").as_uri())
        assert browser.execute_script(FAULTS + "return brokenNames()") == []
        assert browser.execute_script(FAULTS + "return overflowing()") == [0, []]
        script = (
            "return [...document.querySelectorAll('table.core .name')].map((name) => name.title)"
        )
        assert browser.execute_script(script) == NAMES
        # every column of the card can be seen without scrolling
        script = "const box = document.querySelector('table.core').parentElement;"
        script += "return box.scrollWidth - box.clientWidth"
        assert browser.execute_script(script) <= 1


def test_a_print_has_what_was_found_on_at_most_five_pages(browser, report):
    with shown(browser, width=717, theme="dark", media="print"):  # 210 mm less the margins
        browser.get(report.as_uri())
        open_everything(browser)
        assert browser.execute_script(FAULTS + "return overflowing()") == [0, []]
        script = (
            "return [...document.querySelectorAll(arguments[0])]"
            ".map(element => getComputedStyle(element)[arguments[1]])"
        )
        assert set(browser.execute_script(script, "nav, .filter, .all", "display")) == {"none"}
        pdf = base64.b64decode(browser.print_page())
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 5
        assert browser.execute_script(script, "body", "backgroundColor") == ["rgb(255, 255, 255)"]


def test_a_screen_reader_finds_names_for_everything(page, report):
    open_everything(page)
    assert find(page, "html").get_attribute("lang") == "en"
    levels = [int(e.tag_name[1]) for e in find_all(page, "h1, h2, h3, h4, h5, h6")]
    assert levels[0] == 1
    assert all(next_ <= level + 1 for level, next_ in itertools.pairwise(levels))
    assert all(header.get_attribute("scope") for header in find_all(page, "th"))
    assert page.execute_script(FAULTS + "return unnamed()") == []
    for link in find_all(page, "nav a"):
        file, target = link.get_attribute("href").rpartition("/")[2].split("#")
        html = report.with_name(file).read_text()
        title = f'<h2 id="{target}-title">{link.text}</h2>'
        assert title in html or (target.startswith("card-") and f'id="{target}"' in html)
    ids = page.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.fixture(scope="module")
def gene_page(tmp_path_factory):
    """The genes of a paired series with two batches, hostile names and a missing value."""
    rng = np.random.default_rng(3)
    y, patients = np.repeat(["normal", "tumour <i>"], 8), np.tile(np.arange(8), 2).astype(str)
    values = rng.normal(8, 1, (60, 16))
    values[0, 8:] += 4
    values[1, 8:] -= 3
    values[0, 3] = np.nan
    names = [SCRIPT, '1007_s_at" onmouseover="alert(2)', *(f"{i}_at" for i in range(58))]
    symbols = ["TP53", "MYC///</script>", *(f"GENE{i}" for i in range(58))]
    batches = pd.DataFrame({"plate": np.tile(["<b>A", "B"], 8)})
    series = dataset(
        values, y, features=names, groups=patients, sample_metadata=batches, missing=True,
        feature_metadata=pd.DataFrame({"symbol": symbols}), scale="log2",
    )  # fmt: skip
    root = tmp_path_factory.mktemp("genes")
    files = StudyFiles(root)
    files.put("genes", gene_tables(series, Design()), study="a-study", dataset="toy")
    files.put("audit", {"samples": audit(series)["samples"].head(0)}, dataset="toy")
    study = Study(
        id="a-study",
        title="Genes",
        summary="",
        datasets=("toy",),
        classifiers=(),
        folds=(),
        diagnostics=False,
        analyses={},
    )
    none = {"findings": [], "class_sizes": []}
    results = StudyResults(study, {}, {}, root)
    section = genes.section(with_rows(results, datasets=[{"dataset": "toy"}], **none))
    page = root / "report.html"
    write_page(page, "Genes", "", [section])
    return page, values


def type_in(browser, element, text):
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
    browser.execute_script(script, element, text)
    time.sleep(0.4)  # the page waits for the end of the typing


def rows_shown(browser):
    return find_all(browser, ".all-genes tbody tr[data-i]")


def test_all_features_are_searched_sorted_filtered_and_saved(browser, gene_page):
    browser.get_log("browser")
    browser.get(gene_page[0].as_uri())
    drawn(browser, ".genes", 3)
    output = find(browser, ".pages output")
    assert output.text == "60 of 60 probes; page 1 of 4"
    search = find(browser, ".genes input[type=search]")
    for text, name, feature in (
        ("tp53", "TP53", SCRIPT),
        ("1007_s", "MYC///</script>", "1007_s_at"),
    ):
        type_in(browser, search, text)
        (row,) = rows_shown(browser)
        assert find(row, "button").text == name
        assert feature in row.text
    type_in(browser, search, "no such gene")
    assert rows_shown(browser) == []
    type_in(browser, search, "")
    # both shifted features lie beyond the threshold, and a stricter one removes the second
    boxes = find_all(browser, ".genes input[type=checkbox]")
    browser.execute_script("arguments[0].click()", boxes[0])
    names = [find(row, "button").text for row in rows_shown(browser)]
    assert names == ["TP53", "MYC///</script>"]
    change = find_all(browser, ".genes input[type=number]")[1]
    type_in(browser, change, "3.6")
    assert [find(row, "button").text for row in rows_shown(browser)] == ["TP53"]
    type_in(browser, change, "0")
    browser.execute_script("arguments[0].click()", boxes[0])
    direction = find_all(browser, ".genes .controls select")[-1]
    direction.find_elements("css selector", "option")[2].click()  # lower
    assert find(rows_shown(browser)[0], "button").text == "MYC///</script>"
    header = find_all(browser, ".all-genes thead button")[1]
    browser.execute_script("arguments[0].click()", header)
    browser.execute_script("arguments[0].click()", header)
    cells = [row.find_elements("css selector", "td")[0].text for row in rows_shown(browser)]
    numbers = [float(cell.split()[-1].replace("−", "-")) for cell in cells]
    assert numbers == sorted(numbers)
    assert max(numbers) < 0
    assert browser.get_log("browser") == []


def test_downloaded_rows_have_numbers_and_no_formula(browser, gene_page):
    browser.get(gene_page[0].as_uri())
    script = (
        "const content = await unpack(document.querySelector('.packed').textContent);"
        "content.features[1] = '=1+1'; content.symbols[1] = '@x, \"y\"';"
        "const state = { contrast: 0, numbers: statisticsOf(content, 0) };"
        "return csvOf(content, state, [1, 0])"
    )
    head, first, second = browser.execute_script(script)
    assert head == "class,feature,symbol,log2 fold change,FDR,AUC,mean,core\r\n"
    label = first.split(",")[0]
    assert label == second.split(",")[0]
    assert first.startswith(f'{label},\'=1+1,"\'@x, ""y""",-')
    assert second.startswith(f"{label},{SCRIPT},TP53,")
    assert len(second.split(",")) == 8


def test_studies_of_the_index_are_found_by_a_word(browser, report):
    browser.get((report.parent / "../../index.html").resolve().as_uri())
    box = find(browser, ".filter input")
    type_in(browser, box, "nothing")
    assert len(find_all(browser, "#studies tbody tr:not([hidden])")) == 1
    type_in(browser, box, "no such study")
    assert find_all(browser, "#studies tbody tr:not([hidden])") == []


def test_a_row_opens_the_gene_with_its_samples_and_links(browser, gene_page):
    path, values = gene_page
    browser.get(path.as_uri())
    drawn(browser, ".genes", 3)
    view = find(browser, ".pair .gene-view")
    assert find(view, "h4").text.startswith("TP53")
    links = [link.get_attribute("href") for link in find_all(view, ".out a")]
    assert links[0].endswith("gene/?term=TP53")
    assert links[1].startswith("https://www.ensembl.org/")
    actual = browser.execute_script(
        "const content = await unpack(document.querySelector('.packed').textContent);"
        "return content.features.slice(0, 2).map((name, i) => [name, valuesOf(content, i)])"
    )
    assert actual[0][0] == SCRIPT
    for (_, shown_values), row in zip(actual, values[:2], strict=True):
        decoded = np.array([np.nan if v is None else v for v in shown_values], dtype=float)
        step = (np.nanmax(row) - np.nanmin(row)) / 254
        np.testing.assert_allclose(decoded, row, atol=step / 2 + 0.01)
    assert np.isnan(actual[0][1][3] if actual[0][1][3] is not None else np.nan)
    button = find(rows_shown(browser)[1], "button")
    browser.execute_script("arguments[0].click()", button)
    opened = drawn(browser, "tr.opened", 2)
    assert find(opened, "h4").text.startswith("MYC///</script>")


def test_the_charts_of_a_gene_get_the_values_of_the_next_gene(browser, gene_page):
    """The charts are drawn once: each gene's points must be those of its own values."""
    path, values = gene_page
    browser.get(path.as_uri())
    drawn(browser, ".genes", 3)
    shown = browser.execute_script(
        "const content = await unpack(document.querySelector('.packed').textContent);"
        "const view = new GeneView(content, {class: 'gene-view'});"
        "document.body.append(view.place);"
        "const points = () => Bokeh.documents.at(-2).roots()[0].renderers"
        "  .filter((renderer) => renderer.glyph.type === 'Scatter')"
        "  .flatMap((renderer) => [...renderer.data_source.data.y]);"
        "await view.show(0); const first = points();"
        "await view.show(1); const second = points();"
        "const title = view.place.querySelector('h4').textContent;"
        "return [first, second, title]"
    )
    first, second, title = shown
    for points, row in ((first, values[0]), (second, values[1])):
        step = (np.nanmax(row) - np.nanmin(row)) / 254
        expected = np.sort(row[~np.isnan(row)])
        np.testing.assert_allclose(np.sort(points), expected, atol=step / 2 + 0.01)
    assert title.startswith("MYC")


def test_the_marks_of_more_than_eight_classes_differ(browser, gene_page):
    browser.get(gene_page[0].as_uri())
    script = "return Array.from({length: 64}, (_, i) => [PALETTE[i % PALETTE.length], markOf(i)])"
    styles = browser.execute_script(script)
    assert len({tuple(style) for style in styles}) == 64
    assert [_MARKERS[mark] for _, mark in styles] == [style_of(i)[1] for i in range(64)]


@pytest.mark.parametrize("spread", [2.5, 10.0])  # with the second the floor is reached
def test_the_density_of_the_page_is_that_of_the_classifier(browser, gene_page, spread):
    values = np.array([1.0, 1.4, 2.0, 2.2, 3.1, 5.0])
    grid = np.linspace(0, 6, 9)
    browser.get(gene_page[0].as_uri())
    script = "return density(arguments[0], arguments[1], arguments[2])"
    actual = browser.execute_script(script, values.tolist(), spread, grid.tolist())
    offsets = np.array([0, len(values)])
    width = bandwidths_of(np.sort(values)[:, None], offsets, "silverman", 0.3, np.array([spread]))
    expected = scipy.stats.norm.pdf(grid[:, None], values, width.item()).mean(axis=1)
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("kind", ["mouse", "touch"])
def test_a_point_is_named_under_the_pointer_and_chosen_by_a_click(browser, gene_page, kind):
    browser.get(gene_page[0].as_uri())
    drawn(browser, ".genes", 3)
    plane = find(browser, ".plane .canvas")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plane)
    box = browser.execute_script("return arguments[0].getBoundingClientRect().toJSON()", plane)
    tip = find(browser, ".plane .tip")
    # the second feature has the least change: look for it from the left
    for x in np.arange(box["left"] + 40, box["right"], 6):
        for y in np.arange(box["top"] + 30, box["bottom"] - 40, 8):
            moved = {"type": "mouseMoved", "x": float(x), "y": float(y)}
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", moved)
            if tip.is_displayed() and "MYC" in tip.text:
                break
        else:
            continue
        break
    assert tip.text.startswith("MYC///</script>")
    assert "FDR" in tip.text
    if kind == "mouse":
        for event in ("mousePressed", "mouseReleased"):
            pressed = {
                "type": event,
                "x": float(x),
                "y": float(y),
                "button": "left",
                "clickCount": 1,
            }
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", pressed)
    else:
        for event, points in (("touchStart", [{"x": float(x), "y": float(y)}]), ("touchEnd", [])):
            touched = {"type": event, "touchPoints": points}
            browser.execute_cdp_cmd("Input.dispatchTouchEvent", touched)
    view = ".pair .gene-view h4"
    WebDriverWait(browser, 10).until(lambda b: find(b, view).text.startswith("MYC"))


def test_without_javascript_figures_are_described_and_on_paper_there_are_the_charts(
    browser, gene_page
):
    browser.get(gene_page[0].as_uri())
    drawn(browser, ".genes", 3)
    with shown(browser, media="print"):
        assert find(browser, ".live-genes .plane .canvas").is_displayed()
        assert not find(browser, ".genes > .static").is_displayed()
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(gene_page[0].as_uri())
    text = find(browser, ".genes > .static p")
    displayed = [text.is_displayed(), find(browser, ".live-genes").is_displayed()]
    words = text.text
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert displayed == [True, False]
    assert words.startswith("Figure volcano-toy-01: ")


def test_without_javascript_a_page_has_its_tables_and_a_text_for_every_figure(browser, report):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        for page in (report, report.with_name("details.html")):
            browser.get(page.as_uri())
            drawings = find_all(browser, ".drawing")
            texts = find_all(browser, ".drawing > .static")
            assert len(texts) == len(drawings) > 3
            outside = find_all(browser, "main > section > .alone > .drawing > .static")
            assert all(text.is_displayed() for text in outside)
            assert find(browser, "main table").is_displayed()
            assert not [chart for chart in find_all(browser, ".chart") if chart.size["height"] > 0]
            assert browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["contentSize"]["height"] > 0
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_charts_that_paper_has_are_drawn_before_they_come_into_sight(browser, report):
    with shown(browser, 1400, height=300):
        browser.get(report.with_name("details.html").as_uri())
        assert browser.execute_script("return scrollY") == 0
        selector = "#accuracy > .alone > .drawing"
        WebDriverWait(browser, 20).until(lambda b: find_all(b, f"{selector}.live"))
        assert find_all(browser, "#explanation .drawing:not(.live)")
        below = browser.execute_script(
            "return document.querySelector(arguments[0]).getBoundingClientRect().top > innerHeight",
            selector,
        )
        assert below


@pytest.fixture(scope="module")
def page_of_marks(tmp_path_factory):
    """A page with the example of every kind of mark, in the order of `MARKS`."""
    figures = [
        Figure(kind.__name__, example_chart, arguments={"kind": kind}, caption="", alt="a chart")
        for kind in MARKS
    ]
    page = tmp_path_factory.mktemp("marks") / "report.html"
    write_page(page, "Marks", "", [Section("one", "One", "", [Gallery(figures, "")])])
    return page


@pytest.fixture
def marks(browser, page_of_marks):
    """A browser with this page, which is loaded once for all tests that change nothing in it."""
    if browser.current_url != page_of_marks.as_uri():
        browser.get(page_of_marks.as_uri())
    return browser


def test_the_browser_draws_every_kind_of_mark(browser, page_of_marks):
    browser.get("about:blank")
    browser.get_log("browser")
    with shown(browser, 1400):
        browser.get(page_of_marks.as_uri())
        for number, kind in enumerate(MARKS, 1):
            selector = f".gallery > div > .drawing:nth-child({number})"
            drawn(browser, selector)
            WebDriverWait(browser, 20).until(lambda b, s=selector: find_all(b, f"{s}.live"))
            shapes = browser.execute_script(
                "const canvas = document.querySelector(arguments[0] + ' .canvas > *');"
                "const roots = Bokeh.documents.flatMap((document) => document.roots());"
                "const figure = roots.at(-1);"
                "return [Boolean(canvas), figure.renderers.length, figure.center.length]",
                selector,
            )
            # a level is no renderer, but beside the two grids
            assert shapes[0], kind
            assert shapes[1] > 0 or (kind is Level and shapes[2] == 3), kind
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(
    ("level", "place"),
    [({"at": 0.5}, {"x": [2], "y": [0.5]}), ({"at": 7, "upright": True}, {"x": [7], "y": [3]})],
)
def test_an_axis_reaches_to_a_level(marks, level, place):
    """An invisible point on the level, beside the first known point of another mark."""
    panel = {"marks": [{"mark": "level", **level}, {"mark": "line", "x": [None, 2], "y": [3, 4]}]}
    script = "return placeOfLevel(arguments[0], arguments[1])"
    assert marks.execute_script(script, level, panel) == place


@pytest.mark.parametrize(
    ("kind", "column", "expected"),
    [
        (Points, "size", [8.1] * 3),  # 4.5 points, enlarged by 1.8
        (Points, "tip0", ["a", "b", "c"]),
        (Line, "tip0", ["0.2", "0.9", "0.5"]),  # a coordinate
        (Band, "upper", [0.3, 1.0, 0.6]),
        (Rug, "low", [-0.2] * 3),
        (Cells, "alpha", [0.5, 0.2, 0, 1, 0, 0.3]),  # rows one after the other; missing is 0
        (Cells, "tip2", ["0.50", "-0.20", "missing", "1.00", "0.00", "0.30"]),
        (Cells, "ink", ["#1b1f24"] * 3 + ["#ffffff"] + ["#1b1f24"] * 2),
        (Strip, "tip2", ["F", "F", "M"]),
        (Regions, "x0", [0, 1.5] * 3),  # two runs in each of three rows
        # Hazen's quartiles of 1, 2, 4 are 1.25 and 3.5; 3 is the only value of its class
        (Boxes, "y0", [1.25, 3.5, 1.25, 1.25, 1.25, 1, 3.5, 4, 2]),
        (Samples, "marker", ["circle", "square", "circle"]),
    ],
)
def test_the_browser_draws_the_numbers_of_a_mark(marks, kind, column, expected):
    number = MARKS.index(kind) + 1
    drawn(marks, f".gallery > div > .drawing:nth-child({number})")
    actual = marks.execute_script(
        "const [chart, name] = arguments;"
        "const panel = chartOf(document.querySelectorAll('.drawing')[chart]).rows[0][0];"
        "const mark = panel.marks[0];"
        "const [numbers, tips] = MARKS[mark.mark].columns(mark, panel, theme());"
        "return [...columnsOf(numbers, tipsOf(tips, numbers))[name]]",
        number - 1,
        column,
    )
    if isinstance(expected[0], str):
        assert actual == expected
    else:
        assert actual == pytest.approx(expected)
