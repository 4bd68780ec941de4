#!/usr/bin/env python3
"""selftest.py: pages that are wrong are found to be, each in its way; and one that is right is not. Expects what run.py does."""
import os
import subprocess
import sys
import tempfile

FENCE = "```"
PAGES = {   # name: (text with ~ for a fence, what is said of it; None: nothing)
    "right": ("~sh\n$ echo a; \\\n  echo b\na\nb\n$ printf '1\\n2\\n3\\n'\n1\n...\n$ echo abc\na...c\n~\n<!-- sh\nx=7\n-->\n~sh\n((x == 7))\n~\n"
              "~c file=k.c\nint k = 1;\n~\n~sh\ngrep k k.c && cc -c k.c\n~\n~c fragment\ngpudl_kernel_release(saxpy);\n...\n~\n"
              "~c\n#include <gpudl/gpudl.h>\nint main(void) { return gpudl_error_text() == 0; }\n~\n~sh no-run\n$ reboot\n~\n"
              "~sh fails\nfalse\n~\n~\nwhatever\n~\n[here](#a-heading) [there](page.md)\n# A heading\n", None),
    "output": ("~sh\n$ echo a\nb\n~\n", "the page says"),
    "more output": ("~sh\n$ printf '1\\n2\\n'\n1\n~\n", "the page says"),
    "status": ("~sh\ntrue\nfalse\n~\n", "status 1"),
    "status in the middle": ("~sh\nfalse\ntrue\n~\n", "status 1"),
    "end of the shell": ("~sh\n$ exit 0\n$ echo a\na\n~\n", "did not end"),
    "fragment": ("~c fragment\ngpudl_kernel_release(library);\n~\n", "does not compile"),
    "program": ("~c\nint main(void) { return nothing(); }\n~\n", "does not compile"),
    "C++": ("~cpp\nauto x = ;\n~\n", "does not compile"),
    "syntax": ("~sh no-run\nif true; then\n~\n", "syntax error"),
    "word": ("~sh norun\ntrue\n~\n", "nobody knows"),
    "fence": ("~sh\ntrue\n", "does not end"),
    "indented": ("text\n\n    make\n", "fence it"),
    "link": ("[there](nowhere.md)\n", "leads nowhere"),
    "heading": ("[there](page.md#elsewhere)\n", "no heading"),
}


def main():
    wrong = 0
    here = os.path.dirname(os.path.abspath(__file__))
    for name, (text, said) in PAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as f:
                f.write(text.replace("~", FENCE))
            done = subprocess.run([sys.executable, "-B", os.path.join(here, "run.py"), page], capture_output=True, text=True)
        output = done.stdout + done.stderr
        if (done.returncode == 0) != (said is None) or (said and said not in output):
            print(f"{name}: status {done.returncode}, expected to hear '{said}':\n{output}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
