# SPDX-License-Identifier: Apache-2.0
"""What tshark says of a capture, counted the way `warpnic flows` counts.

Addresses, protocol, ports, fragments and extension headers come from tshark's fields, always of the
outermost header (occurrence=f). Only the chain of Ethernet types is read from the frame itself:
tshark shows two 802.1ad tags as one layer and leaves out the types between."""
import os
import shutil
import struct
import subprocess
import tempfile
from collections import Counter

OPTIONS = ["-n", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE"]
TAGS = (0x8100, 0x88A8, 0x9100)
# IPv6 extension headers: where the next type stands, where the length, and octets of that length.
EXTENSIONS = {
    0: ("ipv6.hopopts.nxt", "ipv6.hopopts.len_oct", lambda n: n),
    43: ("ipv6.routing.nxt", "ipv6.routing.len_oct", lambda n: n),
    44: ("ipv6.fraghdr.nxt", None, lambda _: 8),
    51: ("ah.next_header", "ah.length", lambda n: (n + 2) * 4),
    60: ("ipv6.dstopts.nxt", "ipv6.dstopts.len_oct", lambda n: n),
}
# Source and destination port, and the field that ends the fixed header.
PORTS = {6: ("tcp.srcport", "tcp.dstport", "tcp.urgent_pointer"),
         17: ("udp.srcport", "udp.dstport", "udp.checksum"),
         136: ("udp.srcport", "udp.dstport", "udp.checksum"),
         132: ("sctp.srcport", "sctp.dstport", "sctp.checksum")}
TYPES = ("eth.type", "eth.len", "eth.invalid_lentype")  # by value: >= 0x600, <= 1500, between
FIELDS = ["frame.cap_len", *TYPES, "ip.version", "ip.hdr_len", "ip.len", "ip.src",
          "ip.dst", "ip.proto", "ip.frag_offset", "ipv6.version", "ipv6.plen", "ipv6.src",
          "ipv6.dst", "ipv6.nxt", "ipv6.fraghdr.offset", "tcp.hdr_len", "udp.length",
          *sorted({name for entry in EXTENSIONS.values() for name in entry[:2] if name}),
          *sorted({name for entry in PORTS.values() for name in entry})]

MALFORMED = ("malformed",)


def is_there():
    return shutil.which("tshark") is not None


def run(arguments, **options):
    return subprocess.run(["tshark", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, **options)


def field_rows(path):
    """A dictionary for each frame."""
    arguments = [*OPTIONS, "-r", path, "-T", "fields", "-E", "occurrence=f", "-E", "separator=/t"]
    for name in FIELDS:
        arguments += ["-e", name]
    lines = run(arguments, text=True).stdout.splitlines()
    return [dict(zip(FIELDS, line.split("\t"))) for line in lines]


def frame_bytes(path):
    """The frames of any capture, after tshark has rewritten it as classic pcap."""
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain.pcap")
        run(["-r", path, "-F", "nsecpcap", "-w", plain])
        with open(plain, "rb") as file:
            file.seek(24)
            while header := file.read(16):
                yield file.read(struct.unpack("<IIII", header)[2])


def type_of(frame):
    """The Ethernet type behind at most two tags and where its payload begins; None if it is cut."""
    at = 12
    for tags in range(3):
        if len(frame) < at + 2:
            return None, at
        kind = struct.unpack_from("!H", frame, at)[0]
        if kind not in TAGS or tags == 2:
            return kind, at + 2
        at += 4


def number(row, name):
    text = row[name]
    return int(text, 0) if text else None


def ports(row, proto):
    """0 for protocols without ports, and where tshark does not reach the fixed header's end."""
    if proto not in PORTS:
        return 0, 0
    source, destination, last = PORTS[proto]
    # tshark stops inside a header that states a length below the smallest one.
    stopped = (proto == 6 and row["tcp.hdr_len"] and number(row, "tcp.hdr_len") < 20 or
               proto == 17 and row["udp.length"] and number(row, "udp.length") < 8)
    if not row[last] and not stopped:
        return 0, 0
    return number(row, source) or 0, number(row, destination) or 0


def classify_ipv4(row, present):
    if row["ip.version"] != "4" or not row["ip.src"] or not row["ip.dst"]:
        return MALFORMED
    if number(row, "ip.hdr_len") > present:
        return MALFORMED
    proto = number(row, "ip.proto")
    found = (0, 0) if number(row, "ip.frag_offset") else ports(row, proto)
    return ("flow", row["ip.src"], row["ip.dst"], proto, *found)


def classify_ipv6(row, present):
    if row["ipv6.version"] != "6" or not row["ipv6.src"] or not row["ipv6.dst"]:
        return MALFORMED
    proto = number(row, "ipv6.nxt")
    length = number(row, "ipv6.plen")
    left = min(present - 40, length) if length else present - 40
    found = None
    while proto in EXTENSIONS:
        following, size, octets = EXTENSIONS[proto]
        if not row[following] or size and not row[size]:
            return MALFORMED
        left -= octets(number(row, size) if size else None)
        if left < 0:
            return MALFORMED
        later_fragment = proto == 44 and number(row, "ipv6.fraghdr.offset")
        proto = number(row, following)
        if later_fragment:
            found = (0, 0)
            break
    if found is None:
        found = ports(row, proto)
    return ("flow", row["ipv6.src"], row["ipv6.dst"], proto, *found)


def classify(row, frame):
    kind, payload = type_of(frame)
    if kind is None:
        return MALFORMED
    if payload == 14:  # no tag: tshark must have read the same type
        assert [kind] == [number(row, name) for name in TYPES if row[name]], (kind, row)
    if kind == 0x0800:
        return classify_ipv4(row, len(frame) - payload)
    if kind == 0x86DD:
        return classify_ipv6(row, len(frame) - payload)
    return ("non_ip", kind)


def classified(path):
    """(bytes present, classification) of each frame."""
    rows, frames = field_rows(path), list(frame_bytes(path))
    assert len(rows) == len(frames) > 0, f"{path}: tshark told of {len(rows)}, {len(frames)} frames"
    for row, frame in zip(rows, frames):
        assert number(row, "frame.cap_len") == len(frame)
        yield len(frame), classify(row, frame)


def summary(frames):
    """Flows as {key: (frames, bytes)}, frames by type that are not IP, malformed frames, totals."""
    flows, non_ip, malformed, count, total = {}, Counter(), 0, 0, 0
    for size, what in frames:
        count, total = count + 1, total + size
        if what[0] == "flow":
            known = flows.get(what[1:], (0, 0))
            flows[what[1:]] = (known[0] + 1, known[1] + size)
        elif what[0] == "non_ip":
            non_ip[what[1]] += 1
        else:
            malformed += 1
    return {"flows": flows, "non_ip": dict(non_ip), "malformed": malformed, "frames": count,
            "bytes": total}
