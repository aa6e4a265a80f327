"""Check the pages of the site: each internal link, anchor and picture is there, and no page loads anything from elsewhere."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and the files that it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        for name in ("id", "name"):
            if values.get(name):
                self.anchors.add(values[name])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("href"):
            (self.links if values.get("rel") in ("index", "search", "next", "prev", "canonical", "genindex") else self.loads).append(values["href"])
        elif tag in ("img", "script", "iframe", "source", "video") and values.get("src"):
            self.loads.append(values["src"])


def main(folder, outside_list):
    """Prints what is wrong. Writes the links that lead elsewhere, with one page that has them."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    wrong, outside, count = [], {}, 0
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if link in page.loads:
                    wrong.append(f"{name}: loads {link}")
                outside.setdefault(link, name)
                continue
            count += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{name}: there is no {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: there is no anchor {link}")
    for path in folder.rglob("*.css"):
        if any(word in path.read_text() for word in ("url(http", "url(//", "@import")):
            wrong.append(f"{path.relative_to(folder)}: loads a file from elsewhere")
    outside_list.write_text("".join(f"{link}  ({page})\n" for link, page in sorted(outside.items())))
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(pages)} pages, {count} internal links, {len(outside)} links elsewhere (listed in {outside_list}), {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])))
