#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every public header alone, twice in one file, with warnings as errors.

    headers.py c|cxx|nvcc|simtcc --include DIR [--compiler PATH]

  c       doca_*.h as C11
  cxx     doca_*.h and *.hpp as C++17 and C++20; port, format and device headers as C++17
  nvcc    everything as CUDA C++17 for sm_75; skipped (exit 77) where nvcc is not installed
  simtcc  everything as CUDA C++17 and C++20 by the compiler of the CPU executor

First it plants faulty headers in a copy and expects each to be refused, by name."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors"]

# Name of a faulty header, and its text. Each fails for a reason that only compiling alone shows.
PLANTED = {
    "c": {
        "doca_planted_missing_include.h": "uint32_t doca_planted(void);\n",
        "doca_planted_not_c.h": "enum class doca_planted { A };\n",
        "doca_planted_no_guard.h": "struct doca_planted { int a; };\n",
        "doca_planted_warning.h": "static int doca_planted(int unused) { return 0; }\n",
    },
    "cxx": {
        "doca_planted_missing_include.h": "uint32_t doca_planted(void);\n",
        "doca_planted_not_cxx.h": "#pragma once\nvoid doca_planted(int class);\n",
        "warpnic/planted.hpp": "#pragma once\nstd::string planted();\n",
        "warpnic/format/planted.h": "#pragma once\nconsteval int planted() { return 1; }\n",
    },
    "nvcc": {
        "doca_planted.cuh": "#pragma once\n__device__ int planted() { return missing; }\n",
        "warpnic/device/planted.h": "#pragma once\nstatic_assert(sizeof(void*) == 4, \"\");\n",
    },
}
PLANTED["simtcc"] = PLANTED["nvcc"]


def public_headers(include):
    """Headers that a user may include, as paths below `include`."""
    found = []
    for folder, _, files in os.walk(include):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), include)
            # The CPU executor's stand-ins for CUDA's headers have tests of their own; port/cpu and
            # port/cuda are halves that only their parent in port/ includes.
            if path.startswith(("warpnic/cpu_executor/", "warpnic/port/cpu/",
                                "warpnic/port/cuda/")):
                continue
            found.append(path)
    return sorted(found)


def is_doca(path):
    return "/" not in path and path.endswith(".h")


def jobs_of(kind, headers):
    """(header, standard) for each compilation."""
    jobs = []
    for path in headers:
        if kind == "c" and is_doca(path):
            jobs.append((path, "c11"))
        elif kind == "cxx" and not path.endswith(".cuh"):
            jobs.append((path, "c++17"))
            if is_doca(path) or path.endswith(".hpp"):
                jobs.append((path, "c++20"))
        elif kind == "nvcc":
            jobs.append((path, "c++17"))
        elif kind == "simtcc":
            jobs.append((path, "c++17"))
            if path.endswith((".cuh", ".hpp")) or is_doca(path):
                jobs.append((path, "c++20"))
    return jobs


def compile_alone(kind, compiler, include, path, standard, folder):
    """None, or what the compiler said."""
    stem = os.path.join(folder, path.replace("/", "__") + "." + standard.replace("+", "x"))
    source = stem + {"c": ".c", "cxx": ".cc", "nvcc": ".cu", "simtcc": ".cu"}[kind]
    with open(source, "w", encoding="utf-8") as file:
        file.write(f'#include "{path}"\n#include "{path}"\n')
    command = [compiler, f"-std={standard}", "-I", include]
    if kind in ("c", "cxx"):
        command += [*STRICT, "-fsyntax-only", source]
    elif kind == "nvcc":
        command += ["-arch=sm_75", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror",
                    "-c", source, "-o", stem + ".o"]
    else:
        command += ["-Wall", "-Wextra", "-Werror", "-c", source, "-o", stem + ".o"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return None if done.returncode == 0 else done.stdout


def check(kind, compiler, include, headers):
    """Failures as {(header, standard): message}."""
    jobs = jobs_of(kind, headers)
    failures = {}
    with tempfile.TemporaryDirectory(prefix="warpnic-headers-") as folder, \
            concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        running = {pool.submit(compile_alone, kind, compiler, include, *job, folder): job
                   for job in jobs}
        for future in concurrent.futures.as_completed(running):
            if future.result() is not None:
                failures[running[future]] = future.result()
    return jobs, failures


def self_test(kind, compiler, include):
    """Each planted header must be refused, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="warpnic-planted-") as folder:
        copy = os.path.join(folder, "include")
        shutil.copytree(include, copy)
        for path, text in PLANTED[kind].items():
            with open(os.path.join(copy, path), "w", encoding="utf-8") as file:
                file.write(text)
        _, failures = check(kind, compiler, copy, list(PLANTED[kind]))
    refused = {path for path, _ in failures}
    accepted = sorted(set(PLANTED[kind]) - refused)
    if accepted:
        sys.exit(f"self-test: {compiler} accepted faulty headers: {', '.join(accepted)}")


def find_compiler(kind, given):
    default = {"c": "cc", "cxx": "c++", "nvcc": "nvcc", "simtcc": "warpnic-simtcc"}[kind]
    name = given or (os.environ.get("WARPNIC_NVCC") if kind == "nvcc" else None) or default
    found = shutil.which(name)
    if not found and kind == "nvcc":
        found = shutil.which("/usr/local/cuda/bin/nvcc")
    if not found and kind == "nvcc":
        print("skipped: nvcc is not installed (WARPNIC_NVCC may name it)")
        sys.exit(77)
    if not found:
        sys.exit(f"no such compiler: {name}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["c", "cxx", "nvcc", "simtcc"])
    parser.add_argument("--include", required=True)
    parser.add_argument("--compiler", default="")
    arguments = parser.parse_args()
    kind = arguments.kind
    include = os.path.realpath(arguments.include)
    compiler = find_compiler(kind, arguments.compiler)

    self_test(kind, compiler, include)
    jobs, failures = check(kind, compiler, include, public_headers(include))
    for (path, standard), message in sorted(failures.items()):
        print(f"--- {path} alone as {standard}:\n{message}")
    if not jobs:
        sys.exit(f"no header found in {include}")
    print(f"{len(jobs)} compilations of headers alone, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
