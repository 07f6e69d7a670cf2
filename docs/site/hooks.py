"""What a reader of files sees as a path is a link on the site: README.md is the first page, and `docs/NAME.md` leads to its page."""
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = re.compile(r"(?:\*\*)?`docs/(\w+)\.md`(?:\*\*)?")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def title_of(name):
    return (ROOT / "docs" / f"{name}.md").read_text().splitlines()[0].removeprefix("# ")


def with_links(prose):
    prose = DOCUMENT.sub(lambda found: f"[{title_of(found[1])}]({found[1]}.md)", prose)
    return prose.replace("](docs/", "](")


def on_files(files, config):
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text()))
    return files


def on_page_markdown(markdown, **_):
    """Code stays as it is."""
    pages, last = [], 0
    for block in CODE.finditer(markdown):
        pages += [with_links(markdown[last : block.start()]), block[0]]
        last = block.end()
    return "".join(pages) + with_links(markdown[last:])
