"""The pages of specs as a static site: HTML that needs nothing beside it, with anchors at its headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import jinja2
from markdown_it import MarkdownIt

from engine.review.docs import index, page
from engine.review.spectext import SpecText

_TAG = re.compile(r"<[^>]+>|&\w+;")


def site(texts: Sequence[SpecText]) -> dict[str, str]:
    """File name → HTML: `index.html`, and one page a spec."""
    pages = [(text.plan.agent, text.plan.name) for text in texts]
    made = {"index.html": _html("Agents", index(texts), pages)}
    for text in texts:
        made[f"{text.plan.agent}.html"] = _html(text.plan.name, page(text), pages)
    return made


@lru_cache(maxsize=1)
def _layout() -> jinja2.Template:
    folder = Path(__file__).parent / "templates"
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True)
    return environment.get_template("docs_site.html.jinja")


def _html(title: str, markdown: str, pages: Sequence[tuple[str, str]]) -> str:
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    body = re.sub(r"<h([23])>(.*?)</h\1>", _anchored, body)
    body = re.sub(r'href="([\w.-]+)\.md"', r'href="\1.html"', body)
    return _layout().render(title=title, body=body, pages=pages)


def _anchored(heading: re.Match[str]) -> str:
    """A heading with the anchor that links to it name: its words, lower case, dashes between."""
    level, words = heading[1], _TAG.sub("", heading[2]).lower()
    anchor = "-".join(re.findall(r"[\w-]+", words))
    return f'<h{level} id="{anchor}">{heading[2]}</h{level}>'
