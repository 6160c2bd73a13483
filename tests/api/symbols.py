#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libwarpnic exports what the list says, no more and no less: symbols.py LIST LIBRARY

LIST has one name a line, C++ ones with their namespace and without arguments. A name leaves or
enters the list by hand: it is the interface that programs are linked to.

First it looks at the library with a name added to and one taken from the list, and expects both to
be found."""

import os
import subprocess
import sys


def exported(library):
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    mangled = []
    for line in table.splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the name of a version
            mangled.append(name.split("@")[0])
    plain = subprocess.run(["c++filt", "-p"], check=True, text=True, stdout=subprocess.PIPE,
                           input="\n".join(mangled)).stdout
    return set(plain.split("\n")) - {""}


def compare(wanted, found):
    return ([f"in the list, and not exported: {name}" for name in sorted(wanted - found)] +
            [f"exported, and not in the list: {name}" for name in sorted(found - wanted)])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        wanted = {line.strip() for line in file if line.strip() and line[0] != "#"}
    if not os.path.exists(sys.argv[2]):
        sys.exit(f"{sys.argv[2]} was not built")
    found = exported(sys.argv[2])
    if not found:
        sys.exit(f"{sys.argv[2]} exports nothing")

    one = sorted(found)[0]
    if compare(found | {"doca_planted"}, found) != ["in the list, and not exported: doca_planted"]:
        sys.exit("self-test: a missing symbol was not noticed")
    if compare(found - {one}, found) != [f"exported, and not in the list: {one}"]:
        sys.exit("self-test: a surplus symbol was not noticed")

    problems = compare(wanted, found)
    print("\n".join(problems))
    print(f"{len(found)} exported symbols, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
