"""What warpnic-simtcc does to the LLVM text of the device pass (clang 19).

complete() works on the text before any optimisation, where every shared variable is still
reached through one intrinsic call:
  - static __shared__ variables become members of one structure per file, dynamic ones a pointer;
    both are found through a thread-local word of the runtime, since a block is one OS thread
  - every definition becomes private to the file, so that it never merges with the host's version
  - a table of kernels, device variables and shared variables is added, and a constructor that
    registers it with the runtime

insert_ticks() works on the optimised text: the coverage callback at every basic block becomes
three instructions that count down and, rarely, let another lane run.
"""

import re
from collections import namedtuple

Sanitizers = namedtuple("Sanitizers", "address thread")
Shared = namedtuple("Shared", "name type alignment")

# Gap behind every shared variable under AddressSanitizer; the runtime poisons it.
REDZONE_BYTES = 32
RUNTIME_VARIABLES = {"threadIdx", "blockIdx", "blockDim", "gridDim",
                     "warpnic_cpu_shared_base", "warpnic_cpu_dynamic_base"}

NAME = r'@("[^"]+"|[-\w.$]+)'
THREAD_LOCAL = re.compile(
    rf"^{NAME} = ((?:[a-z_]+ )*)thread_local(?:\(\w+\))? (?:[a-z_]+ )*?global (.*)$")
ADDRESS_OF = re.compile(
    r"^(\s*%[-\w.]+ = )(?:tail )?call .*@llvm\.threadlocal\.address\.p0\(ptr (?:align \d+ )?"
    rf"{NAME}\)(.*)$")
LINKAGE = r"(?:linkonce_odr|weak_odr|linkonce|weak|external|private|internal|common|dso_local|" \
          r"dso_preemptable|hidden|protected|default|unnamed_addr|local_unnamed_addr)"
GLOBAL = re.compile(rf"^{NAME} = ((?:{LINKAGE} )*)((?:externally_initialized )?)"
                    r"(global|constant) (.*)$")
DEFINE = re.compile(rf"^define ((?:{LINKAGE} )*)(.*)$")
COMDAT = re.compile(r",? comdat(?:\([^)]*\))?")
KERNEL = re.compile(rf"^define .*win64cc void {NAME}\(")
INIT_CHECK = re.compile(r"icmp ne ptr @_ZTH[-\w.$]+, null")


def type_length(text):
    """The number of characters that an LLVM type takes at the start of text."""
    depth = 0
    quoted = False
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "[{<(":
            depth += 1
        elif character in "]})>":
            depth -= 1
        elif depth == 0 and character in " ,":
            return position
    return len(text)


def alignment_of(rest):
    found = re.search(r"align (\d+)", rest)
    return int(found.group(1)) if found else 1


class Rewriter:
    def __init__(self, identity, sanitizers):
        self.identity = identity
        self.sanitizers = sanitizers
        self.static = []
        self.dynamic = set()
        self.kernels = []
        self.variables = []
        self.fresh = 0

    def collect(self, lines):
        for line in lines:
            found = THREAD_LOCAL.match(line)
            if not found or found.group(1) in RUNTIME_VARIABLES:
                continue
            name, linkage, rest = found.groups()
            if "external" in linkage.split():
                self.dynamic.add(name)
            else:
                kind = rest[:type_length(rest)]
                self.static.append(Shared(name, kind, alignment_of(rest)))
        self.members = {shared.name: 1 + 3 * i for i, shared in enumerate(self.static)}

    def line(self, line):
        """The new text of one line; None drops it."""
        found = THREAD_LOCAL.match(line)
        if found and found.group(1) not in RUNTIME_VARIABLES:
            return None
        if "@llvm.threadlocal.address" in line:
            return self.shared_address(line)
        if line.startswith("define "):
            return self.definition(line)
        if line.startswith("@"):
            return self.variable(line)
        if "@_ZTH" in line:
            return INIT_CHECK.sub("icmp ne ptr null, null", line)
        return line

    def shared_address(self, line):
        found = ADDRESS_OF.match(line)
        if not found or found.group(2) in RUNTIME_VARIABLES:
            return line
        result, name, rest = found.groups()
        self.fresh += 1
        word = f"%warpnic.word{self.fresh}"
        which = "dynamic" if name in self.dynamic else "shared"
        place = (f"  {word} = call ptr @llvm.threadlocal.address.p0("
                 f"ptr @warpnic_cpu_{which}_base)\n")
        load = f"load ptr, ptr {word}, align 8, !invariant.load !{{}}"
        if which == "dynamic":
            return f"{place}{result}{load}{rest}"
        base = f"%warpnic.base{self.fresh}"
        return (f"{place}  {base} = {load}\n{result}getelementptr inbounds %warpnic.shared, "
                f"ptr {base}, i32 0, i32 {self.members[name]}{rest}")

    def definition(self, line):
        kernel = KERNEL.match(line)
        if kernel:
            self.kernels.append(kernel.group(1))
        linkage, rest = DEFINE.match(line).groups()
        return f"define internal {COMDAT.sub('', rest)}"

    def variable(self, line):
        if line.startswith("@llvm.") or "thread_local" in line:
            return line
        found = GLOBAL.match(line)
        if not found:
            return line
        name, linkage, initialised, kind, rest = found.groups()
        words = linkage.split()
        if "external" in words or "private" in words or "available_externally" in line:
            return line
        if initialised and "internal" not in words:
            self.variables.append((name, rest[:type_length(rest)]))
        address = " ".join(w for w in words if w.endswith("unnamed_addr"))
        address = address + " " if address else ""
        rest = COMDAT.sub("", rest)
        return f"@{name} = internal {address}{initialised}{kind} {rest}"

    def layout(self):
        """The file's shared variables as one type; empty arrays of vectors force alignments."""
        gap = REDZONE_BYTES if self.sanitizers.address else 0
        members = []
        for shared in self.static:
            members += [f"[0 x <{shared.alignment} x i8>]", shared.type, f"[{gap} x i8]"]
        return "%warpnic.shared = type { " + ", ".join(members) + " }\n" if members else \
            "%warpnic.shared = type { [0 x i8] }\n"

    def table(self):
        text = ["@warpnic_cpu_shared_base = external thread_local(initialexec) global ptr\n",
                "@warpnic_cpu_dynamic_base = external thread_local(initialexec) global ptr\n"]
        strings = {}

        def string(value):
            value = value.strip('"')
            if value not in strings:
                strings[value] = f"@warpnic.text{len(strings)}"
                text.append(f"{strings[value]} = private unnamed_addr constant "
                            f"[{len(value) + 1} x i8] c\"{value}\\00\"\n")
            return strings[value]

        def size_of(kind):
            return f"i64 ptrtoint (ptr getelementptr ({kind}, ptr null, i64 1) to i64)"

        def offset_of(name):
            return ("i64 ptrtoint (ptr getelementptr (%warpnic.shared, ptr null, i64 0, "
                    f"i32 {self.members[name]}) to i64)")

        symbol = "{ ptr, ptr, i64 }"
        area = "{ ptr, i64, i64 }"
        symbols = [f"{symbol} {{ ptr {string(k)}, ptr @{k}, i64 0 }}" for k in self.kernels]
        symbols += [f"{symbol} {{ ptr {string(n)}, ptr @{n}, {size_of(t)} }}"
                    for n, t in self.variables]
        areas = [f"{area} {{ ptr {string(s.name)}, {offset_of(s.name)}, {size_of(s.type)} }}"
                 for s in self.static]
        identity = string(self.identity)
        text.append(f"@warpnic.symbols = internal constant [{len(symbols)} x {symbol}] "
                    f"[{', '.join(symbols)}]\n")
        text.append(f"@warpnic.areas = internal constant [{len(areas)} x {area}] "
                    f"[{', '.join(areas)}]\n")
        text.append("@warpnic.image = internal constant { ptr, ptr, i64, ptr, i64, i64 } { "
                    f"ptr {identity}, ptr @warpnic.symbols, i64 {len(symbols)}, "
                    f"ptr @warpnic.areas, i64 {len(areas)}, "
                    f"{size_of('%warpnic.shared')} }}\n")
        for verb, section in (("register", ".init_array.00101"), ("unregister", ".fini_array")):
            text.append(
                f"declare void @warpnic_cpu_{verb}_image(ptr)\n"
                f"define internal void @warpnic.{verb}() nounwind nosanitize_coverage {{\n"
                f"  call void @warpnic_cpu_{verb}_image(ptr @warpnic.image)\n  ret void\n}}\n"
                f"@warpnic_{verb}_{self.identity} = hidden global ptr @warpnic.{verb}, "
                f"section \"{section}\", no_sanitize_address, align 8\n")
        return text


def complete(source, target, identity, sanitizers):
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        lines = file.readlines()
    rewriter = Rewriter(identity, sanitizers)
    rewriter.collect(lines)
    body = [new for new in map(rewriter.line, lines) if new is not None]
    if not any("@llvm.threadlocal.address.p0(ptr nonnull)" in line for line in body):
        body.append("declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)\n")
    first = next((i for i, line in enumerate(body) if line[:1] in "%$@"), len(body))
    body.insert(first, rewriter.layout())
    with open(target, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(body + rewriter.table())


# Counts down in three instructions; the slow path saves every integer register itself, vector
# registers are named as clobbered. The runtime's stub realigns the stack.
TICK = (
    'call void asm sideeffect "'
    "movq warpnic_cpu_budget@GOTTPOFF(%rip), %r11\\0A\\09subl $$1, %fs:(%r11)\\0A\\09js 2f\\0A1:"
    "\\0A\\09.subsection 1\\0A2:\\09callq *warpnic_cpu_tick_slow@GOTPCREL(%rip)\\0A\\09jmp 1b"
    "\\0A\\09.previous\", \"~{r11},~{memory},~{dirflag},~{fpsr},~{flags},"
    + ",".join(f"~{{xmm{i}}}" for i in range(16)) + '"()')
CALLBACK = re.compile(r"(?:tail )?call void @__sanitizer_cov_trace_pc\(\)(?: #\d+)?")


def insert_ticks(source, target, sanitizers):
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if sanitizers.thread:
        # The callback also completes the acquire of the volatile load before it (tsan_hooks.cc).
        # Renamed, since the sanitizer's own runtime has an empty callback of the first name.
        text = text.replace("@__sanitizer_cov_trace_pc", "@warpnic_cpu_trace_pc")
    else:
        text = CALLBACK.sub(lambda _: TICK, text)
    with open(target, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
