# SPDX-License-Identifier: Apache-2.0
"""The peer: DPDK's testpmd, which repeats a capture in memory (net_pcap, infinite_rx) and swaps
the MAC addresses of each frame. Frames per second as its own statistics tell them."""
import re
import subprocess
import tempfile
import time


class TestpmdFailed(Exception):
    pass


def command(capture, cores):
    """One port and one forwarding core for each CPU core; its idle main thread sits on the first."""
    lcores = ["0@0"] + [f"{number + 1}@{core}" for number, core in enumerate(cores)]
    words = ["dpdk-testpmd", "--no-huge", "-m", "512", "--no-shconf", "--no-pci",
             "--no-telemetry", "--lcores=" + ",".join(lcores)]
    for port in range(len(cores)):
        words += ["--vdev", f"net_pcap{port},rx_pcap={capture},infinite_rx=1"]
    return words + ["--", "-i", "-a", "--forward-mode=macswap", f"--nb-cores={len(cores)}",
                    "--total-num-mbufs=16384"]


def frames_per_second(capture, cores, seconds):
    """Sum over its ports, measured by testpmd between two answers `seconds` apart."""
    with tempfile.TemporaryFile("w+") as answers:
        process = subprocess.Popen(command(capture, cores), stdin=subprocess.PIPE, text=True,
                                   stdout=answers, stderr=subprocess.STDOUT)
        try:
            time.sleep(3)  # until it forwards; the first answer is thrown away
            for pause in (seconds, 0.2):
                process.stdin.write("show port stats all\n")
                process.stdin.flush()
                time.sleep(pause)
            process.stdin.write("stop\nquit\n")
            process.stdin.flush()
            process.wait(timeout=30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        answers.seek(0)
        text = answers.read()
    rates = [int(rate) for rate in re.findall(r"Rx-pps:\s+(\d+)", text)]
    latest = rates[len(cores):2 * len(cores)]
    # testpmd exits with 0 also when a port did not start.
    if len(latest) != len(cores) or 0 in latest:
        raise TestpmdFailed(f"testpmd forwarded nothing on {capture}; it said:\n{text[-2000:]}")
    return sum(latest)
