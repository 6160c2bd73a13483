#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function states its contract: contracts.py INCLUDE [SYMBOLS]

  device functions (*.cuh)            @scope @memory @order @blocks, and @return unless void
  host functions (doca_*.h, *.hpp)    @thread, and @return unless void

A comment that holds "All of them" or "Each of them" states the labels for the functions after it,
up to the first that has labels of its own; one that begins with "The same" takes those of the
function before. Error codes named in contracts must exist. With
SYMBOLS, the list of what libwarpnic exports, every host function must be in it.

First it plants headers without a label and expects each to be found."""

import os
import re
import sys
import tempfile

import source_text

DEVICE_LABELS = ("@scope", "@memory", "@order", "@blocks")
HOST_LABELS = ("@thread",)
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*///[^\n]*\n)+", re.S | re.M)
DEVICE_FUNCTION = re.compile(
    r"^(?P<head>(?:template\s*<[^{};]*?>\s*)?__device__[^;{}()=]*?)\b(?P<name>\w+)\s*\(", re.M)
HOST_FUNCTION = re.compile(
    r"^(?!typedef|return|static_assert|using)"
    r"(?P<head>(?:[\w:]+(?:<[^;{}()]*>)?[\s*&]+)+?)(?P<name>\w+)\s*\([^;{}()]*"
    r"(?:\([^()]*\)[^;{}()]*)*\)\s*(?:const|noexcept|__attribute__\s*\(\(.*?\)\)\s*)*;", re.M)
SAME = re.compile(r"[/*\s]*The same\b")
GROUP = re.compile(r"\b(?:All|Each) of them\b")


def comment_before(text, comments, start):
    """The comment that ends right before `start`, and the latest group's comment before that."""
    own = ""
    group = ""
    group_end = 0
    for match in comments:
        if match.end() > start:
            break
        if not text[match.end():start].strip():
            own = match[0]
        if GROUP.search(match[0]):
            group, group_end = match[0], match.end()
    return own, group, group_end


def functions(path, text):
    """(name, line, is_void, own comment, group comment, end of group) of each declaration."""
    comments = list(COMMENT.finditer(text))
    pattern = DEVICE_FUNCTION if path.endswith(".cuh") else HOST_FUNCTION
    code = source_text.code_only(text)
    # Preprocessor lines, with their continuations, are no declarations.
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: source_text.blank(m[0]), code,
                  flags=re.M)
    for match in pattern.finditer(code):
        head = match["head"]
        is_void = re.search(r"\bvoid\s*$", head.replace("inline", "")) is not None
        line = text.count("\n", 0, match.start("name")) + 1
        yield (match["name"], line, is_void,
               *comment_before(text, comments, match.start()), match.start())


def check_file(path, text, codes):
    problems = []
    names = []
    labels = DEVICE_LABELS if path.endswith(".cuh") else HOST_LABELS
    closed = -1  # end of the group that a function with labels of its own has closed
    before = ""
    for name, line, is_void, own, group, group_end, _ in functions(path, text):
        names.append(name)
        wanted = labels if is_void else (*labels, "@return")
        if own != group and any(label in own for label in wanted):
            closed = group_end
        comment = own if not group or closed == group_end else own + group
        if SAME.match(comment):
            comment += before
        before = comment
        missing = [label for label in wanted if label not in comment]
        if missing:
            problems.append(f"{path}:{line}: {name} does not state {' '.join(missing)}")
    for match in COMMENT.finditer(text):
        for code in re.findall(r"\bDOCA_ERROR_[A-Z_]+\b", match[0]):
            if code not in codes:
                problems.append(f"{path}: a comment names {code}, which does not exist")
    return names, problems


def public_files(include):
    for folder, _, files in os.walk(include):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), include)
            if ("/" not in path and path.startswith("doca_")) or path.endswith(".hpp"):
                yield path


def check(include, symbols):
    with open(os.path.join(include, "doca_error.h"), encoding="utf-8") as file:
        code = source_text.without_comments(file.read())
    codes = set(re.findall(r"\bDOCA_ERROR_[A-Z_]+\b", code))
    problems = []
    count = 0
    for path in sorted(public_files(include)):
        with open(os.path.join(include, path), encoding="utf-8") as file:
            names, found = check_file(path, file.read(), codes)
        count += len(names)
        problems += found
        if symbols is not None and not path.endswith(".cuh"):
            exported = {symbol.split("::")[-1] for symbol in symbols}
            problems += [f"{path}: {name} is declared, and not in the list of exported symbols"
                         for name in names if name not in exported]
    return count, problems


CONTRACT = "/** @thread any\n * @return DOCA_SUCCESS */\n"
PLANTED = (
    ("doca_planted.h", "doca_error_t doca_planted(int a,\n\t\t\tint b);\n", "@thread @return"),
    ("doca_planted.h", "/** @return DOCA_SUCCESS */\ndoca_error_t doca_planted(void);\n",
     "doca_planted does not state @thread"),
    ("doca_planted.h", "/** @thread any */\nconst char *doca_planted(void);\n", "state @return"),
    ("doca_planted.h", "/** @thread any */\nvoid doca_planted(void);\n", None),
    ("doca_planted.h", CONTRACT + "doca_error_t doca_planted(void);\n", None),
    ("doca_planted.h", CONTRACT + "doca_error_t doca_a(void);\ndoca_error_t doca_b(void);\n",
     "doca_b does not state @thread @return"),
    ("doca_planted.h", "/* Capabilities. All of them:\n * @thread any\n * @return DOCA_SUCCESS */\n"
     "/** One. */\ndoca_error_t doca_a(void);\n/** Two. */\ndoca_error_t doca_b(void);\n", None),
    ("doca_planted.h", "/* All of them:\n * @thread any\n * @return DOCA_SUCCESS */\n"
     "doca_error_t doca_a(void);\ndoca_error_t doca_b(void);\n", None),
    ("doca_planted.h", "/* All of them:\n * @thread any\n * @return DOCA_SUCCESS */\n"
     "doca_error_t doca_a(void);\n" + CONTRACT + "doca_error_t doca_b(void);\n"
     "doca_error_t doca_c(void);\n", "doca_c does not state"),
    ("doca_planted.h", "/** @thread any\n * @return DOCA_ERROR_NO_SUCH_CODE: x */\n"
     "doca_error_t doca_a(void);\n", "names DOCA_ERROR_NO_SUCH_CODE"),
    ("doca_planted.h", CONTRACT + "doca_error_t doca_a(void);\n/** The same for b. */\n"
     "doca_error_t doca_b(void);\n", None),
    ("doca_planted.h", "/** Prints. */\nvoid doca_a(const char *format, ...)\n"
     "\t__attribute__((format(printf, 1, 2)));\n", "doca_a does not state @thread"),
    ("doca_planted.cuh", "/// @scope any\n/// @memory none\n/// @order none\n/// @return it\n"
     "template <int kScope = 1>\n__device__ inline int planted(int a) { return a; }\n",
     "planted does not state @blocks"),
    ("doca_planted.cuh", "/// @scope any\n/// @memory none\n/// @order none\n/// @blocks never\n"
     "template <int kScope = 1>\n__device__ inline void planted(int a) {}\n", None),
    ("warpnic/planted.hpp", "/// @thread any\nstd::vector<int> planted(const std::string& a);\n",
     "planted does not state @return"),
)


def self_test():
    for path, text, expected in PLANTED:
        with tempfile.TemporaryDirectory(prefix="warpnic-contracts-") as include:
            os.makedirs(os.path.join(include, "warpnic"))
            with open(os.path.join(include, "doca_error.h"), "w", encoding="utf-8") as file:
                file.write("enum { DOCA_SUCCESS, DOCA_ERROR_IN_USE };\n")
            with open(os.path.join(include, path), "w", encoding="utf-8") as file:
                file.write(text)
            found = " ".join(check(include, None)[1])
        if expected is None and found:
            sys.exit(f"self-test: refused, though right: {text}{found}")
        if expected is not None and expected not in found:
            sys.exit(f"self-test: '{expected}' was not said, but '{found}', about:\n{text}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    self_test()
    symbols = None
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as file:
            symbols = [line.strip() for line in file if line.strip() and line[0] != "#"]
    count, problems = check(sys.argv[1], symbols)
    print("\n".join(problems))
    print(f"{count} public functions, {len(problems)} problems")
    sys.exit(1 if problems or not count else 0)


if __name__ == "__main__":
    main()
