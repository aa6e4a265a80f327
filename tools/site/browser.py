#!/usr/bin/env python3
"""Look at the pages of the site in a headless browser.

usage: tools/site/browser.py [--all] [--pictures FOLDER] [PAGE...]     (all pages of docs/ by default; --all: also those of decisions and sources)

Each page is shown light and dark, as wide as a screen and as a phone. A finding is: a picture that is not drawn, a page wider than
its window, a colour scheme without effect, text without contrast, a message of the console, a request that leaves the folder, a
search without a result. --pictures keeps a picture of each page. Ends with 77 where there is no Chromium.
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build/site/html"
WINDOWS = {"screen": (1280, 900), "phone": (390, 844)}

# Findings of the page as it is now.
LOOK = r"""(() => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) {
    const wide = [...document.querySelectorAll('article *')].find(e => {
      if (e.getBoundingClientRect().right <= root.clientWidth + 1) return false;
      for (let p = e.parentElement; p; p = p.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX) && p !== document.body && p !== root) return false;
      return true;
    });
    found.push(`is ${root.scrollWidth} wide in ${root.clientWidth}` + (wide ? `: ${wide.tagName} ${wide.textContent.slice(0, 60)}` : ''));
  }
  for (const image of document.images)
    if (image.getAttribute('src') && (!image.complete || image.naturalWidth === 0)) found.push('has a broken picture: ' + image.src);
  const level = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const body = getComputedStyle(document.body), article = document.querySelector('article') || document.body;
  const dark = level(body.backgroundColor), text = level(getComputedStyle(article).color);
  const contrast = (Math.max(dark, text) + 0.05) / (Math.min(dark, text) + 0.05);
  if (contrast < 4.5) found.push(`has text of contrast ${contrast.toFixed(1)}`);
  return JSON.stringify({found, background: dark});
})()"""


class Browser:
    """Chromium, by its DevTools protocol over a pipe."""

    def __init__(self, program, profile):
        to_read, self.to_write = os.pipe()
        self.to_read, to_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(to_write, True)
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}", "--remote-debugging-pipe"]

        def place_pipes():  # Chromium reads from file 3 and writes to file 4
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place_pipes)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.to_read, 1 << 20)
            if not piece:
                sys.exit("the browser ended")
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, method):
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.receive())

    def evaluate(self, code):
        result = self.call("Runtime.evaluate", expression=code, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"the page's script failed: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, path, query=""):
        """Shows a page. Yields what its console and its requests say."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + query)
        self.wait("Page.loadEventFired")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "about:")):
                found.append(f"requests {params['request']['url']}")
            elif event.get("method") == "Network.loadingFailed":
                found.append(f"has a request that fails: {params.get('errorText')}")
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(f"has a script that fails: {params['exceptionDetails'].get('text')}")
            elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(f"has a message in the console: {params['entry']['text']}")
        return found

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=30)


# A page with a fault of each kind, and what finds it.
FAULTY = """<html><body style="background: white; color: #bbb"><article>Pale text
<img src="missing.png"><div style="width: 1500px">wide</div><script>no_such_function()</script></article></body></html>"""
FAULTS = ("wide in 1280", "wide in 390", "broken picture", "contrast", "script that fails", "not darker", "request that fails")


def look_at_faults(browser, folder):
    """What is not found on a page with a fault of each kind."""
    path = pathlib.Path(folder) / "faulty.html"
    path.write_text(FAULTY)
    found = "\n".join(look_at(browser, path, None, "faulty.html"))
    return [f"browser.py does not find a fault: {fault}" for fault in FAULTS if fault not in found]


def look_at(browser, path, pictures, name):
    """What is wrong with a page."""
    wrong = set()
    for window, (width, height) in WINDOWS.items():
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        background = {}
        for scheme in ("light", "dark"):
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            wrong.update(f"{name}: {text}" for text in browser.open(path))
            seen = json.loads(browser.evaluate(LOOK))
            wrong.update(f"{name}: on a {window} {text}" for text in seen["found"])
            background[scheme] = seen["background"]
            if pictures:
                data = browser.call("Page.captureScreenshot", format="png")["data"]
                (pictures / f"{name.replace('/', '_')}.{window}.{scheme}.png").write_bytes(base64.b64decode(data))
        if not background["dark"] + 0.3 < background["light"]:
            wrong.add(f"{name}: is not darker under the dark scheme")
    return sorted(wrong)


def search(browser):
    """The search finds an op in the pages, from files alone."""
    wrong = [f"search.html: {text}" for text in browser.open(SITE / "search.html", "?q=logsumexp")]
    count = browser.evaluate("""new Promise(done => { let n = 0; const look = () => {
        const found = document.querySelectorAll('ul.search li a').length;
        if (found || ++n > 100) done(found); else setTimeout(look, 50); }; look(); })""")
    return wrong + ([] if count else ["search.html: no page is found for logsumexp"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", help="such as guide.html")
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("skipped: no chromium on PATH (Debian: apt-get install chromium)")
        return 77
    if not (SITE / "index.html").exists():
        sys.exit("there is no build/site/html. Run ./dev docs first")
    paths = [SITE / page for page in arguments.pages] or [
        p for p in sorted(SITE.rglob("*.html"))
        if arguments.all or p.relative_to(SITE).parts[0] not in ("source", "_static") and not p.name[:4].isdigit()]
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        wrong = look_at_faults(browser, profile)
        wrong += [text for path in paths for text in look_at(browser, path, arguments.pictures, str(path.relative_to(SITE)))]
        wrong += search(browser)
        browser.close()
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(paths)} pages, light and dark, on a screen and on a phone: {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
