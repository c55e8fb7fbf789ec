"""`engine docs`: pages for people, from specs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import UsageError
from engine.review.docs import index, page
from engine.review.spectext import read_spec
from engine.spec.library import all_specs
from engine.write.files import write_text


@click.command("docs", short_help="Write specs as pages for people.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option(
    "-o", "--out", metavar="DIR", help="Write an index and a page a spec there.  [default: one page, to stdout]"
)
@click.option("--site", is_flag=True, help="Write HTML instead of Markdown: a static site.")
@click.option("--json", "as_json", is_flag=True, help="Print the files that were written as JSON.")
def command(specs: tuple[str, ...], out: str | None, site: bool, as_json: bool) -> None:
    """Write specs as pages: storage by operating system, stores, record shapes, rows, permissions, secrets, past use,
    citations as links to the lines at their pin, and what is left unread.

    SPEC is the id of a known spec or a path; without one, all known specs are written, which needs -o.

    Example: engine docs -o build/site --site
    """
    texts = [read_spec(spec) for spec in specs or all_specs()]
    if out is None or out == "-":
        if site or as_json or len(texts) != 1:
            raise UsageError("several pages, --site and --json need -o DIR; one spec goes to stdout as Markdown")
        click.echo(page(texts[0]), nl=False)
        return
    if site:
        from engine.review.docs_site import site as made_site  # its Markdown parser is needed here only

        files = made_site(texts)
    else:
        files = {"index.md": index(texts)} | {f"{text.plan.agent}.md": page(text) for text in texts}
    for name, content in files.items():
        write_text(Path(out) / name, content)
    written = [str(Path(out) / name) for name in files]
    click.echo(json.dumps(written, ensure_ascii=False) if as_json else "\n".join(written))
