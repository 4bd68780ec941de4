"""The public headers as what they say: groups of declarations, each with the comment above it.

No C parser: the headers keep to the house's format (a comment at the left edge, then what it is about, until a blank line or the next
comment), and what does not is shown as it stands."""
import re

RULER = re.compile(r"/\* -{20,} (.+?) \*/$")
# Macros that only work behind gpudl_launch().
HIDDEN = re.compile(r"(GPUDL_(ARGS_\d+|LAUNCH_(COUNT|COUNTED|PICK|LIST)|ARG_MAKER|STATUS_ENUM|DRIVER_MEMBER)|gpudl_arg_(bytes|same))\b")


class Group:
    """A comment and the declarations that it is about."""

    def __init__(self, text, code):
        self.text = text        # lines
        self.code = code        # declarations, each a string
        self.functions = [f for f in map(Function.of, code) if f]
        # what is called as a function is one to its caller
        self.functions += [Function("", m.group(1), [m.group(2)], True) for c in code for m in [re.match(r"#define (gpudl_\w+)\((.*?)\)", c)] if m]
        self.types = [m.group(1) for c in code for m in [re.search(r"(?s)^typedef .*?\b(\w+)(\[\d+\]|\([^)]*\))?;", last_line(c))] if m]
        self.types += [m.group(1) for c in code for m in [re.match(r"struct (\w+) \{", c)] if m]
        self.macros = [m.group(1) for c in code for m in [re.match(r"#define (\w+)", c)] if m and not HIDDEN.match(m.group(1))]

    @property
    def names(self):
        names = [f.name for f in self.functions] or self.types or self.macros
        return list(dict.fromkeys(names))


def last_line(code):
    """typedef struct x { ... } x; is named by its end."""
    if code.startswith("typedef") and "{" in code:
        return "typedef " + code[code.rindex("}") + 1:]
    return code


class Function:
    def __init__(self, result, name, params, inline):
        self.result, self.name, self.params, self.inline = result, name, params, inline

    @staticmethod
    def of(code):
        m = re.match(r"(?s)(GPUDL_API|static inline|inline) (.*?\W)(gpudl_\w+)\((.*)\)", code.split("\n{")[0].split(" {")[0])
        if not m:
            return None
        params = [" ".join(p.split()) for p in split_params(m.group(4))]
        return Function(m.group(2).strip(), m.group(3), params, m.group(1) != "GPUDL_API")

    def prototype(self):
        star = "" if self.result.endswith("*") else " "
        return f"{self.result}{star}{self.name}({', '.join(self.params)});"


def split_params(text):
    """At commas outside parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def comment_text(lines):
    """What is written in a comment, without its stars, each line with its indentation."""
    out = []
    for i, line in enumerate(lines):
        line = re.sub(r"\s*\*/$", "", line.rstrip())
        out.append(re.sub(r"^/\*\*? ?", "", line) if i == 0 else re.sub(r"^ \* ?", "", line))
    while out and not out[0]:
        out.pop(0)
    while out and not out[-1]:
        out.pop()
    return out


def without_conditionals(lines):
    """C as C sees it: what is for C++ alone goes, and include guards."""
    out, stack = [], []
    for line in lines:
        word = line.split(None, 1)[0] if line.startswith("#") else ""
        if word in ("#if", "#ifdef", "#ifndef"):
            stack.append(not ("__cplusplus" in line and word == "#ifdef"))
        elif word in ("#else", "#elif"):
            stack[-1] = not stack[-1]
        elif word == "#endif":
            stack.pop()
        elif re.match(r"#define (GPUDL_\w+_H|GPUDL_API\b.*)$", line) or word in ("#include", "#undef"):
            out.append("")
        elif all(stack):
            out.append(line)
    return out


def statement_end(lines, i):
    """The line behind the declaration that begins at lines[i]."""
    if lines[i].startswith("#"):
        while lines[i].endswith("\\"):
            i += 1
        return i + 1
    depth = 0
    while i < len(lines):
        bare = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', "", lines[i])
        bare = re.sub(r"/\*.*", "", bare)
        depth += bare.count("{") - bare.count("}")
        i += 1
        if depth == 0 and bare.rstrip().endswith((";", "}")):
            break
    return i


def shown(code):
    """A declaration as the manual has it: no bodies."""
    if code.startswith("#define") and (HIDDEN.match(code[8:])):
        return None
    m = re.match(r"#define \w+\([^)]*\)", code)
    if m:
        tail = code.split("\n")[0][m.end():]
        comment = re.search(r"/\*.*\*/\s*$", tail)
        return m.group(0) + ("  " + comment.group(0) if comment else "")
    function = Function.of(code)
    if function and function.inline:
        return "static inline " + function.prototype()
    if code.startswith("GPUDL_API "):
        return code[len("GPUDL_API "):].replace("\n" + " " * len("GPUDL_API "), "\n")
    return code


def read(path):
    """[(section, [Group])] of a header, and its first comment's lines. The first section is None."""
    with open(path, encoding="utf-8") as f:
        lines = without_conditionals([line.rstrip("\n") for line in f])
    top, sections, text, code = [], [(None, [])], [], []

    def finish():
        nonlocal text, code
        if text or any(not is_inner(c) for c in code):
            sections[-1][1].append(Group(text, code))
        text, code = [], []

    i = 0
    while i < len(lines):
        line = lines[i]
        if RULER.match(line):
            finish()
            sections.append((RULER.match(line).group(1), []))
            i += 1
        elif line.startswith("/*"):
            finish()
            end = i
            while "*/" not in lines[end]:
                end += 1
            text = comment_text(lines[i:end + 1])
            if not top:
                top, text = text, []
            i = end + 1
        elif not line.strip():
            if code or (text and i and lines[i - 1].strip() == ""):
                finish()
            i += 1
        elif line.startswith("GPUDL_ARG_MAKER"):
            i += 1
        else:
            end = statement_end(lines, i)
            code.append("\n".join(lines[i:end]))
            i = end
    finish()
    return top, sections


def is_inner(code):
    """Nobody reads it where no comment says what it is."""
    if HIDDEN.search(code.split("\n")[0]):
        return True
    if re.match(r"#define \w+", code) and "/*" in code and not HIDDEN.match(code[8:]):
        return False
    return code.startswith("#") and not re.match(r"#define GPUDL_\w+_INIT\b", code)


def blocks(lines):
    """A comment's text as [(kind, content)]: text, item (a line of a list), param (name, text), code (lines)."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        indent = len(line) - len(line.lstrip())
        m = re.match(r"(@\w+(?:, @\w+)*):\s+(.*)", line)
        if not line.strip():
            i += 1
        elif indent >= 4:
            end = i
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith("    ")):
                end += 1
            chunk = [l[4:] for l in lines[i:end]]
            while not chunk[-1].strip():
                chunk.pop()
            out.append(("code", chunk))
            i = end
        elif m or line.startswith("  - "):
            words = [m.group(2) if m else line[4:]]
            i += 1
            while i < len(lines) and lines[i].startswith("   ") and not lines[i].startswith("  - "):
                words.append(lines[i].strip())
                i += 1
            text = " ".join(words)
            out.append(("param", (m.group(1).replace("@", ""), text)) if m else ("item", text))
        else:
            words = []
            while i < len(lines) and lines[i].strip() and not lines[i].startswith(("  - ", "    ", "@")):
                words.append(lines[i].strip())
                i += 1
            out.append(("text", " ".join(words)))
    return out
