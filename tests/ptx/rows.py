#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds docs/ordering.md against the code: rows.py ROOT

Every Point of port/order.h (kUser is the users' own) has a row and is published or observed in
include/ or src/; every Point named in a row exists; every test named in a row is registered.

First it plants three errors and expects each to be found."""
import os
import re
import sys


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def sources(root):
    """The text of all that is not a test."""
    text = []
    for room in ("include", "src"):
        for folder, _, names in os.walk(os.path.join(root, room)):
            text += [read(folder, name) for name in names if name.endswith((".h", ".hpp", ".cc"))]
    return "".join(text)


def registered(root):
    """What the CMake files of the tests say, by kind of test."""
    texts = {}
    for kind in os.listdir(os.path.join(root, "tests")):
        folder = os.path.join(root, "tests", kind)
        if os.path.isdir(folder):
            texts[kind] = "".join(read(folder, name) for name in sorted(os.listdir(folder))
                                  if name == "CMakeLists.txt" or name.endswith(".cmake"))
    return texts


def is_registered(test, texts):
    kind, name = test.split(".", 1)
    text = texts.get(kind, "")
    if kind == "weaken":
        return re.search(rf"^ *weaken_test\(({re.escape(name)}|\$\{{point\}}) ", text, re.M) \
            and re.search(rf"\b{re.escape(name)}\b", re.sub(r"#.*", "", text))
    return re.search(rf"\bNAME {re.escape(kind)}\.{re.escape(name)}\b", text)


def problems(header, table, code, texts):
    body = re.search(r"enum class Point \{(.*?)\};", header, re.S)[1]
    points = set(re.findall(r"^\s*(k\w+),", body, re.M)) - {"kUser"}
    rows = [line.strip().strip("|").split("|") for line in table.splitlines()
            if line.startswith("| ") and not line.startswith("| word")]
    in_rows = {point for row in rows for point in re.findall(r"`(k\w+)`", row[0])}
    found = [f"{point} has no row" for point in sorted(points - in_rows)]
    found += [f"{point} has a row and does not exist" for point in sorted(in_rows - points)]
    for point in sorted(points):
        # The other side may be elsewhere: the kernel's, for AF_XDP's rings.
        if not re.search(rf"\b(publish|publish_add|observe\w*)<Point::{point}\b", code):
            found.append(f"{point} is used nowhere")
    for row in rows:
        if len(row) != 7:
            found.append(f"a row of {len(row)} columns: {row[0].strip()}")
            continue
        tests = re.findall(r"\b[a-z]+\.\w+\b", row[6])
        if not tests:
            found.append(f"no test: {row[0].strip()}")
        found += [f"no such test: {test}" for test in tests if not is_registered(test, texts)]
    return found


def main():
    root = sys.argv[1]
    header = read(root, "include/warpnic/port/order.h")
    table = read(root, "docs/ordering.md")
    code = sources(root)
    texts = registered(root)
    planted = {
        "kPlanted has no row": (header.replace("  kUser,", "  kPlanted,\n  kUser,"), table),
        "kPlanted has a row and does not exist": (header, table.replace("(`kQueueState`)",
                                                                        "(`kPlanted`)")),
        "no such test: weaken.kPlanted": (header, table.replace("weaken.kReceiveTurn",
                                                                "weaken.kPlanted")),
    }
    for what, (planted_header, planted_table) in planted.items():
        if what not in problems(planted_header, planted_table, code, texts):
            sys.exit(f"self-test: not found: {what}")
    found = problems(header, table, code, texts)
    print("\n".join(found) or "docs/ordering.md is as the code")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
