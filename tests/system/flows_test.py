#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `warpnic flows` promises beside right counts: flows_test.py NAME ...

Each function below whose name begins with "test_" is a test; its name without that is NAME."""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

import flows
import frames as f
import made_captures

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
DEMO = os.path.join(SOURCE, "samples/captures/demo.pcap")
DEMO_FRAMES, DEMO_BYTES, DEMO_FLOWS = 949, 944712, 128
CAPTURES = os.environ.get("WARPNIC_CAPTURES", "")
TOO_LONG = "longer than the slot"
SCOPES = ("thread", "warp", "block")


class Skip(Exception):
    pass


def shared_capture(name):
    path = os.path.join(CAPTURES, name)
    if not os.path.exists(path):
        raise Skip(f"there is no {name} in '{CAPTURES}' (WARPNIC_CAPTURES)")
    return path


def written(folder, name, data):
    path = os.path.join(folder, name)
    made_captures.write(path, data)
    return path


def scaled(summary, times):
    """A summary of the same frames, seen several times."""
    return {"flows": {key: (n * times, size * times)
                      for key, (n, size) in summary["flows"].items()},
            "non_ip": {kind: n * times for kind, n in summary["non_ip"].items()},
            **{name: summary[name] * times for name in ("malformed", "frames", "bytes")}}


def expect_equal(name, ours, theirs):
    said = flows.differences(name, ours, theirs)
    assert not said, "\n".join(said)


def test_json_has_exactly_the_promised_keys():
    found = flows.result("--nic", f"pcap:{DEMO}", "--queues", "2")
    assert list(found) == ["nic", "gpu", "frames", "bytes", "delivered", "dropped", "malformed",
                           "flows", "non_ip", "elapsed_s"]
    assert found["nic"] == f"pcap:{DEMO}" and "CPU executor" in found["gpu"]
    assert (found["frames"], found["bytes"], found["delivered"]) == (DEMO_FRAMES, DEMO_BYTES,
                                                                     DEMO_FRAMES)
    assert {"no free slot", TOO_LONG, "not for any queue", "queue stopped",
            "not received before the stop"} <= set(found["dropped"])
    assert len(found["flows"]) == DEMO_FLOWS and found["elapsed_s"] > 0
    for flow in found["flows"]:
        assert list(flow) == ["src", "dst", "proto", "sport", "dport", "frames", "bytes"]
        assert all(isinstance(flow[name], str) for name in ("src", "dst"))
        assert all(isinstance(flow[name], int)
                   for name in ("proto", "sport", "dport", "frames", "bytes"))
    assert found["non_ip"] == {"0x0806": 2}
    order = [flow["frames"] for flow in found["flows"]]
    assert order == sorted(order, reverse=True)


def test_table_shows_the_top_and_says_what_happened_where():
    status, out, err = flows.run("--nic", f"pcap:{DEMO}", "--top", "3")
    lines = out.splitlines()
    assert status == 0 and err == "", err  # nothing but the result where no terminal is
    assert lines[0].split()[:2] == ["source", "destination"] and len(lines[1:4]) == 3
    assert lines[4] == f"... and {DEMO_FLOWS - 3} more flows (--top {DEMO_FLOWS} shows all)"
    assert "not IP, type 0x0806: 2 frames" in lines
    assert re.fullmatch(rf"{DEMO_FRAMES} frames \({DEMO_BYTES} bytes\) came from pcap:.*; "
                        rf"{DEMO_FRAMES} were received by 1 persistent kernel on .*CPU executor.*, "
                        rf"in {DEMO_FLOWS} flows, within [0-9.]+ s", lines[-1]), lines[-1]
    _, out, _ = flows.run("--nic", f"pcap:{DEMO}", "--top", "1000")
    assert sum(" tcp " in line or " udp " in line or " icmp" in line
               for line in out.splitlines()) == DEMO_FLOWS


def test_times_are_those_of_the_capture():
    """First and last time of a flow whose frames are not in the order of their times."""
    frame = f.ethernet(0x0800) + f.ipv4(17, f.udp())
    second = 1_700_000_000_000_000_000
    times = [second + offset for offset in (2_000_000, 1_000_000, 5_500_000, 3_000_000)]
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "times.pcapng",
                       f.pcapng([(frame, len(frame), moment) for moment in times]))
        for scope in SCOPES:
            _, out, _ = flows.run("--nic", f"pcap:{path}", "--scope", scope)
            assert "2023-11-14 22:13:20.001" in out and "0.004500" in out, out


def test_frames_longer_than_the_slot_are_counted():
    lengths = [2047, 2048, 2049, 4000, 60]
    listed = []
    for length in lengths:
        frame = f.ethernet(0x0800) + f.ipv4(17, f.udp(b"l" * (length - 42)))
        assert len(frame) == length
        listed.append((frame, length, 1))
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "long.pcap", f.pcap(listed))
        for slot, too_long in ((2048, 2), (2047, 3), (64, 4), (4000, 0), (131072, 0)):
            found = flows.result("--nic", f"pcap:{path}", "--slot-bytes", str(slot))
            assert found["dropped"][TOO_LONG] == too_long, (slot, found)
            assert found["delivered"] == len(lengths) - too_long
            assert found["bytes"] == sum(lengths)


def test_long_frames_of_shared_captures_are_counted():
    for name, frames, too_long in (("dns_fwdptr.pcap", 1, 1), ("web-mixed.pcap", 1723, 273)):
        for queues in ("1", "4"):
            found = flows.result("--nic", f"pcap:{shared_capture(name)}", "--queues", queues)
            assert (found["frames"], found["dropped"][TOO_LONG]) == (frames, too_long), found
            assert found["delivered"] == frames - too_long


def test_a_slow_kernel_counts_every_flow_exactly():
    """It waits 10 ms after each receive, before it reads the packets. Long slots are few, so the
    queue is full all the time, and goes round many times."""
    times = 3
    expected = scaled(flows.summary(flows.result("--nic", f"pcap:{DEMO}")), times)
    for scope in SCOPES:
        for queues in ("1", "4"):
            found = flows.result("--nic", f"pcap:{DEMO},repeat={times}", "--delay-ms", "10",
                                 "--slot-bytes", "131072", "--scope", scope, "--queues", queues)
            assert sum(found["dropped"].values()) == 0
            expect_equal(f"{scope}, {queues} queues", flows.summary(found), expected)


def test_a_repeated_capture_counts_as_often():
    once = flows.summary(flows.result("--nic", f"pcap:{DEMO}"))
    assert (once["frames"], once["bytes"]) == (DEMO_FRAMES, DEMO_BYTES)
    for scope in SCOPES:
        found = flows.result("--nic", f"pcap:{DEMO},speed=max,repeat=50", "--scope", scope,
                             "--queues", "3")
        expect_equal(scope, flows.summary(found), scaled(once, 50))


def test_many_queues():
    once = flows.summary(flows.result("--nic", f"pcap:{DEMO}"))
    found = flows.result("--nic", f"pcap:{DEMO}", "--queues", "64")
    expect_equal("64 queues", flows.summary(found), once)


def test_recorded_speed_takes_the_recorded_time():
    listed = [frame for frame, _ in made_captures.numbered(made_captures.transports())]
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "recorded.pcap", f.pcap(listed))
        found = flows.result("--nic", f"pcap:{path},speed=recorded,repeat=5")
        assert found["frames"] == 5 * len(listed)
        assert found["elapsed_s"] >= 5 * (len(listed) - 1) * 0.001, found["elapsed_s"]


def test_what_finds_no_slot_is_dropped_and_counted():
    found = flows.result("--nic", "gen:size=64,rate=1000000,count=20000,flows=8", "--delay-ms",
                         "10", "--slot-bytes", "131072")
    assert found["frames"] == 20000
    assert found["dropped"]["no free slot"] > 0 and found["delivered"] > 0, found


def test_generated_flows():
    for protocols, numbers in (("udp", {17}), ("mix", {17, 6, 1})):
        found = flows.result("--nic", f"gen:size=128,flows=30,count=5000,proto={protocols}",
                             "--queues", "2")
        assert (found["frames"], found["bytes"], found["delivered"]) == (5000, 640000, 5000)
        assert len(found["flows"]) == 30
        assert {flow["proto"] for flow in found["flows"]} == numbers


def test_duration_ends_an_endless_generator():
    found = flows.result("--nic", "gen:size=64,flows=100", "--duration", "0.5", "--queues", "2")
    assert found["elapsed_s"] >= 0.5 and found["delivered"] > 0
    assert sum(found["dropped"].values()) == found["dropped"]["not received before the stop"]


def wait_until(condition):
    end = time.monotonic() + flows.DEADLINE_S
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def catches(pid, number):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        caught = int(re.search(r"SigCgt:\s*(\w+)", file.read())[1], 16)
    return caught >> (number - 1) & 1


def test_a_signal_ends_it_cleanly_at_any_time():
    for number in (signal.SIGINT, signal.SIGTERM):
        for delay_s in (0, 0.02, 0.1, 0.4):  # any moment is fine; these are different ones
            process = flows.start("--nic", "gen:size=imix,flows=100", "--queues", "2", "--json")
            wait_until(lambda: process.poll() is not None or catches(process.pid, number))
            assert process.poll() is None, process.communicate()
            time.sleep(delay_s)
            process.send_signal(number)
            out, err = process.communicate(timeout=flows.DEADLINE_S)
            assert process.returncode == 0 and err == "", (process.returncode, err)
            flows.check_sums(flows.json.loads(out))


class Terminal:
    """The program on a terminal of its own, where a person sees and types."""

    def __init__(self, *arguments):
        self.text = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execv(flows.WARPNIC, [flows.WARPNIC, "flows", *arguments])
        self.alarm = signal.signal(signal.SIGALRM, self.give_up)
        signal.alarm(flows.DEADLINE_S)

    def give_up(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("waited too long; it said: " + self.text)

    def read_until(self, pattern):
        while not re.search(pattern, self.text):
            self.text += os.read(self.terminal, 4096).decode()

    def type(self, text):
        os.write(self.terminal, text)

    def finish(self):
        """Reads all the rest; the exit status."""
        try:
            while data := os.read(self.terminal, 4096).decode():
                self.text += data
        except OSError:  # what Linux says when the other end is closed
            pass
        _, status = os.waitpid(self.pid, 0)
        signal.alarm(0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)


def test_progress_is_shown_on_a_terminal_and_ctrl_c_ends_it():
    program = Terminal("--nic", "gen:size=64,flows=10", "--queues", "2")
    program.read_until(r"[1-9]\d* frames, \d+\.\d\d million a second, \d+ in flight, 0 dropped")
    program.type(b"\x03")
    assert program.finish() == 0, program.text
    shown = program.text.rsplit("\x1b[K", 1)[1]  # the progress line is gone, the result remains
    found = re.search(r"([1-9]\d*) frames \(\d+ bytes\) came from gen:.*; (\d+) were received by "
                      r"2 persistent kernels .*, in 10 flows", shown)
    assert found, program.text


def test_a_full_table_says_so_and_keeps_exact_totals():
    spec = "gen:size=100,flows=1000,count=50000"
    for scope in SCOPES:
        code, out, err = flows.run("--nic", spec, "--table", "64", "--json", "--scope", scope)
        found = flows.json.loads(out)
        assert code == 0 and "the flow table of 64 flows a queue is full" in err, err
        flows.check_sums(found)
        untracked = found["untracked"]
        assert len(found["flows"]) == 64 and untracked["frames"] > 0
        assert found["frames"] == found["delivered"] == 50000
        assert sum(flow["bytes"] for flow in found["flows"]) + untracked["bytes"] == 5000000
        # A flow that is listed is complete.
        whole = flows.summary(flows.result("--nic", spec))["flows"]
        for key, counts in flows.summary(found)["flows"].items():
            assert whole[key] == counts, (key, whole[key], counts)


def expect_refused(status, words, *arguments):
    code, out, err = flows.run(*arguments)
    assert code == status, f"{arguments}: exit status {code}: {err}"
    assert out == "" and all(word in err for word in words), f"{arguments}: {err}"
    assert len(err.strip().splitlines()) <= 2, err  # a sentence, not a log


def test_files_that_cannot_be_used_are_refused_with_the_reason():
    frame = f.ethernet(0x0800) + f.ipv4(17, f.udp())
    good = f.pcap([(frame, len(frame), 1)])
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            (folder + "/missing.pcap", "No such file"),
            (written(folder, "empty.pcap", b""), "is empty"),
            (written(folder, "header-only.pcap", good[:24]), "holds no frame"),
            (written(folder, "cut-header.pcap", good[:20]), "cannot be read"),
            (written(folder, "cut-first.pcap", good[:-10]), "before its first frame ends"),
            (written(folder, "text.pcap", b"This is no capture, but a letter to you.\n"),
             "cannot be read"),
            (written(folder, "hdlc.pcap", f.pcap([(b"\x0f\0\x08\0", 4, 1)], link_type=104)),
             "not of Ethernet"),
            (written(folder, "raw-ip.pcap", f.pcap([(frame[14:], 28, 1)], link_type=101)),
             "not of Ethernet"),
            (folder, "is a folder"),
        ]
        for path, reason in cases:
            expect_refused(1, (path, reason), "--nic", f"pcap:{path}")
            expect_refused(1, (path, reason), "--nic", f"pcap:{path}", "--json")


def test_a_capture_cut_in_its_middle_is_used_up_to_there_with_a_warning():
    frame = f.ethernet(0x0800) + f.ipv4(17, f.udp())
    listed = [(frame, len(frame), 1)] * 10
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (("cut.pcap", f.pcap(listed)), ("cut.pcapng", f.pcapng(listed))):
            for missing in (5, len(frame) + 10):  # within a frame, within the header before it
                path = written(folder, name, data[:-missing])
                code, out, err = flows.run("--nic", f"pcap:{path}", "--json")
                assert code == 0, (code, err)
                assert "warning" in err and path in err and "damaged after frame 9" in err, err
                found = flows.json.loads(out)
                flows.check_sums(found)
                assert found["frames"] == 9


def test_wrong_options_are_refused_with_the_reason():
    nic = ("--nic", f"pcap:{DEMO}")
    for words, *arguments in (
            (("--nic", "required"),),
            (("--queues", "64"), *nic, "--queues", "0"),
            (("--queues", "64"), *nic, "--queues", "65"),
            (("--queues", "many"), *nic, "--queues", "many"),
            (("--slot-bytes", "1048576"), *nic, "--slot-bytes", "63"),
            (("--slot-bytes", "1048576"), *nic, "--slot-bytes", "1048577"),
            (("--duration",), *nic, "--duration", "-1"),
            (("--duration",), *nic, "--duration", "soon"),
            (("--top",), *nic, "--top", "-1"),
            (("--scope", "grid"), *nic, "--scope", "grid"),
            (("--gpu", "auto, cpu, cuda:N"), *nic, "--gpu", "gpu0"),
            (("cuda:0", "--gpu cpu"), *nic, "--gpu", "cuda:0"),
            (("--sdk-log-level", "loud"), *nic, "--sdk-log-level", "loud"),
            (("speed", "warp"), "--nic", f"pcap:{DEMO},speed=warp"),
            (("repeat",), "--nic", f"pcap:{DEMO},repeat=0"),
            (("size",), "--nic", "gen:size=1"),
            (("colour",), "--nic", "gen:colour=red"),
            (("wire",), "--nic", "wire:eth0"),
            (("--speed",), *nic, "--speed", "max")):
        expect_refused(2, words, *arguments)


def test_help_and_version():
    for arguments in (["--help"], ["flows", "--help"], ["--version"]):
        done = subprocess.run([flows.WARPNIC, *arguments], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", arguments
    assert re.search(r"\bwarpnic \d+\.\d+\.\d+\b", done.stdout), done.stdout
    assert subprocess.run([flows.WARPNIC], capture_output=True).returncode == 2


def main():
    tests = {name[5:]: function for name, function in globals().items()
             if name.startswith("test_")}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(tests))
        return 0
    if sys.argv[1:2] == ["--registered"]:
        missing = set(tests) ^ set(sys.argv[2:])
        print("\n".join(f"not registered, or not a test: {name}" for name in missing))
        return 1 if missing else 0
    for name in sys.argv[1:] or tests:
        try:
            tests[name]()
        except Skip as reason:
            print(f"skipped: {name}: {reason}")
            return 77
        print(f"{name}: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
