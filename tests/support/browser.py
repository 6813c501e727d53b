"""A real headless browser, for pages that are opened from disk."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import pytest
from selenium import webdriver

# No window, no rights but its own, and no calls home.
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)


@contextmanager
def headless_chromium() -> Iterator[webdriver.Chrome]:
    """Debian's chromium; without it the test is skipped, but where CI is set it fails."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "chromium and chromedriver are not installed (Debian: apt install chromium chromium-driver)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for argument in (*_ARGUMENTS, f"--user-data-dir={profile}", "--window-size=1280,1000"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        page = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            yield page
        finally:
            page.quit()
