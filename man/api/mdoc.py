"""Pages as mdoc(7), for man(1)."""
import re

from headers import blocks, shown

STATUS_ROW = re.compile(r'X\((\w+), (\d+), "((?:\\.|[^"])*)", \\\n\s*"((?:\\.|[^"])*)", \\\n\s*"((?:\\.|[^"])*)"\)')


def plain(text):
    """Text that roff takes for nothing else."""
    text = text.replace("\\", "\\e").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith((".", "'")) else text


def sentences(text):
    """A line for each, as mdoc wants them."""
    parts = re.split(r"(?<=[\w)\]\"`][.?]) (?=[A-Z\"(_])", text)
    return [line for part in parts for line in wrapped(plain(part))]


def wrapped(text, width=100):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return ["\\&" + l if l.startswith((".", "'")) else l for l in lines]


def quoted(text):
    return '"' + plain(text).replace('"', '""') + '"'


def literal(lines):
    return [".Bd -literal -offset indent"] + [plain(l) for l in lines] + [".Ed"]


def body(lines):
    out, kinds = [], blocks(lines)
    for i, (kind, content) in enumerate(kinds):
        before = kinds[i - 1][0] if i else None
        after = kinds[i + 1][0] if i + 1 < len(kinds) else None
        if kind == "text":
            out += ([".Pp"] if before else []) + sentences(content)
        elif kind == "code":
            out += literal(content)
        elif kind == "item":
            out += [".Bl -dash -compact"] if before != "item" else []
            out += [".It"] + sentences(content)
            out += [".El"] if after != "item" else []
        else:
            out += [".Bl -tag -width Ds"] if before != "param" else []
            out += [".It " + " , ".join("Fa " + n for n in content[0].split(", "))] + sentences(content[1])
            out += [".El"] if after != "param" else []
    return out


def status_list(code):
    """The list of statuses is a list on the page, too."""
    out = [".Bl -tag -width Ds"]
    for name, number, text, cause, remedy in STATUS_ROW.findall(code):
        out += [f".It Dv GPUDL_{name} No = {number} : {plain(text)}"]
        out += sentences((cause + " " + remedy).replace('\\"', '"'))
    return out + [".El"]


def group(g):
    out = []
    names = g.names
    if names and not (g.code and g.code[0].startswith("typedef struct gpudl_loader gpudl_loader")):
        out.append(".Ss " + " , ".join(n for n in names[:4]) + (" , ..." if len(names) > 4 else ""))
    rows = [c for c in g.code if STATUS_ROW.search(c)]
    code = [s for c in g.code if c not in rows for s in [shown(c)] if s]
    if code:
        out += [".Bd -literal"] + [plain(l) for c in code for l in c.split("\n")] + [".Ed"]
    if g.text:
        out += ([".Pp"] if code else []) + body(g.text)
    for c in rows:
        out += status_list(c)
    return out


def names(page):
    """NAME has one .Nd, and all functions, so that apropos and whatis find them."""
    found = list(dict.fromkeys([page.name] + [f.name for f in page.functions]))
    return [f".Nm {n}" + (" ," if i + 1 < len(found) else "") for i, n in enumerate(found)]


def synopsis(page):
    out = [".Sh SYNOPSIS", ".In gpudl/gpudl.h"]
    for f in page.functions:
        out += ([f".Ft {quoted(f.result)}"] if f.result else []) + [f".Fo {f.name}"]
        out += [f".Fa {quoted(p)}" for p in f.params] + [".Fc"]
    return out


def write(page, pages, date):
    out = [f".\\\" Made of <{page.header}> by man/api/make.py.", f".Dd {date}", f".Dt {page.name.upper()} 3", ".Os", ".Sh NAME"]
    out += names(page) + [f".Nd {plain(page.about)}"]
    out += synopsis(page)
    out += [".Sh DESCRIPTION"] + body(page.top)
    if page.name == "gpudl":
        out += [".Ss Pages", "The manual is one page for each part of the header:", ".Bl -tag -width Ds"]
        for p in pages[1:]:
            out += [f".It Xr {p.name} 3", plain(p.about)]
        out += [".El"]
    for title, groups in page.sections:
        if title:
            out += [".Sh " + plain(title.upper())]
        for g in groups:
            out += group(g)
    out += [".Sh RETURN VALUES"]
    out += ["A function that returns", ".Vt gpudl_status", "returns", ".Dv GPUDL_OK", "or why it failed, with a text for people in",
            ".Fn gpudl_error_text ;", "see", ".Xr gpudl-status 3 ."] if page.name != "gpudl-status" else [
            "These never fail."]
    out += [".Sh SEE ALSO"]
    others = [p.name for p in pages if p is not page]
    out += [".Xr gpudl 1 ,"] + [f".Xr {n} 3" + (" ," if i + 1 < len(others) else "") for i, n in enumerate(others)]
    return "\n".join(tidy(out)) + "\n"


def tidy(lines):
    """Blank lines mean a paragraph outside of literal text only; and no paragraph begins where one has just begun."""
    out, inside = [], False
    for line in lines:
        inside = line.startswith(".Bd") or (inside and not line.startswith(".Ed"))
        if not line.strip() and not inside:
            continue
        if line == ".Pp" and out and out[-1].startswith((".Sh", ".Ss", ".Pp", ".Ed", ".El")) and not out[-1].startswith((".Ed", ".El")):
            continue
        out.append(line)
    return out
