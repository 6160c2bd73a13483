# SPDX-License-Identifier: Apache-2.0
"""The little PTX that CUDA programs carry in their own files: reads of %globaltimer and %laneid.

warpnic-simtcc calls overlay() before it compiles. Files that hold such a read are compiled from a
copy in which the executor's call stands in its place, under their own name and with their own lines
(clang's -ivfsoverlay). Other PTX is left as it is and does not assemble."""
import json
import os
import re

# asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t) [:: "memory"]);
READ = re.compile(
    r'\b(?:asm|__asm__|__asm)\s*(?:volatile|__volatile__)?\s*\(\s*"\s*mov\.[bu](?:32|64)\s+%0\s*,\s*'
    r'%%?(?P<register>globaltimer|laneid)\s*;\s*(?:\\n(?:\\t)?)?"\s*:\s*"=[lr]"\s*'
    r'\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?:::\s*"memory"|:\s*:\s*"memory")?\s*\)')
CALLS = {"globaltimer": "warpnic_cpu_globaltimer()", "laneid": "warpnic_cpu_lane()"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def rewrite(text):
    def call(match):
        lines = "\n" * match.group(0).count("\n")
        return f"({match.group('target').strip()}) = {CALLS[match.group('register')]}{lines}"
    return READ.sub(call, text)


def own_files(source, folders):
    """The source and what it includes in quotes, as far as that is found."""
    waiting, seen = [os.path.abspath(source)], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
        except OSError:
            continue
        yield path, text
        for name in INCLUDE.findall(text):
            for folder in (os.path.dirname(path), *folders):
                candidate = os.path.abspath(os.path.join(folder, name))
                if os.path.isfile(candidate):
                    waiting.append(candidate)
                    break


def overlay(source, flags, folder):
    """Flags for clang that put rewritten copies, kept in `folder`, in the place of such files."""
    folders = [flag[2:] for flag in flags if flag.startswith("-I") and len(flag) > 2]
    folders += [flags[i + 1] for i, flag in enumerate(flags[:-1]) if flag in ("-I", "-iquote")]
    roots = []
    for path, text in own_files(source, folders):
        changed = rewrite(text) if "globaltimer" in text or "laneid" in text else text
        if changed == text:
            continue
        copy = os.path.join(folder, f"ptx{len(roots)}")
        with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(changed)
        roots.append({"type": "file", "name": path, "external-contents": copy})
    if not roots:
        return []
    description = os.path.join(folder, "overlay.yaml")
    with open(description, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump({"version": 0, "use-external-names": False, "roots": roots}, file)
    return ["-ivfsoverlay", description]
