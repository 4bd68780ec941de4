"""Which pages the manual of the API has: one for each header, and for each part of gpudl.h; found, not listed."""
import os
import re

from headers import read

# gpudl.h has no comment that says in a line what each of its parts is.
PARTS = {
    "loader": "a connection to a driver",
    "source": "what code is loaded from",
    "library": "loaded code, its versions and globals",
    "kernel": "kernels by name, and their launches",
}


class Page:
    def __init__(self, name, about, header, top, sections):
        self.name, self.about, self.header, self.top, self.sections = name, about, header, top, sections
        self.groups = [g for _, groups in sections for g in groups]
        self.functions = [f for g in self.groups for f in g.functions]


def first_sentence(top):
    text = re.sub(r"^gpudl/\w+\.hp*: - |^gpudl/\w+\.hp* - ", "", " ".join(top).split("  ")[0])
    text = text.split(". ")[0].split(": ")[0].split(", for programs")[0].rstrip(".")
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def overview(top):
    return Page("gpudl", "dlopen for GPU kernels", "gpudl/gpudl.h", top[1:], [])


def collect(folder):
    """The overview, then the rest by name: gpudl.h and what it includes. CUDA's own names have a document, docs/CUDA-NAMES.md."""
    pages = []
    with open(os.path.join(folder, "gpudl.h"), encoding="utf-8") as f:
        files = ["gpudl.h"] + re.findall(r"(?m)^#include <gpudl/(\w+\.h)>", f.read())
    for file in files:
        top, sections = read(os.path.join(folder, file))
        if file == "gpudl.h":
            first = overview(top)
            for title, groups in sections[1:]:
                pages.append(Page("gpudl-" + title, PARTS.get(title, title), "gpudl/gpudl.h", [], [(None, groups)]))
        else:
            pages.append(Page("gpudl-" + file[:-2], first_sentence(top), "gpudl/" + file, top, sections))
    return [first] + sorted(pages, key=lambda p: p.name)
