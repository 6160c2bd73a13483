#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the first inputs of each fuzz target to corpus/: small, made here, one of each kind."""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
ETHERNET = bytes(6) + bytes(5) + b"\x01"


def put(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def ipv4(protocol, payload, fragment=0, options=b""):
    header = 20 + len(options)
    return (struct.pack("!BBHHHBBH", 0x40 | header // 4, 0, header + len(payload), 0, fragment, 64,
                        protocol, 0) + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + options + payload)


def ipv6(protocol, payload):
    return (struct.pack("!IHBB", 0x60000000, len(payload), protocol, 64) + b"\x20" + bytes(15) +
            b"\x20\x01" + bytes(14) + payload)


def frames():
    udp = struct.pack("!HHHH", 1000, 53, 12, 0) + b"data"
    tcp = struct.pack("!HHIIBBHHH", 80, 1000, 1, 2, 0x50, 16, 100, 0, 0)
    four, six = b"\x08\x00", b"\x86\xdd"
    yield "udp4", ETHERNET + four + ipv4(17, udp)
    yield "tcp4_options", ETHERNET + four + ipv4(6, tcp, options=b"\x01" * 8)
    yield "fragment4", ETHERNET + four + ipv4(17, udp, fragment=0x2001)
    yield "vlan2", ETHERNET + b"\x88\xa8\x00\x01\x81\x00\x00\x02" + four + ipv4(6, tcp)
    yield "udp6", ETHERNET + six + ipv6(17, udp)
    yield "extensions6", ETHERNET + six + ipv6(0, b"\x2c\x00" + bytes(6) + b"\x33\x00\x00\x00" +
                                               bytes(4) + b"\x11\x01" + bytes(10) + udp)
    yield "arp", ETHERNET + b"\x08\x06" + bytes(28)
    yield "cut", ETHERNET + four + b"\x45\x00"


def main():
    named = dict(frames())
    for name, frame in named.items():
        put("frame", name, frame)
    records = b"".join(struct.pack("<IIII", 1, i, len(f), len(f)) + f
                       for i, f in enumerate(named.values()))
    put("capture", "micro", struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records)
    put("capture", "nano_cut", struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1) +
        records[:-5])
    put("capture", "not_ethernet", struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 104) +
        records)
    frame = named["udp4"]
    padded = frame + bytes(-len(frame) % 4)
    packet = struct.pack("<IIIIIII", 6, 32 + len(padded), 0, 0, 5, len(frame), len(frame)) + \
        padded + struct.pack("<I", 32 + len(padded))
    put("capture", "pcapng", struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28) +
        struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20) + packet)
    area = b"".join(f.ljust(128, b"\0") for f in named.values())
    good = b"".join(struct.pack("<QII", i % 8 * 128, 60, 0) for i in range(16))
    put("wire", "good", struct.pack("<II", 16, 0) + good + area)
    put("wire", "wraps", struct.pack("<II", 5, 0xFFFFFFF8) + good + area)
    put("wire", "outside", struct.pack("<II", 16, 0) +
        struct.pack("<QII", 1 << 63, 60, 1 << 31) * 16 + area)
    entry = bytes(44) + struct.pack(">IQIHBB", 60, 12345, 0, 0, 0, 0x20)
    put("completion", "good", b"\0" + entry * 8)
    put("completion", "error", b"\0" + entry * 2 + bytes(55) + b"\x04" + bytes(7) + b"\xe0")


if __name__ == "__main__":
    main()
