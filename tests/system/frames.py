# SPDX-License-Identifier: Apache-2.0
"""Frames put together header by header, and capture files of several formats."""
import socket
import struct

MACS = bytes.fromhex("020000000002020000000001")
IPV4 = ("10.0.0.1", "10.0.0.2")
IPV6 = ("fd00::1", "fd00::2")


def ethernet(*types):
    """Ethernet addresses, then the types in order: before each but the first stands a tag's control
    information."""
    return MACS + struct.pack("!H", 5).join(struct.pack("!H", value) for value in types)


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(protocol, payload=b"", *, total=None, options=b"", fragment=0, version=4, words=None,
         number=1):
    """A packet; lengths are right unless given."""
    words = 5 + len(options) // 4 if words is None else words
    total = 20 + len(options) + len(payload) if total is None else total
    addresses = b"".join(map(socket.inet_aton, IPV4))
    header = struct.pack("!BBHHHBBH", version << 4 | words, 0, total, number, fragment, 64,
                         protocol, 0) + addresses + options
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def ipv6(next_header, payload=b"", *, length=None, version=6):
    length = len(payload) if length is None else length
    addresses = b"".join(socket.inet_pton(socket.AF_INET6, text) for text in IPV6)
    return struct.pack("!IHBB", version << 28, length, next_header, 64) + addresses + payload


def tcp(payload=b"", ports=(40000, 80)):
    return struct.pack("!HHIIBBHHH", *ports, 1, 1, 0x50, 0x10, 8192, 0, 0) + payload


def udp(payload=b"", ports=(40000, 9)):
    return struct.pack("!HHHH", *ports, 8 + len(payload), 0) + payload


def udp_lite(payload=b"", ports=(40001, 9)):
    return struct.pack("!HHHH", *ports, 8, 0) + payload


def sctp(ports=(40002, 36412)):
    """The common header and a COOKIE ACK chunk."""
    return struct.pack("!HHII", *ports, 7, 0) + struct.pack("!BBH", 11, 0, 4)


def echo(payload=b"x" * 32):
    return struct.pack("!BBHHH", 8, 0, 0, 1, 1) + payload


def options_header(next_header, octets=8):
    """A hop-by-hop or destination options header that holds padding."""
    return bytes([next_header, octets // 8 - 1, 1, octets - 4]) + b"\0" * (octets - 4)


def routing_header(next_header):
    return bytes([next_header, 2, 0, 0]) + b"\0" * 4 + socket.inet_pton(socket.AF_INET6, "fd00::3")


def fragment_header(next_header, offset, more):
    return struct.pack("!BBHI", next_header, 0, offset << 3 | more, 77)


def authentication_header(next_header):
    return struct.pack("!BBHII", next_header, 4, 0, 9, 1) + b"\0" * 12


# Capture files. A frame is (bytes present, length on the wire, time in ns).

def pcap(frames, *, nanoseconds=False, order="<", link_type=1):
    data = struct.pack(order + "IHHiIII", 0xA1B23C4D if nanoseconds else 0xA1B2C3D4, 2, 4, 0, 0,
                       262144, link_type)
    for present, length, time_ns in frames:
        fraction = time_ns % 10**9
        data += struct.pack(order + "IIII", time_ns // 10**9,
                            fraction if nanoseconds else fraction // 1000, len(present), length)
        data += present
    return data


def pcapng(frames, *, order="<", resolution=9):
    """A section header, an interface whose times count 10**-resolution s, then the packets."""
    def block(kind, body):
        body += b"\0" * (-len(body) % 4)
        size = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + size + body + size

    data = block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack(order + "HHI", 1, 0, 262144) +
                  struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0))
    for present, length, time_ns in frames:
        time = time_ns // 10**(9 - resolution)
        data += block(6, struct.pack(order + "IIIII", 0, time >> 32, time & 0xFFFFFFFF,
                                     len(present), length) + present)
    return data
