"""Prints who blocked a thread of Swift's pool, from the report that blocking.c wrote. Exits with 1 if it names a call.

usage: report.py REPORT
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path


def places(text):
    """The calls of the report: the line of the call, and its stack of (file, offset, symbol)."""
    for line in text.splitlines():
        if line.startswith("\t"):
            stack.append(line[1:].split("\t"))
        else:
            stack = []
            yield line, stack


def names(stacks):
    """The function and the line of each offset in the program of the tests."""
    offsets = defaultdict(set)
    for stack in stacks:
        for file, offset, _ in stack:
            if file.endswith(".xctest"):
                # The return address belongs to the instruction after the call.
                offsets[file].add(int(offset, 16) - 1)
    found = {}
    for file, wanted in offsets.items():
        wanted = sorted(wanted)
        run = subprocess.run(
            ["llvm-symbolizer", f"--obj={file}", "--no-inlines", "--demangle", "--output-style=GNU", "-f"],
            input="".join(f"{offset:#x}\n" for offset in wanted), capture_output=True, text=True, check=True)
        lines = run.stdout.splitlines()
        demangled = subprocess.run(
            ["swift", "demangle", "--simplified"], input="\n".join(lines[0::2]), capture_output=True, text=True, check=True)
        for offset, name, place in zip(wanted, demangled.stdout.splitlines(), lines[1::2]):
            found[file, offset + 1] = f"{name[:120]} at {place}"
    return found


def main():
    report = Path(sys.argv[1])
    calls = list(places(report.read_text())) if report.exists() else []
    known = names([stack for _, stack in calls])
    for call, stack in calls:
        print(f"blocking: {call}")
        for file, offset, _ in stack:
            if (file, int(offset, 16)) in known:
                print("    " + known[file, int(offset, 16)].replace(str(Path.cwd()) + "/", ""))
    print(f"blocking: {len(calls)} places block a thread of Swift's pool")
    sys.exit(1 if calls else 0)


main()
