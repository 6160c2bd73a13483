#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/01_first_packet prints the first frame of a capture: sample_test.py PROGRAM"""
import os
import struct
import subprocess
import sys
import tempfile

import frames as f
import made_captures

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../samples/captures/demo.pcap")


def run(devices):
    done = subprocess.run([sys.argv[1]], env={**os.environ, "WARPNIC_DEVICES": devices}, text=True,
                          capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def expect_first_frame(path, frame, time_ns):
    status, out, err = run(f"ff:00.0=pcap:{path}")
    assert status == 0, err
    head, *rows = out.splitlines()
    assert f"received a frame of {len(frame)} bytes (time {time_ns} ns)" in head, head
    assert bytes.fromhex("".join(rows)) == frame[:64], out


def main():
    with open(DEMO, "rb") as file:  # nanoseconds, this machine's byte order
        magic, *_ = struct.unpack("<I20x", file.read(24))
        assert magic == 0xA1B23C4D
        seconds, nanoseconds, present, _ = struct.unpack("<IIII", file.read(16))
        expect_first_frame(DEMO, file.read(present), seconds * 10**9 + nanoseconds)
    for payload in (b"", b"short", b"x" * 900):  # shorter and longer than what is shown
        frame = f.ethernet(0x0800) + f.ipv4(17, f.udp(payload))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one.pcapng")
            made_captures.write(path, f.pcapng([(frame, len(frame), 1_234_567_890_123_456_789)]))
            expect_first_frame(path, frame, 1_234_567_890_123_456_789)
    for devices, word in (("", "there is no NIC"), ("ff:00.0=wire:eth0", "wire")):
        status, out, err = run(devices)
        assert status == 1 and out == "" and word in err, (status, out, err)
    return 0


if __name__ == "__main__":
    sys.exit(main())
