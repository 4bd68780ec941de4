#!/usr/bin/env python3
"""run.py PAGE [-v]: does what a page of the documents shows, in its order, in a folder of its own, on softcuda; see page.py for the words.
-v shows what commands print.

Expects the source tree in $SOURCE, the build tree in $BUILD and C compilers in $CC and $CXX. The folder looks like the source tree with build/ in
it, and programs there find gpudl as if it were installed."""
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

from page import broken_links, commands, matches, read_blocks

SOURCE, BUILD = os.environ["SOURCE"], os.environ["BUILD"]
HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 300
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-missing-field-initializers"]


def environment(folder):
    env = dict(os.environ)
    for name in [n for n in env if n.startswith(("GPUDL_", "SOFTCUDA_")) and n != "GPUDL_CACHE_DIR"]:
        del env[name]
    env.setdefault("GPUDL_CACHE_DIR", os.path.join(folder, ".cache"))
    env.update(GPUDL_DRIVER="softcuda", GPUDL_QUIET="1", GPUDL_COMPILER="clang", HOME=folder, LC_ALL="C.UTF-8",
               PATH=f"{BUILD}/bin:{env['PATH']}", CPATH=f"{SOURCE}/include", LIBRARY_PATH=f"{BUILD}/lib", LD_LIBRARY_PATH=f"{BUILD}/lib")
    return env


def make_folder(folder):
    for name in os.listdir(SOURCE):
        if not name.startswith((".", "build")):
            os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
    os.symlink(BUILD, os.path.join(folder, "build"))


# ---------------------------------------------------------------------------------------------------------------- C and C++

def wrapped(block):
    """A fragment in a function; ... is what is left out."""
    includes = [l for l in block.lines if l.startswith("#include")]
    body = ["" if l.startswith("#include") else re.sub(r"^(\s*)\.\.\.", r"\1", l) for l in block.lines]
    header = os.path.join(HERE, "fragment.h")
    return "\n".join(includes + [f'#include "{header}"', "int fragment(void);", "int fragment(void)", "{",
                                 f'#line {block.line} "{sys.argv[1]}"'] + body + ["return 0;", "}", ""])


def compile_block(block, folder):
    """Says what is wrong, or nothing."""
    program = re.search(r"\bmain\s*\(", block.text)
    fragment = "fragment" in block.words or not program
    text = wrapped(block) if fragment else f'#line {block.line} "{sys.argv[1]}"\n' + block.text
    compiler = [os.environ["CXX"], "-std=c++17", "-x", "c++"] if block.language == "cpp" else [os.environ["CC"], "-std=gnu17", "-x", "c"]
    made = ["-o", os.path.join(folder, ".program"), "-x", "none", "-lgpudl", "-lm", "-pthread"] if program and not fragment else []
    command = [*compiler, *WARNINGS, *([] if made else ["-fsyntax-only"]), "-", *made]
    done = subprocess.run(command, input=text, text=True, cwd=folder, env=environment(folder), capture_output=True)
    return f"line {block.line}: does not compile\n{done.stderr}" if done.returncode else ""


# -------------------------------------------------------------------------------------------------------------------- shell

def check_syntax(block):
    text = "\n".join(c.text for c in commands(block))
    done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True)
    return f"line {block.line}: {done.stderr}" if done.returncode else ""


def script_of(blocks, folder):
    """One shell for the page, so that cd, variables and programs in the background stay; and the commands, as they are numbered."""
    lines, all_commands = [], []
    for block in blocks:
        if block.file:
            # not through a link into the source tree
            lines += [f"rm -f {shlex.quote(block.file)}; printf %s {shlex.quote(block.text)} >{shlex.quote(block.file)}"]
        if block.language not in ("sh", "console") or not block.runs:
            continue
        for command in commands(block):
            n = len(all_commands)
            all_commands.append((command, block))
            lines += [f"_n={n}", "set +e" if "fails" in block.words else "set -e",
                      f"eval {shlex.quote(command.text)} >{folder}/.out{n} 2>&1 </dev/null", f"echo $? >{folder}/.status{n}"]
    # a command that fails ends the shell, and its status is told on the way out
    return "\n".join(["set -o pipefail", f"trap 'echo $? >{folder}/.status$_n' EXIT"] + lines) + "\n", all_commands


def read_text(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def judge(n, command, block, folder):
    """(what is wrong, or nothing; whether later commands ran)"""
    status, out = read_text(f"{folder}/.status{n}"), read_text(f"{folder}/.out{n}") or ""
    if "-v" in sys.argv[2:]:
        print(f"$ {command.text.strip()}\n{out}", end="")
    where = f"line {command.line}: $ {command.text.strip()}\n"
    if status is None:
        return f"{where}it did not end, or was never begun\n{out}", False
    if int(status) and "fails" not in block.words:
        return f"{where}status {status}{out}", False
    if command.expected is not None and not matches(command.expected, out.rstrip("\n").split("\n")):
        return f"{where}--- the page says\n" + "\n".join(command.expected) + f"\n--- it prints\n{out}", True
    return "", True


def end_session(shell):
    """With all that the page left in the background."""
    try:
        os.killpg(shell.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    shell.wait()


def run_shell(blocks, folder):
    script, all_commands = script_of(blocks, folder)
    shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder, env=environment(folder),
                             start_new_session=True)
    try:
        shell.communicate(script, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        yield f"the page took more than {SECONDS} seconds"
    finally:
        end_session(shell)
    for n, (command, block) in enumerate(all_commands):
        wrong, went_on = judge(n, command, block, folder)
        if wrong:
            yield wrong
        if not went_on:
            return


def main():
    page = sys.argv[1]
    blocks = read_blocks(page)
    wrong = list(broken_links(page))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        make_folder(folder)
        for block in blocks:
            if block.language in ("c", "cpp") and not block.file:
                wrong.append(compile_block(block, folder))
            elif block.language in ("sh", "console") and not block.runs:
                wrong.append(check_syntax(block))
        wrong += run_shell(blocks, folder)
    wrong = [w for w in wrong if w]
    for text in wrong:
        print(f"{page}: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
