#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every code that a host function promises is provoked: promises.py INCLUDE TESTS [ERRORS_MD]

A contract promises the codes that its @return lines name. A test says what it provokes in comments:

  // covers: doca_ctx_stop SUCCESS IN_USE, doca_ctx_start FULL

A promise that no test covers is an error, and so is a comment that names a function or a code that
is not promised. With ERRORS_MD, docs/errors.md, each code of doca_error.h must have a row there.

First it plants both kinds of error and expects them to be found."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "api"))
import contracts  # noqa: E402

CODE = re.compile(r"\bDOCA_(?:ERROR_)?([A-Z_]+)\b")
# What is returned may also be a text that names a code as its example.
RETURN = re.compile(r"@return(?=\s+DOCA_)(.*?)(?=@\w|\n[ *\t/]*\n|\*/|\Z)", re.S)
COVERS = re.compile(r"(?://|\*)\s*covers:(.*)")


def promises_of(path, text):
    """Function: the codes its contract promises. Comments count as in contracts.py."""
    promised = {}
    closed = -1
    before = ""
    for name, _, is_void, own, group, group_end, _ in contracts.functions(path, text):
        if own != group and "@return" in own:
            closed = group_end
        comment = own if not group or closed == group_end else own + group
        if contracts.SAME.match(comment):
            comment += before
        before = comment
        returns = " ".join(match[1] for match in RETURN.finditer(comment))
        promised[name] = set() if is_void else set(CODE.findall(returns))
    return promised


def all_promises(include):
    promised = {}
    for path in sorted(contracts.public_files(include)):
        if path.endswith(".cuh"):
            continue
        with open(os.path.join(include, path), encoding="utf-8") as file:
            promised.update(promises_of(path, file.read()))
    return promised


def covered_in(text):
    """(function, code) pairs that the text's comments name; code "" if they name the function only."""
    pairs = set()
    for match in COVERS.finditer(text):
        for part in match[1].split(","):
            words = part.split()
            pairs |= {(words[0], code) for code in words[1:] or [""]}
    return pairs


def all_covered(tests):
    pairs = set()
    for folder, _, files in os.walk(tests):
        for name in files:
            if name.endswith((".cc", ".c", ".cu")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    pairs |= covered_in(file.read())
    return pairs


def compare(promised, covered):
    problems = []
    for name, codes in sorted(promised.items()):
        problems += [f"{name} promises {code}, which no test covers"
                     for code in sorted(codes) if (name, code) not in covered]
    for name, code in sorted(covered):
        if name not in promised:
            problems.append(f"a test covers {name}, which is no function of the host headers")
        elif code and code not in promised[name]:
            problems.append(f"a test covers {name} {code}, which its contract does not promise")
    return problems


def undocumented(include, errors_md):
    with open(os.path.join(include, "doca_error.h"), encoding="utf-8") as file:
        codes = re.findall(r"^\s*(DOCA_ERROR_\w+) = \d+", file.read(), re.M)
    with open(errors_md, encoding="utf-8") as file:
        rows = re.findall(r"^\| `(\w+)`", file.read(), re.M)
    names = [code.removeprefix("DOCA_ERROR_") for code in codes]
    return ([f"{errors_md} has no row for {name}" for name in names if name not in rows] +
            [f"{errors_md} has a row for {row}, which does not exist"
             for row in rows if row not in names])


def self_test():
    header = ("/** @thread any\n * @return DOCA_SUCCESS\n * @return DOCA_ERROR_FULL: no room,\n"
              " *         or DOCA_ERROR_EMPTY\n */\ndoca_error_t doca_a(void);\n"
              "/** The same for b. */\ndoca_error_t doca_b(void);\n")
    promised = promises_of("doca_planted.h", header)
    both = {"SUCCESS", "FULL", "EMPTY"}
    if promised != {"doca_a": both, "doca_b": both}:
        sys.exit(f"self-test: read {promised}")
    text = "// covers: doca_a SUCCESS FULL EMPTY, doca_b SUCCESS FULL\n"
    if compare(promised, covered_in(text)) != ["doca_b promises EMPTY, which no test covers"]:
        sys.exit("self-test: a promise that no test covers was not found")
    text += "// covers: doca_b EMPTY\n"
    if compare(promised, covered_in(text)):
        sys.exit("self-test: refused, though all is covered")
    for wrong in ("doca_c SUCCESS", "doca_a IN_USE"):
        if len(compare(promised, covered_in(text + f"// covers: {wrong}\n"))) != 1:
            sys.exit(f"self-test: '{wrong}' was not found")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    self_test()
    promised = all_promises(sys.argv[1])
    problems = compare(promised, all_covered(sys.argv[2]))
    if len(sys.argv) == 4:
        problems += undocumented(sys.argv[1], sys.argv[3])
    print("\n".join(problems))
    print(f"{sum(map(len, promised.values()))} promises of {len(promised)} functions, "
          f"{len(problems)} problems")
    sys.exit(1 if problems or not promised else 0)


if __name__ == "__main__":
    main()
