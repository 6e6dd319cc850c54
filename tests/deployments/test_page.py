"""What people see on Prefect's page, in a real browser."""

from __future__ import annotations

import shutil

import pytest

pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(
        shutil.which("chromium") is None, reason="there is no chromium; on Debian: apt-get install chromium"
    ),
]

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def page(site):
    """Give a page of a browser that reaches nothing but this machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        opened = browser.new_page(viewport={"width": 1400, "height": 1000})
        opened.set_default_timeout(PATIENCE_MS)
        opened.route(
            lambda url: not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")),
            lambda route: route.abort(),
        )
        yield opened
        browser.close()


@pytest.fixture(scope="module")
def batch(site, packs_of_the_site):
    """Give the id of a finished batch run of a good pack and a red one."""
    parameters = {"packs": [str(packs_of_the_site)], "output_dir": str(site.folder / "page-reports")}
    run = site.set_off("validate_batch/nightly", parameters)
    (ended,) = site.wait_for([run], 240)
    assert ended["state_name"] == "NotGold"
    return run


def show(page, site, path, *texts):
    """Open a page and wait until it shows the texts; return all its text."""
    page.goto(f"{site.api.removesuffix('/api')}{path}")
    for text in texts:
        page.get_by_text(text).first.wait_for(state="visible")
    return page.inner_text("body")


def artifact_of(site, run, key):
    (found,) = site.query(
        "/artifacts/filter", {"artifacts": {"key": {"any_": [key]}}, "flow_runs": {"id": {"any_": [run]}}}
    )
    return f"/artifacts/artifact/{found['id']}"


def keep(page, tmp_path_factory, name):
    place = tmp_path_factory.getbasetemp() / "screenshots"
    place.mkdir(exist_ok=True)
    page.screenshot(path=place / f"{name}.png", full_page=True)
    assert (place / f"{name}.png").stat().st_size > 10_000


def test_a_batch_run_shows_its_name_its_state_and_its_artifacts(page, site, batch, tmp_path_factory):
    show(page, site, f"/runs/flow-run/{batch}", "Artifacts")
    page.get_by_text("Artifacts", exact=True).first.click()
    for key in ("batch-table", "batch-summary", "pack-red-library"):
        page.get_by_text(key).first.wait_for(state="visible")
    shown = page.inner_text("body")
    keep(page, tmp_path_factory, "batch")
    assert "NotGold" in shown
    assert "2 packs: 1 Gold, 1 NotGold" in shown
    assert "pack:red_library" in shown


def test_the_summary_table_has_a_row_for_each_pack(page, site, batch, tmp_path_factory):
    shown = show(page, site, artifact_of(site, batch, "batch-table"), "tiny_library", "red_library")
    keep(page, tmp_path_factory, "batch-table")
    assert "unknown_turn_policy" in shown
    assert "NotGold" in shown


def test_the_summary_leads_to_the_findings_of_a_red_pack(page, site, batch, tmp_path_factory):
    show(page, site, artifact_of(site, batch, "batch-summary"), "red_library")
    keep(page, tmp_path_factory, "batch-summary")
    address = page.get_by_role("link", name="findings").first.get_attribute("href")
    assert address == artifact_of(site, batch, "pack-red-library")
    shown = show(page, site, address, "red_library: NotGold")
    keep(page, tmp_path_factory, "red-pack")
    assert "unknown_turn_policy" in shown
    assert "task_templates.yaml:6:16" in shown
