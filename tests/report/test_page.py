"""The report in a real browser: headless Chromium, driven by its WebDriver."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_home import ATTACK, many_rows, row, some_rows, write_page

pytestmark = pytest.mark.browser


class Page:
    """A report that is open."""

    def __init__(self, driver: Any, file: Path):
        self.driver = driver
        driver.get(file.as_uri())
        self.wait("return document.documentElement.dataset.ready")

    def wait(self, script: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, 60).until(lambda driver: driver.execute_script(script))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def keys(self, *keys: str) -> None:
        """Keys for what has the focus, as a person types them."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def find(self, words: str) -> str:
        """Types words into the filter; what it says was found."""
        field = self.driver.find_element("id", "words")
        field.clear()
        field.send_keys(words, "\ue007")
        return self.text("#found")

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector: str) -> list[str]:
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                 "--disable-background-networking", "--disable-component-update", "--enable-precise-memory-info",
                 "--window-size=1280,900"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver: Any, tmp_path: Path) -> Page:
    return Page(driver, write_page(tmp_path / "report.html", some_rows()))


def test_it_opens_with_no_request_but_its_own_file(page: Page) -> None:
    page.driver.get_log("performance")
    page.driver.refresh()
    page.wait("return document.documentElement.dataset.ready")
    events = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    asked = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    assert asked == {page.driver.current_url}
    assert page.text("#about").startswith("11 rows, 2 sessions, 2 agents, 1 files")


def test_hostile_text_is_shown_as_text(page: Page) -> None:
    assert page.driver.title == "What the agents recorded"
    assert any(ATTACK in text for text in page.texts("#rows .text"))
    page.find("onerror")
    page.keys("\ue007")
    assert ATTACK in page.text("#detail pre")
    assert page.run("return document.querySelectorAll('#detail img, #rows img, body script').length") == 1
    assert page.driver.title == "What the agents recorded"
    severe = [entry for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []


def test_control_characters_are_pictures(page: Page) -> None:
    page.find("gnp.exe")
    assert page.texts("#rows .text") == ["red ␛[31mtext �gnp.exe"]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("widgets", 2),
        ("count WIDGETS", 1),
        ("istanbul", 0),
        ("例え", 1),
        ("needle", 0),
        ("model-x", 1),
        ('"command"', 1),
    ],
)
def test_the_filter_finds_words_in_texts_arguments_and_columns(page: Page, words: str, count: int) -> None:
    assert page.find(words) == f"{count} of 11 rows"
    assert len(page.texts("#rows .row")) == count


def test_views_show_their_rows(page: Page) -> None:
    counts = {}
    for key in "345":
        page.keys(key)
        counts[page.text("#tabs [aria-selected=true]")] = page.text("#found")
    assert counts == {
        "Permissions 1": "1 of 11 rows",
        "Deletions 0": "0 of 11 rows",
        "Only in copies 1": "1 of 11 rows",
    }


def test_the_plot_brushes_a_window_of_time_and_escape_clears_it(page: Page) -> None:
    from selenium.webdriver import ActionChains

    plot = page.driver.find_element("id", "plot")
    wide = plot.size["width"]
    ActionChains(page.driver).move_to_element_with_offset(plot, -wide // 2 + 2, 0).click_and_hold().move_by_offset(
        wide // 3, 0
    ).release().perform()
    some = page.text("#found")
    assert some in ("3 of 11 rows", "4 of 11 rows")
    page.run("document.getElementById('list').focus()")
    page.keys("\ue00c")
    assert page.text("#found") == "11 of 11 rows"


def test_the_plot_is_moved_by_keys(page: Page) -> None:
    page.run("document.getElementById('plot').focus()")
    page.keys("\ue014")
    first = page.text("#found")
    page.keys(*("\ue014",) * 10)
    assert page.text("#found") != "11 of 11 rows" and first != "11 of 11 rows"


def test_a_session_opens_by_keyboard_with_call_and_result_together(page: Page) -> None:
    page.keys("\ue015", "s")
    assert page.run("return document.getElementById('session').open")
    assert page.text("#session h2").startswith("zed s1")
    (call,) = page.texts("#session .turn.tool_use")
    assert "ls -la" in call and "twelve widgets" in call
    assert len(page.texts("#session .turn")) == 4
    page.keys("\ue00c")
    assert not page.run("return document.getElementById('session').open")


def test_the_sessions_view_sorts_and_opens(page: Page) -> None:
    page.keys("2")
    assert [text.split("s")[0] for text in page.texts("#table tbody tr")] == ["nanobot", "zed"]
    page.run("document.querySelector('#table th button').click()")
    page.run("document.querySelector('#table th button').click()")
    assert page.texts("#table tbody tr td:first-child") == ["nanobot", "zed"]
    page.run("document.querySelector('#table tbody tr').focus()")
    page.keys("\ue007")
    assert page.text("#session h2").startswith("nanobot s2")


def test_a_row_leads_to_its_file_line_rule_and_citation(page: Page) -> None:
    page.keys("\ue007")
    shown = page.text("#detail dl")
    assert "zed/threads/prompt" in shown and "zed.yaml:" in shown and "citation" in shown
    link = page.run("return document.querySelector('#detail dl a').href")
    assert link.startswith("https://github.com/zed-industries/zed/blob/")


def test_printing_gives_an_appendix_of_what_is_shown(page: Page) -> None:
    page.find("widgets")
    page.run("dispatchEvent(new Event('beforeprint'))")
    shown = page.text("#appendix")
    assert "count the widgets" in shown and "only in a copy" not in shown and "cdcdcdcd" in shown
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.text("#appendix") == ""


def test_what_is_printed_says_what_was_chosen_and_reads_dark_on_white_in_a_dark_theme(page: Page) -> None:
    page.run("document.documentElement.dataset.theme = 'dark'")
    page.find("widgets")
    page.run("document.getElementById('agent').value = 'zed'")
    page.run("document.getElementById('agent').dispatchEvent(new Event('change'))")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        page.run("dispatchEvent(new Event('beforeprint'))")
        assert "Shown: words “widgets”, agent zed" in page.text("#appendix")
        style = "const found = getComputedStyle(document.querySelector('#appendix th')); return [found.color, {}]"
        assert page.run(style.format("found.backgroundColor")) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_files_view_prints_the_files_with_their_digests(page: Page) -> None:
    page.keys("7")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.texts("#appendix h2") == ["Sessions", "Files"]
    assert "ab" * 32 in page.text("#appendix .files")


def test_a_session_lasts_as_long_as_its_records_say_and_not_its_files(driver: Any, tmp_path: Path) -> None:
    late = {"timestamp_utc": "2026-03-09T00:00:00.000Z", "time_basis": "file_mtime"}
    alone = row(0, "alone", **late | {"session_id": "s3"})
    rows = [row(1, "first"), row(3, "last"), row(0, "a setting", **late), alone]
    page = Page(driver, write_page(tmp_path / "report.html", rows))
    page.keys("2")
    assert page.texts("#table td:nth-child(5)") == ["0 s", "2 min 0 s"]
    assert page.texts("#table td:nth-child(4)") == ["2026-03-09 00:00:00", "2026-03-01 00:03:00"]


@pytest.mark.parametrize("width", [1280, 390])
def test_times_and_numbers_are_not_broken_and_the_page_is_as_wide_as_the_window(page: Page, width: int) -> None:
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 640}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.keys("2")
        cell = "const cell = document.querySelector('#table td:nth-child(3)'); return "
        assert page.run(cell + "cell.scrollWidth <= cell.clientWidth && getComputedStyle(cell).whiteSpace") == "nowrap"
        assert page.run("return document.documentElement.scrollWidth") == width
        page.keys("1")
        cut = "const when = document.querySelector('.row .when'); return when.scrollWidth > when.clientWidth"
        assert not page.run(cut)
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_theme_changes(page: Page) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    before = page.run(colour)
    page.driver.find_element("id", "theme").click()
    assert page.run(colour) != before


@pytest.mark.slow
def test_two_hundred_thousand_rows_scroll_and_are_searched(driver: Any, tmp_path: Path) -> None:
    page = Page(driver, write_page(tmp_path / "big.html", many_rows(200_000)))
    page.keys("\ue010")
    assert page.run("return document.querySelector('#rows').lastChild.id") == "row-199999"
    assert page.find("needle") == "1 of 200,000 rows"
    assert page.run("return performance.memory.usedJSHeapSize") < 1e9
    opened = page.run("return document.documentElement.dataset.ready")
    page.wait("return data.blocks.every(block => block.lower)")
    spent = page.run(
        "state.words = 'word0001 word0002'; const t = performance.now(); refresh(); return performance.now() - t"
    )
    print(f"200,000 rows: opened in {opened} ms, filtered in {spent:.0f} ms")
