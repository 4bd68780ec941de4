#!/usr/bin/env python3
"""trace.py PROGRAM SCENARIO TIMES: runs the program with a trace, and holds its file and its tables against Chrome's trace event format
and against what the scenario does. TIMES, where device times are to come from: softcuda, events, none, or "auto". Needs nothing but Python."""
import json
import os
import re
import subprocess
import sys
import tempfile

HOST = 1


def check(good, what, event=None):
    if not good:
        sys.exit(f"trace.py: {what}" + (f": {event}" if event else ""))


def check_event(e):
    check(isinstance(e, dict) and e.get("ph") in {"M", "X", "s", "f"}, "an event of no known kind", e)
    for key, kind in (("name", str), ("pid", int), ("tid", int)):
        check(isinstance(e.get(key), kind), "no " + key, e)
    check(0 <= e["tid"] < 2**32, "Perfetto holds a thread in 32 bits", e)
    if e["ph"] == "M":
        check(isinstance(e.get("args"), dict), "metadata without args", e)
        return
    check(isinstance(e.get("ts"), (int, float)) and e["ts"] >= 0 and isinstance(e.get("cat"), str), "no time or category", e)
    if e["ph"] == "X":
        check(isinstance(e.get("dur"), (int, float)) and e["dur"] >= 0, "no duration", e)
        check(isinstance(e.get("args"), dict), "no args", e)
    else:
        check(isinstance(e.get("id"), int) and (e["ph"] == "s" or e.get("bp") == "e"), "an arrow without an end", e)


def ns(microseconds):
    return round(microseconds * 1000)


def check_tracks(events):
    """On a host thread slices nest; on a stream they do not overlap. Every track has a name."""
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    tracks = {}
    for e in events:
        if e["ph"] == "X":
            tracks.setdefault((e["pid"], e["tid"]), []).append((ns(e["ts"]), -ns(e["dur"]), e))
    for track, slices in tracks.items():
        check(track in named and track[0] in processes, f"track {track} has no name")
        stack = []
        for begin, minus, e in sorted(slices, key=lambda s: s[:2]):
            while stack and stack[-1] <= begin:
                stack.pop()
            check(not stack or (track[0] == HOST and begin - minus <= stack[-1]), "overlaps what is before it", e)
            if minus:
                stack.append(begin - minus)


def check_arrows(events):
    """Each kernel with an arrow has the launch it came from, which began before it ended."""
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = [e for e in events if e["ph"] == "f"]
    check(len({e["id"] for e in ends}) == len(ends), "two kernels of one launch")
    for e in ends:
        check(e["id"] in starts, "a kernel of no launch", e)
    at = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
    for e in list(starts.values()) + ends:
        check((e["pid"], e["tid"], e["ts"]) in at, "an arrow that touches nothing", e)
    return len(ends)


def slices(events, category):
    return [e for e in events if e["ph"] == "X" and e["cat"] == category]


def check_rates(events):
    for e in slices(events, "copy") + slices(events, "fill"):
        check(e["args"].get("bytes", 0) > 0, "no bytes", e)
        if e["dur"]:
            check(abs(e["args"]["GB/s"] - e["args"]["bytes"] / ns(e["dur"])) < 0.001, "a wrong rate", e)
    for e in slices(events, "kernel") + slices(events, "launch"):
        check(len(e["args"].get("grid", [])) == 3 and len(e["args"].get("block", [])) == 3, "no shape", e)


UNITS = {"us": 1, "ms": 1e3, "s": 1e6}


def check_tables(text, events):
    """The summary has what the file has: calls and times by name."""
    device = re.split(r"\n *time % .* on the device\n", text)
    check(text.count("gpudl: what ran") == 1, f"not one pair of tables:\n{text}")
    sums = {}
    for e in slices(events, "kernel") + slices(events, "copy") + slices(events, "fill"):
        calls, time = sums.get(e["name"], (0, 0.0))
        sums[e["name"]] = (calls + 1, time + e["dur"])
    if not sums:
        return
    check(len(device) == 2, f"no summary of the device:\n{text}")
    rows, summary = device[0], device[1].split("\n\n")[0]
    found, percent = {}, 0.0
    for line in summary.splitlines():
        m = re.match(r" *([\d.]+) +([\d.]+) (us|ms|s) +(\d+) .*(?:B|-) +(?:[\d.]+ [KMGT]?B/s|-)  (.*)$", line)
        check(m, f"a row of no known form: {line}")
        percent += float(m[1])
        found[m[5]] = (int(m[4]), float(m[2]) * UNITS[m[3]])
    check(found.keys() == sums.keys(), f"the summary has {sorted(found)}, the file {sorted(sums)}")
    for name, (calls, time) in sums.items():
        check(found[name][0] == calls and abs(found[name][1] - time) <= 0.001 * time + 0.001, f"{name}: {found[name]}, not {calls}, {time}")
    check(abs(percent - 100) < 0.1 or not sum(t for _, t in sums.values()), f"{percent} %")
    shown = sum(1 for line in rows.splitlines() if re.match(r" +[\d.]+ (us|ms|s) ", line))
    more = re.search(r"^(\d+) more are in the file only", rows, re.M)
    check(shown + (int(more[1]) if more else 0) == sum(c for c, _ in sums.values()), "the first table has not everything")


def count(events, category, name=None):
    return sum(1 for e in slices(events, category) if name is None or e["name"] == name)


def check_simple(events, times):
    launches = slices(events, "launch")
    check(len(launches) == 3 and not any(e["args"].get("failed") for e in launches), f"{launches}")
    check(launches[0]["args"]["of"] == 'work "\ufffd.ptx', "the source's name, made UTF-8")
    check(count(events, "host", "load") == 2, "two contents are loaded")
    check(count(events, "host", "found, shared") == 1, "one is found")
    check(count(events, "host", "make resident") >= 1 and count(events, "host", "replace") == 1, "residency, replace")
    check(count(events, "host", "unload") == 2, "both go")
    if times == "none":
        check(not count(events, "kernel") and not count(events, "copy"), "no times, no device")
        return
    check(count(events, "kernel", "work") == 3, f"{count(events, 'kernel')} kernels")
    # The driver may have copied and filled for itself, which CUPTI tells.
    for name in ("copy HtoD", "copy DtoH"):
        check(4 * 4096 in [e["args"]["bytes"] for e in slices(events, "copy") if e["name"] == name], name)
    check(2 * 4096 in [e["args"]["bytes"] for e in slices(events, "fill")], "the fill")


def check_capture(events, times):
    check(count(events, "launch") == 205, f"{count(events, 'launch')} launches")
    kernels = count(events, "kernel")
    if times == "events":
        check(kernels == 201, f"{kernels} kernels: those captured have no time of their own")
    else:
        check(kernels == 201 + 12, f"{kernels} kernels: the graph's are there as well")


def check_exit(events, times):
    check(count(events, "launch") >= 20, f"{count(events, 'launch')} launches")


SCENARIOS = {
    "simple": check_simple,
    "fork": lambda events, times: check(count(events, "kernel") == 20 == count(events, "launch"), "20 of each"),
    "threads": lambda events, times: check(count(events, "kernel") == 800 == count(events, "launch"), "800 of each"),
    "many": lambda events, times: check(count(events, "kernel") == 12000 == count(events, "launch"), "12000 of each"),
    "exit": check_exit,
    "capture": check_capture,
}


def run(program, scenario, file, **more):
    environment = dict(os.environ, GPUDL_TRACE=file, GPUDL_QUIET="1", **more)
    return subprocess.run([program, scenario], env=environment, stderr=subprocess.PIPE, timeout=300)


def main(program, scenario, times):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace.json")
        done = run(program, scenario, file, **({} if times == "auto" else {"GPUDL_TRACE_TIMES": times}))
        errors = done.stderr.decode(errors="replace")  # the name of a source may be any bytes
        check(done.returncode == 0, f"the program failed:\n{errors}")
        check(os.listdir(folder) == ["trace.json"], f"{os.listdir(folder)}")
        with open(file, encoding="utf-8") as f:
            events = json.load(f)
    check(isinstance(events, list), "no array")
    for e in events:
        check_event(e)
    check_tracks(events)
    arrows = check_arrows(events)
    check_rates(events)
    check_tables(errors, events)
    SCENARIOS[scenario](events, times)
    print(f"{len(events)} events, {count(events, 'kernel')} kernels, {arrows} arrows")


main(*sys.argv[1:])
