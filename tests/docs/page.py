"""A page of Markdown as its fenced blocks, and the links in it.

What follows the language in a fence's first line says what is done with the block:
  fragment    C or C++ that is a part of a function: compiled within one, where the variables of fragment.h are known.
              C without a main() is taken for one
  file=NAME   the block is written to NAME, where later commands of the page find it; compiling it is theirs, too
  no-run      shell: only the syntax is checked, as for what changes the machine or asks the network
  gpu         the same, as it wants an NVIDIA GPU or NVIDIA's compilers
  fails       shell: commands may end with another status than 0
A comment `<!-- sh`, to a line `-->`, is run as well, and nobody sees it: what a page takes for granted.
Other languages, and blocks without one, are for the eye, unless they have a file=."""
import os
import re


class Block:
    def __init__(self, line, info, lines):
        words = info.split()
        self.line = line                            # of its first line, from 1
        self.language = words[0] if words else ""
        self.words = {w for w in words[1:] if "=" not in w}
        self.file = next((w[5:] for w in words if w.startswith("file=")), None)
        self.lines = lines
        unknown = self.words - {"fragment", "no-run", "gpu", "fails"}
        if unknown and self.language in ("c", "cpp", "cuda", "sh", "console"):
            raise SystemExit(f"line {line - 1}: nobody knows what '{' '.join(unknown)}' means")

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def runs(self):
        return not self.words & {"no-run", "gpu"}


def read_blocks(path):
    blocks, start, info, lines = [], 0, "", []
    fence, blank = None, False
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            m = re.match(r"( *)(```+)(.*)$", line)
            if fence is None and (m or line == "<!-- sh"):
                indent, fence, info = (len(m.group(1)), m.group(2), m.group(3).strip()) if m else (0, "-->", "sh")
                start, lines = number + 1, []
            elif fence is not None and line.strip() == fence:
                blocks.append(Block(start, info, lines))
                fence = None
            elif fence is not None:
                lines.append(line[indent:] if not line[:indent].strip() else line)
            elif re.match(r"    \S", line) and blank:
                raise SystemExit(f"{path}: line {number}: code that is indented is not tried: fence it")
            blank = not line.strip()
    if fence is not None:
        raise SystemExit(f"line {start - 1}: the block does not end")
    return blocks


class Command:
    """What is typed, and what is to be seen then; None: whatever."""

    def __init__(self, line, text, expected):
        self.line, self.text, self.expected = line, text, expected


def commands(block):
    """Lines that begin with `$ ` are typed, and those below them seen; a block without any is typed as a whole."""
    if not any(l.startswith("$ ") for l in block.lines):
        return [Command(block.line, block.text, None)]
    found, more = [], False
    for i, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append(Command(block.line + i, line[2:], None))
        elif more:
            found[-1].text += "\n" + line
        elif found:
            found[-1].expected = (found[-1].expected or []) + [line]
        more = (line.startswith("$ ") or more) and line.endswith("\\")
    return found


def matches(expected, seen):
    """`...` stands for anything within a line, and alone in one for any lines."""
    if not expected:
        return not seen
    if expected[0].strip() == "...":
        return any(matches(expected[1:], seen[i:]) for i in range(len(seen) + 1))
    if not seen:
        return False
    pattern = ".*".join(re.escape(part) for part in re.split(r"\.\.\.", expected[0].rstrip()))
    return re.fullmatch(pattern, seen[0].rstrip()) is not None and matches(expected[1:], seen[1:])


def anchor(title):
    """What GitHub makes of a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", title.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"(?ms)^```.*?^```", "", f.read())
    return {anchor(m) for m in re.findall(r"(?m)^#+ (.*)$", text)} | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def broken_links(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", f.read())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, place = target.partition("#")
        file = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(file):
            yield f"the link to {target} leads nowhere"
        elif place and file.endswith(".md") and place not in anchors(file):
            yield f"{file} has no heading for the link to {target}"
