#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures that the tests make, each frame with what it must be counted as: made_captures.py FOLDER

An expectation is ("flow", src, dst, proto, sport, dport), ("non_ip", type) or ("malformed",)."""
import os
import sys

import frames as f

MALFORMED = ("malformed",)
TAGS = (0x8100, 0x88A8, 0x9100)


def flow4(proto, ports=(0, 0)):
    return ("flow", *f.IPV4, proto, *ports)


def flow6(proto, ports=(0, 0)):
    return ("flow", *f.IPV6, proto, *ports)


def not_ip(kind):
    return ("non_ip", kind)


def four(packet):
    return f.ethernet(0x0800) + packet


def six(packet):
    return f.ethernet(0x86DD) + packet


TRANSPORTS = ((6, f.tcp(b"data"), (40000, 80)), (17, f.udp(b"data"), (40000, 9)),
              (136, f.udp_lite(b"data"), (40001, 9)), (132, f.sctp(), (40002, 36412)))


def transports():
    for proto, header, ports in TRANSPORTS:
        yield four(f.ipv4(proto, header)), flow4(proto, ports)
        yield six(f.ipv6(proto, header)), flow6(proto, ports)
    yield four(f.ipv4(1, f.echo())), flow4(1)
    yield six(f.ipv6(58, b"\x80" + f.echo()[1:])), flow6(58)
    yield four(f.ipv4(47, b"\0\0\x08\0" + f.ipv4(17, f.udp()))), flow4(47)  # GRE
    yield four(f.ipv4(4, f.ipv4(17, f.udp()))), flow4(4)
    yield six(f.ipv6(41, f.ipv6(17, f.udp()))), flow6(41)
    yield four(f.ipv4(1, b"\3\3\0\0\0\0\0\0" + f.ipv4(17, f.udp()))), flow4(1)  # cites a datagram
    yield four(f.ipv4(6, f.tcp(), total=0) + b"\0" * 300), flow4(6, (40000, 80))
    yield four(f.ipv4(17, f.udp(), options=b"\1" * 40)), flow4(17, (40000, 9))
    yield four(f.ipv4(17, f.udp(b"other way", (9, 40000)))), flow4(17, (9, 40000))
    yield four(f.ipv4(17, b"", total=20)) + b"\0" * 26, flow4(17)  # padding is no header
    wrong = f.tcp()
    wrong = wrong[:12] + b"\x40" + wrong[13:]  # says that it has 16 bytes; all 20 are there
    yield four(f.ipv4(6, wrong)), flow4(6, (40000, 80))
    yield four(f.ipv4(17, f.udp()[:4] + b"\0\7\0\0")), flow4(17, (40000, 9))


def tags():
    packet = f.ipv4(17, f.udp())
    for outer in TAGS:
        yield f.ethernet(outer, 0x0800) + packet, flow4(17, (40000, 9))
        yield f.ethernet(outer, 0x0806) + b"\0" * 28, not_ip(0x0806)
        for inner in TAGS:
            yield f.ethernet(outer, inner, 0x0800) + packet, flow4(17, (40000, 9))
            yield f.ethernet(outer, inner, 0x86DD) + f.ipv6(6, f.tcp()), flow6(6, (40000, 80))
            for third in TAGS:
                yield f.ethernet(outer, inner, third, 0x0800) + packet, not_ip(third)
    yield f.ethernet(0x0026) + b"\x42\x42\3" + b"\0" * 43, not_ip(0x0026)
    yield f.ethernet(0x8100, 0x0026) + b"\x42\x42\3" + b"\0" * 43, not_ip(0x0026)
    yield f.ethernet(0x05FF) + b"\0" * 46, not_ip(0x05FF)
    yield f.ethernet(0x88CC) + b"\0" * 46, not_ip(0x88CC)
    yield f.ethernet(0x8847) + b"\0\x01\x01\x40" + packet, not_ip(0x8847)  # MPLS with IP within


def fragments():
    data = f.udp(b"d" * 1400)
    for offset, more, part in ((0, 0x2000, data[:800]), (100, 0, data[800:])):
        yield (four(f.ipv4(17, part, fragment=more | offset)),
               flow4(17, (40000, 9) if offset == 0 else (0, 0)))
        yield (six(f.ipv6(44, f.fragment_header(17, offset, 1 if more else 0) + part)),
               flow6(17, (40000, 9) if offset == 0 else (0, 0)))
    yield four(f.ipv4(6, b"\x01\x02" * 20, fragment=0x00B9)), flow4(6)
    yield four(f.ipv4(1, f.echo(), fragment=0x2000)), flow4(1)
    yield six(f.ipv6(44, f.fragment_header(17, 0, 0) + f.udp())), flow6(17, (40000, 9))  # atomic


def extensions():
    tcp = f.tcp(b"x")
    chains = {0: f.options_header, 60: f.options_header, 43: f.routing_header,
              51: f.authentication_header,
              44: lambda next_header: f.fragment_header(next_header, 0, 0)}
    for kind, header in chains.items():
        yield six(f.ipv6(kind, header(6) + tcp)), flow6(6, (40000, 80))
    chain = (f.options_header(60) + f.options_header(43, 16) + f.routing_header(44) +
             f.fragment_header(51, 0, 0) + f.authentication_header(6))
    yield six(f.ipv6(0, chain + tcp)), flow6(6, (40000, 80))
    yield six(f.ipv6(0, f.options_header(59))), flow6(59)
    yield six(f.ipv6(50, b"\0" * 24)), flow6(50)


def cut():
    """Frames that a short snapshot length cut: less is present than was on the wire."""
    udp4, tcp6 = four(f.ipv4(17, f.udp(b"p" * 40))), six(f.ipv6(6, f.tcp(b"p" * 40)))
    tagged = f.ethernet(0x88A8, 0x8100, 0x0800) + f.ipv4(17, f.udp())
    optioned = four(f.ipv4(17, f.udp(), options=b"\1" * 8))
    extended = six(f.ipv6(0, f.options_header(60) + f.options_header(6, 24) + f.tcp()))
    for frame, ip, header, transport, known, ports in (
            (udp4, 14, 20, 8, flow4, (40000, 9)), (tcp6, 14, 40, 20, flow6, (40000, 80)),
            (tagged, 22, 20, 8, flow4, (40000, 9)), (optioned, 14, 28, 8, flow4, (40000, 9)),
            (extended, 14, 72, 20, flow6, (40000, 80))):
        proto = 6 if known is flow6 else 17
        for bytes_left in range(1, len(frame)):
            if bytes_left < ip + header:
                expected = MALFORMED
            else:
                expected = known(proto, ports if bytes_left >= ip + header + transport else (0, 0))
            yield frame[:bytes_left], expected, len(frame)
    for proto, header, ports in TRANSPORTS:
        whole = {6: 20, 17: 8, 136: 8, 132: 12}[proto]
        for bytes_left in range(len(header)):
            yield (four(f.ipv4(proto, header))[:34 + bytes_left],
                   flow4(proto, ports if bytes_left >= whole else (0, 0)), 34 + len(header))


def malformed():
    udp = f.udp()
    for version in (0, 3, 5, 6, 15):
        yield four(f.ipv4(17, udp, version=version)), MALFORMED
    for words in range(5):
        yield four(f.ipv4(17, udp, words=words)), MALFORMED
    yield four(f.ipv4(17, udp, words=15)), MALFORMED
    for total in (1, 19):
        yield four(f.ipv4(17, udp, total=total)), MALFORMED
    yield four(f.ipv4(17, udp, total=23, options=b"\1" * 4)), MALFORMED
    for version in (0, 4, 7):
        yield six(f.ipv6(17, udp, version=version)), MALFORMED
    for kind in (0, 43, 44, 51, 60):
        yield six(f.ipv6(kind, b"\x11\0\0\0")), MALFORMED
    yield six(f.ipv6(60, f.options_header(17, 24) + udp, length=16)), MALFORMED


def numbered(cases):
    """(bytes, length on the wire, time) and expectation of each."""
    for number, (frame, expected, *length) in enumerate(cases):
        yield ((frame, length[0] if length else len(frame),
                1_700_000_000_123_456_000 + number * 1_000_001), expected)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


KINDS = {"transports": transports, "tags": tags, "fragments": fragments,
         "extensions": extensions, "cut": cut, "malformed": malformed}
FORMATS = {"pcap": f.pcap, "big-endian.pcap": lambda x: f.pcap(x, order=">"),
           "ns.pcap": lambda x: f.pcap(x, nanoseconds=True), "pcapng": f.pcapng,
           "us.pcapng": lambda x: f.pcapng(x, resolution=6),
           "big-endian.pcapng": lambda x: f.pcapng(x, order=">")}


def make(folder):
    """Writes the captures. Returns {path: [(frame, expectation), ...]}."""
    made = {}
    for kind, cases in KINDS.items():
        listed = list(numbered(cases()))
        formats = FORMATS if kind in ("transports", "cut") else {"pcap": f.pcap}
        for suffix, to_bytes in formats.items():
            path = os.path.join(folder, f"{kind}.{suffix}")
            write(path, to_bytes([frame for frame, _ in listed]))
            made[path] = listed
    return made


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    print("\n".join(make(sys.argv[1])))
