#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom, and that only port/ knows the processor: layers.py ROOT

Rooms are folders; ROOMS below is the whole rule. Some headers are contracts between rooms rather
than part of one: gpu/gpu.h and nic/nic.h (with nic/drop.h), which say what an executor and a NIC
must do, and DOCA's own C headers, whose types and codes are used everywhere above format/.

First it plants violations in a copy and expects each to be found."""

import os
import re
import shutil
import sys
import tempfile

import source_text

# Room: the rooms it may include, beside itself. Longest path wins.
ROOMS = {
    "include/warpnic/port": (),
    "include/warpnic/format": ("port",),
    "include/warpnic/device": ("port", "format", "doca"),
    "include/warpnic/cpu_executor": (),
    "include/warpnic": ("doca",),          # *.hpp
    "include": ("doca", "device"),         # *.cuh; doca_*.h is the room "doca"
    "src/core": ("port", "format", "doca", "gpu.h", "nic.h"),
    "src/memory": ("core", "port", "format", "doca", "gpu.h", "nic.h"),
    "src/eth": ("core", "memory", "port", "format", "doca", "gpu.h", "nic.h"),
    "src/flow": ("core", "port", "format", "doca", "gpu.h", "nic.h"),
    "src/gpu": ("core", "port", "doca", "cpu_executor", "gpu.h"),
    "src/gpu/cpu": ("cpu_executor", "port"),
    "src/nic": ("core", "memory", "port", "format", "doca", "gpu.h", "nic.h", "virtual"),
    "src/nic/virtual": ("core", "memory", "port", "format", "doca", "gpu.h", "nic.h", "engine",
                        "link"),
    "src/nic/virtual/engine": ("core", "port", "format", "gpu.h", "nic.h"),
    "src/nic/virtual/link": ("core", "port", "format", "nic.h"),
    "src/proxy": ("core", "memory", "port", "format", "doca"),
    "src/diagnose": ("core", "memory", "eth", "flow", "gpu", "nic", "virtual", "proxy", "port",
                     "format", "doca", "public", "gpu.h", "nic.h"),
    "src/api": ("core", "memory", "eth", "flow", "gpu", "nic", "virtual", "proxy", "diagnose",
                "port", "format", "doca", "public", "gpu.h", "nic.h"),
    "tools": ("doca", "public", "port", "format", "device", "cpu_executor"),
    "samples": ("doca", "public", "port", "format", "device", "cpu_executor"),
    "apps": ("doca", "public", "port", "format", "device", "cpu_executor"),
}
NAMES = {"include/warpnic": "public", "include": "public"}
CONTRACTS = {"src/gpu/gpu.h": "gpu.h", "src/nic/nic.h": "nic.h", "src/nic/drop.h": "nic.h"}
# What the two contracts may include themselves.
OF_CONTRACTS = {"gpu.h": ("core", "doca"), "nic.h": ("core", "format", "doca", "gpu.h")}

PROCESSOR = re.compile(r"\b(?:asm|__asm__|__asm|__CUDA_ARCH__|threadIdx)\b")
# Kernels of tools, samples and apps are users' code, where threadIdx is what users write.
PROCESSOR_OF_USERS = re.compile(r"\b(?:asm|__asm__|__asm|__CUDA_ARCH__)\b")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
SOURCE = (".h", ".hpp", ".cuh", ".c", ".cc", ".cu", ".cpp")


def folder_of(path):
    """The room's folder, or None for files of no room."""
    best = None
    for folder in ROOMS:
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def room_of(path):
    if path in CONTRACTS:
        return CONTRACTS[path]
    folder = folder_of(path)
    if folder == "include" and os.path.basename(path).startswith("doca_") and path.endswith(".h"):
        return "doca"
    return NAMES.get(folder, os.path.basename(folder)) if folder else None


def allowed(path, room):
    if room in OF_CONTRACTS:
        return OF_CONTRACTS[room]
    if room == "doca":
        return ()
    return ROOMS[folder_of(path)]


def sources(root):
    for top in ("include", "src", "tools", "samples", "apps"):
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in files:
                if name.endswith(SOURCE) or "cpu_executor" in folder:
                    yield os.path.relpath(os.path.join(folder, name), root)


def resolve(root, path, name, quoted):
    """The file of ours that an #include names, as a path below root; None for a foreign one."""
    places = [os.path.dirname(path)] if quoted else []
    if path.startswith("src/gpu/"):
        places.append("include/warpnic/cpu_executor")  # as in CUDA: "cuda_runtime_api.h"
    for place in (*places, "include", "src"):
        candidate = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return None


def is_processor_free(path):
    """The executor is a processor itself, and port/ is where the others are."""
    return not path.startswith(("include/warpnic/port/", "include/warpnic/cpu_executor/",
                                "src/gpu/cpu/"))


def check_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    room = room_of(path)
    if room is None:
        return [f"{path}: in no room; add its folder to ROOMS in tests/api/layers.py"]
    problems = []
    plain = source_text.without_comments(text)
    for match in INCLUDE.finditer(plain):
        line = plain.count("\n", 0, match.start(2)) + 1
        target = resolve(root, path, match[2], match[1] == '"')
        if target is None:
            if match[1] == '"':
                problems.append(f'{path}:{line}: "{match[2]}" is no file of ours; write <...>')
            continue
        other = room_of(target)
        if other != room and other not in allowed(path, room):
            problems.append(f"{path}:{line}: {room} must not include {other} ({target})")
    if is_processor_free(path):
        users = path.startswith(("tools/", "samples/", "apps/"))
        pattern = PROCESSOR_OF_USERS if users else PROCESSOR
        code = source_text.code_only(text)
        for match in pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{path}:{line}: {match[0]} belongs into warpnic/port")
    return problems


def check(root):
    return [problem for path in sorted(sources(root)) for problem in check_file(root, path)]


# Path, text, and what must be said about it. None: must be accepted.
PLANTED = (
    ("include/warpnic/port/planted.h", '#include "../format/bits.h"\n', "port must not include"),
    ("include/warpnic/format/planted.h", '#include "../device/eth_recv.h"\n',
     "format must not include device"),
    ("include/doca_planted.h", '#include "warpnic/port/target.h"\n', "doca must not include port"),
    ("src/core/planted.h", '#include "api/planted.h"\n', "core must not include api"),
    ("src/api/planted.h", "\n", None),
    ("src/nic/virtual/engine/planted.h", '#include "warpnic/device/eth_recv.h"\n',
     "engine must not include device"),
    ("src/gpu/planted.cc", '#include "nic/nic.h"\n', "gpu must not include nic.h"),
    ("tools/planted.cc", '#include "../src/core/status.h"\n', "tools must not include core"),
    ("tools/planted_kernel.cu", "__global__ void f(int* p) { p[threadIdx.x] = 0; }\n", None),
    ("src/core/planted_asm.cc", 'void f() { asm volatile("nop"); }\n', "asm belongs"),
    ("src/core/planted_comment.cc", '// asm threadIdx\nconst char* f() { return "asm"; }\n', None),
    ("include/warpnic/device/planted.h", "#ifdef __CUDA_ARCH__\n#endif\n",
     "__CUDA_ARCH__ belongs"),
    ("src/nic/virtual/engine/planted.cu", "int f() { return threadIdx.x; }\n",
     "threadIdx belongs"),
    ("src/core/planted_path.cc", '#include "core/no_such_file.h"\n', "is no file of ours"),
    ("src/attic/planted.cc", "\n", "in no room"),
)


def self_test(root):
    with tempfile.TemporaryDirectory(prefix="warpnic-layers-") as copy:
        for top in ("include", "src"):
            shutil.copytree(os.path.join(root, top), os.path.join(copy, top))
        for path, text, _ in PLANTED:
            os.makedirs(os.path.dirname(os.path.join(copy, path)), exist_ok=True)
            with open(os.path.join(copy, path), "w", encoding="utf-8") as file:
                file.write(text)
        for path, _, expected in PLANTED:
            found = " ".join(check_file(copy, path))
            if expected is None and found:
                sys.exit(f"self-test: {path} was refused: {found}")
            if expected is not None and expected not in found:
                sys.exit(f"self-test: '{expected}' was not said about {path}, but '{found}'")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = os.path.realpath(sys.argv[1])
    self_test(root)
    problems = check(root)
    print("\n".join(problems))
    print(f"{len(list(sources(root)))} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
