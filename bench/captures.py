# SPDX-License-Identifier: Apache-2.0
"""Writes the captures that the comparison runs on: UDP frames of one size over a number of flows."""
import struct


def ipv4_checksum(header):
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def udp_frame(flow, frame_bytes):
    """One frame of `frame_bytes` (at least 60) that belongs to flow number `flow`."""
    ip_bytes = frame_bytes - 14
    ports = struct.pack("!HH", 1024 + flow % 50000, 53)
    udp = ports + struct.pack("!HH", ip_bytes - 20, 0)
    source = 0x0A000000 + flow
    header = struct.pack("!BBHHHBBHII", 0x45, 0, ip_bytes, flow & 0xFFFF, 0x4000, 64, 17, 0,
                         source, 0x0AFF0001)
    header = header[:10] + struct.pack("!H", ipv4_checksum(header)) + header[12:]
    ethernet = bytes.fromhex("020000000001020000000002") + b"\x08\x00"
    return (ethernet + header + udp).ljust(frame_bytes, b"\0")


def write_pcap(path, frames):
    """A capture with nanosecond times, one frame a microsecond."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            out.write(struct.pack("<IIII", 1_700_000_000 + number // 1_000_000,
                                  number % 1_000_000 * 1000, len(frame), len(frame)))
            out.write(frame)


def write_udp_capture(path, frame_bytes, frames=4096, flows=256):
    write_pcap(path, (udp_frame(number % flows, frame_bytes) for number in range(frames)))


def count_frames(path):
    """Frames of a classic pcap file in this machine's byte order, and their bytes."""
    frames = total = 0
    with open(path, "rb") as file:
        magic = file.read(24)[:4]
        order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        while header := file.read(16):
            length = struct.unpack(order + "IIII", header)[2]
            file.seek(length, 1)
            frames += 1
            total += length
    return frames, total
