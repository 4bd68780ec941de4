"""Pages as Markdown: the API's reference, for browsers and editors."""
import re

from headers import blocks, shown
from mdoc import STATUS_ROW


def inline(text, where):
    """Names as code, with links to where they are said; the rest so that Markdown takes it as it is."""
    out = []
    for part in re.split(r"(`[^`]+`|<gpudl/\w+\.h>|\b(?:gpudl_|GPUDL_)\w+(?:\.\w+)?(?:\(\))?)", text):
        name = part.rstrip("()").split(".")[0]
        if name in where:
            out.append(f"[`{part}`]({where[name]})")
        elif part.startswith(("gpudl_", "GPUDL_", "<gpudl/", "`")):
            out.append(part if part.startswith("`") else f"`{part}`")
        else:
            out.append(re.sub(r"([*_<\\])", r"\\\1", part))
    return "".join(out)


def body(lines, where):
    out, before = [], None
    for kind, content in blocks(lines):
        if before in ("item", "param") and kind != before:
            out.append("")
        if kind == "text":
            out += [inline(content, where), ""]
        elif kind == "code":
            out += ["```", *content, "```", ""]
        elif kind == "item":
            out.append("- " + inline(content, where))
        else:
            out.append(f"- `{content[0]}`: {inline(content[1], where)}")
        before = kind
    return out + ([""] if before in ("item", "param") else [])


def group(g, where):
    out = []
    if g.names:
        out += [f'<a id="{n}"></a>' for n in g.names] + ["### " + ", ".join(f"`{n}`" for n in g.names[:4]) + (", ..." if len(g.names) > 4 else ""), ""]
    rows = [c for c in g.code if STATUS_ROW.search(c)]
    code = [s for c in g.code if c not in rows for s in [shown(c)] if s]
    if code:
        out += ["```c", *code, "```", ""]
    out += body(g.text, where)
    for c in rows:
        for name, number, text, cause, remedy in STATUS_ROW.findall(c):
            out.append(f"- `GPUDL_{name}` = {number}, {text}. " + inline((cause + " " + remedy).replace('\\"', '"'), where))
        out.append("")
    return out


def places(pages):
    return {n: f"{p.name}.md#{n}" for p in pages for g in p.groups for n in g.names}


def write(page, pages):
    where = places(pages)
    out = [f"# {page.name}(3)", "", f"{page.about[0].upper()}{page.about[1:]}. `#include <gpudl/gpudl.h>`; declared in `<{page.header}>`.", ""]
    out += body(page.top, where)
    if page.name == "gpudl":
        out += ["## Pages", ""] + [f"- [{p.name}]({p.name}.md): {inline(p.about, where)}" for p in pages[1:]]
        out += ["", "## Functions", ""]
        out += [f"- [`{f.name}()`]({p.name}.md#{f.name})" for f, p in sorted(((f, p) for p in pages for f in p.functions), key=lambda x: x[0].name)]
    for title, groups in page.sections:
        if title:
            out += [f"## {title[0].upper()}{title[1:]}", ""]
        for g in groups:
            out += group(g, where)
    return "\n".join(out).rstrip() + "\n"
