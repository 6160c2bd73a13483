#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles orders.cu to PTX and holds it against the CHECK lines with FileCheck; then does the same
with each publish weakened and each scope narrowed, which must be found. Exit status 77: skipped."""
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
        ptx = compile_ptx(nvcc, folder, "sm_80")
        for wide, narrow in ((".sys", ".gpu"), (".gpu", ".cta")):
            for instruction in ("fence.acq_rel", "fence.sc", "ld.acquire", "st.relaxed"):
                if instruction + wide not in ptx:
                    continue
                found = not holds(check, folder, ptx.replace(instruction + wide,
                                                             instruction + narrow))[0]
                print(f"{instruction}{wide} narrowed to {narrow}: "
                      f"{'found' if found else 'NOT FOUND'}")
                failed |= not found
        for point in points:
            weak = compile_ptx(nvcc, folder, "sm_80", (f"-DWARPNIC_WEAKEN={point}",))
            found = not holds(check, folder, weak)[0]
            print(f"{point} weakened: {'found' if found else 'NOT FOUND'}")
            failed |= not found
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
