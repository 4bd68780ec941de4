#!/usr/bin/env python3
"""make.py HEADERS OUT DATE: the manual of the API, made of the comments in the public headers.

OUT/man3/*.3 are pages for man(1), with one that leads to its page for each function and type; OUT/api/*.md is the same as Markdown."""
import os
import shutil
import sys

import markdown
import mdoc
from pages import collect


def put(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    headers, out, date = sys.argv[1:4]
    man, api = os.path.join(out, "man3"), os.path.join(out, "api")
    for folder in (man, api):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    pages = collect(headers)
    for page in pages:
        put(os.path.join(man, page.name + ".3"), mdoc.write(page, pages, date))
        put(os.path.join(api, ("README" if page.name == "gpudl" else page.name) + ".md"), markdown.write(page, pages))
        for name in [f.name for f in page.functions] + [n for g in page.groups for n in g.types]:
            if name.startswith("gpudl_"):
                put(os.path.join(man, name + ".3"), f".so man3/{page.name}.3\n")


if __name__ == "__main__":
    main()
