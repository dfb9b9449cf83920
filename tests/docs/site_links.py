"""site_links.py SITE: every link and picture of a page of the site leads to a file of it, and to a place in that file.
First it shows, on a page with mistakes, that it finds them."""

import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif name in ("href", "src", "data") and value and tag != "link":
                self.links.append(value)


def broken(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            target, place = urldefrag(unquote(link))
            if ":" in target.split("/")[0] or target.startswith("//"):
                continue
            file = (path.parent / target).resolve() if target else path
            if not file.exists():
                yield f"{path.relative_to(site)}: {link}"
            elif place and file in pages and place not in pages[file].places:
                yield f"{path.relative_to(site)}: {link}: no such place"


with tempfile.TemporaryDirectory() as folder:
    planted = Path(folder).resolve()
    (planted / "a.html").write_text('<a href="b.html">1</a><a href="#x">2</a><img src="c.png"><a id="y" href="#y">3</a>')
    found = list(broken(planted))
    assert found == ["a.html: b.html", "a.html: #x: no such place", "a.html: c.png"], found
site = Path(sys.argv[1]).resolve()
found = sorted(set(broken(site)))
pages = len(list(site.rglob("*.html")))
if found or pages < 100:
    sys.exit(f"{pages} pages, {len(found)} broken links:\n" + "\n".join(found[:60]))
print(f"{pages} pages, no broken link")
