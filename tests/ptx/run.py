#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles orders.cu to PTX and holds it against the CHECK lines with FileCheck; then does the same
with each publish weakened, and in each kernel with each scope narrowed and each fence taken out,
which must be found. Exit status 77: skipped."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCE = os.path.join(HERE, "orders.cu")
ARCHITECTURES = ("sm_75", "sm_80", "sm_90")


def find_tools():
    cuda = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(cuda, "bin"))
    check = shutil.which("FileCheck-19") or shutil.which("FileCheck")
    for name, path in (("nvcc", nvcc), ("FileCheck (package llvm-19-tools)", check)):
        if not path:
            print(f"skipped: {name} is not on this machine")
            sys.exit(77)
    return nvcc, check


def compile_ptx(nvcc, folder, architecture, defines=()):
    out = os.path.join(folder, "orders.ptx")
    subprocess.run([nvcc, "-std=c++17", f"-arch={architecture}", "-ptx", "-Werror", "all-warnings",
                    f"-I{ROOT}/include", f"-I{ROOT}/src", *defines, SOURCE, "-o", out], check=True)
    with open(out, encoding="utf-8") as file:
        return file.read()


def holds(check, folder, ptx):
    path = os.path.join(folder, "checked.ptx")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ptx)
    done = subprocess.run([check, f"--input-file={path}", SOURCE], capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def split(ptx):
    """What is before the first kernel, and {name of a kernel: its text}."""
    parts = re.split(r"(?=^\.visible \.entry )", ptx, flags=re.M)
    return parts[0], {re.search(r"\.entry (\w+)", part)[1]: part for part in parts[1:]}


def checked_instructions():
    """{name of a kernel: the instructions with a scope that its CHECK lines name, in order}."""
    found = {}
    with open(SOURCE, encoding="utf-8") as file:
        for line in file:
            label = re.match(r"// CHECK-LABEL: \.entry (\w+)\(", line)
            if label:
                kernel = found.setdefault(label[1], [])
            elif re.match(r"// CHECK: (fence|ld|st|atom)\.\w+\.(sys|gpu)", line):
                kernel.append(line.split("CHECK:")[1].strip())
    return found


def damages(text, checks):
    """(what was done, kernel's text with one instruction damaged) for each instruction checked.
    One that the kernel also holds elsewhere, unchecked, is damaged everywhere at once."""
    for instruction in sorted(set(checks)):
        narrow = (instruction.replace(".gpu", ".cta") if ".gpu" in instruction
                  else instruction.replace(".sys", ".gpu"))
        kinds = [("narrowed", narrow)]
        if instruction.startswith("fence"):
            kinds.append(("taken out", ""))
        pieces = text.split(instruction)
        for kind, instead in kinds:
            if len(pieces) - 1 != checks.count(instruction):
                yield f"{instruction} {kind}", text.replace(instruction, instead)
                continue
            for i in range(1, len(pieces)):
                damaged = instruction.join(pieces[:i]) + instead + instruction.join(pieces[i:])
                yield f"{instruction} {kind}, number {i}", damaged


def main():
    nvcc, check = find_tools()
    with open(os.path.join(ROOT, "include/warpnic/port/order.h"), encoding="utf-8") as file:
        body = re.search(r"enum class Point \{(.*?)\};", file.read(), re.S).group(1)
    points = [point for point in re.findall(r"^\s*(k\w+),", body, re.M) if point != "kUser"]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            good, why = holds(check, folder, compile_ptx(nvcc, folder, architecture))
            print(f"{architecture}: {'as the rows say' if good else why}")
            failed |= not good
        head, kernels = split(compile_ptx(nvcc, folder, "sm_80"))
        checks = checked_instructions()
        if checks.keys() != kernels.keys():
            sys.exit(f"kernels without CHECK lines: {sorted(kernels.keys() ^ checks.keys())}")
        for name, text in kernels.items():
            for what, damaged in damages(text, checks[name]):
                everything = {**kernels, name: damaged}
                found = not holds(check, folder, head + "".join(everything.values()))[0]
                print(f"{name}: {what}: {'found' if found else 'NOT FOUND'}")
                failed |= not found
        for point in points:
            weak = compile_ptx(nvcc, folder, "sm_80", (f"-DWARPNIC_WEAKEN={point}",))
            found = not holds(check, folder, weak)[0]
            print(f"{point} weakened: {'found' if found else 'NOT FOUND'}")
            failed |= not found
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
