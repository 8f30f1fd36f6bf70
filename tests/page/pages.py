"""Functions shared by the tests of pages in headless Chromium."""
import functools
import json
import pathlib
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import chromium  # noqa: E402

SKIPPED = 77


def texts(browser, selector):
    return browser.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")


def wait_texts(browser, selector, expected):
    browser.wait(f"JSON.stringify([...document.querySelectorAll({json.dumps(selector)})]"
                 f".map((one) => one.textContent)) === JSON.stringify({json.dumps(expected)})")


class PageTest(unittest.TestCase):
    """A test fails if the page prints a message to the console or sends a request. A subclass defines show()."""

    @classmethod
    def setUpClass(cls):
        cls.path = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(chromium.Chromium())
        cls.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(cls.path))

    def setUp(self):
        self.browser.problems.clear()
        self.browser.requests.clear()
        self.browser.media()
        self.browser.resize(1280, 900)

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])
        self.assertEqual([one for one in self.browser.requests if not one.startswith(("blob:", "data:"))], [])

    def value(self, expression):
        return self.browser.value(expression)

    def drawn(self):
        """Wait until the page has drawn what it had to draw: a change may be drawn in the next frame."""
        self.value("new Promise((done) => (document.hidden ? setTimeout : requestAnimationFrame)(() => setTimeout(done)))")

    def wait_drawn(self, expression):
        """Wait until an expression about the state is true, and until the page shows that state."""
        self.browser.wait(expression)
        self.drawn()

    def text(self, selector):
        self.drawn()
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        self.drawn()
        return texts(self.browser, selector)

    def count(self, selector):
        self.drawn()
        return self.value(f"document.querySelectorAll({json.dumps(selector)}).length")

    def expect_text(self, selector, text):
        self.browser.wait(f"document.querySelector({json.dumps(selector)})?.textContent === {json.dumps(text)}")

    def wait_text(self, selector, part):
        self.browser.wait(f"document.querySelector({json.dumps(selector)})?.textContent.includes({json.dumps(part)})")

    def expect_texts(self, selector, expected):
        wait_texts(self.browser, selector, expected)

    def expect_count(self, selector, count):
        self.browser.wait(f"document.querySelectorAll({json.dumps(selector)}).length === {count}")

    def set_value(self, selector, value, event="change"):
        self.value(f"""(() => {{
            const field = document.querySelector({json.dumps(selector)});
            field.value = {json.dumps(value)};
            field.dispatchEvent(new Event({json.dumps(event)}, {{bubbles: true}}));
        }})()""")

    def downloaded(self, name):
        """Return the path of a file that the page has saved."""
        file = self.path / name
        for _ in range(600):
            if file.exists() and file.stat().st_size > 0:
                return file
            time.sleep(0.05)
        self.fail(f"{name} was not saved: {[*self.path.iterdir()]}")

    def test_the_content_security_policy_refuses_other_scripts(self):
        self.show()
        self.value("""(() => {
            const script = document.createElement("script");
            script.textContent = "document.title = 'changed'";
            document.body.append(script);
            const picture = document.createElement("img");
            picture.src = "https://example.org/picture.png";
            document.body.append(picture);
        })()""")
        self.browser.wait("true")
        self.assertNotEqual(self.value("document.title"), "changed")
        self.assertTrue(any("Content Security Policy" in one for one in self.browser.problems))
        self.browser.problems.clear()
        self.browser.requests.clear()


def main(doc, arguments, page=None):
    """Run the tests of the calling script, which needs the page. `arguments` is the number of its own arguments.
    --part I/N runs one of N parts of the tests."""
    if len(sys.argv) < 2:
        sys.exit(doc)
    if chromium.find() is None:
        print("Chromium is missing (Debian: apt-get install chromium).")
        sys.exit(SKIPPED)
    if page is not None and not page.exists():
        print(f"{page} is not built (preset wasm).")
        sys.exit(SKIPPED)
    del sys.argv[1:1 + arguments]
    if "--part" in sys.argv:
        at = sys.argv.index("--part")
        part, parts = map(int, sys.argv[at + 1].split("/"))
        del sys.argv[at:at + 2]
        unittest.defaultTestLoader.getTestCaseNames = functools.partial(_names_of_part, part, parts)
    unittest.main(verbosity=2)


def _names_of_part(part, parts, tests):
    return unittest.TestLoader().getTestCaseNames(tests)[part - 1::parts]
