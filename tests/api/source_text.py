# SPDX-License-Identifier: Apache-2.0
"""C, C++ and CUDA text for the checks of this folder: code without comments and strings."""

import re

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')', re.S)


def blank(text):
    """As many lines as `text`, nothing on them."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    return TOKEN.sub(lambda m: blank(m[0]) if m["comment"] else m[0], text)


def code_only(text):
    """Neither comments nor the insides of strings; line numbers stay."""
    # A digit separator (1'000) is no character literal.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", " ", text)
    return TOKEN.sub(lambda m: blank(m[0]), text)
