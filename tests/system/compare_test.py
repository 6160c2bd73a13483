#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpnic flows` against tshark, flow by flow, with 1 and 4 queues and in each scope:
compare_test.py made | FOLDER ...

made       captures that the tests make, whose frames also carry what they must be counted as
FOLDER     every capture in a folder; skipped (77) if there is no such folder"""
import os
import sys
import tempfile

import flows
import made_captures
import tshark

EACH_SCOPE = (("thread", "1"), ("thread", "4"), ("warp", "4"), ("block", "1"))
DEFAULT_SCOPE = EACH_SCOPE[:2]


def compare(path, theirs, plans=EACH_SCOPE):
    said = []
    for scope, queues in plans:
        found = flows.result("--nic", f"pcap:{path}", "--slot-bytes", "131072", "--scope", scope,
                             "--queues", queues)
        name = f"{os.path.basename(path)}, {queues} queues, scope {scope}"
        if sum(found["dropped"].values()):
            said.append(f"{name}: dropped {found['dropped']}")
        said += flows.differences(name, flows.summary(found), theirs)
    print(f"{os.path.basename(path)}: {theirs['frames']} frames, {len(theirs['flows'])} flows, "
          f"{sum(theirs['non_ip'].values())} not IP, {theirs['malformed']} malformed", flush=True)
    return said


def compare_made():
    said = []
    with tempfile.TemporaryDirectory() as folder:
        for path, listed in made_captures.make(folder).items():
            expected = tshark.summary((len(present), what) for (present, _, _), what in listed)
            # The same frames in another file format: kernels see no difference.
            is_first_format = os.path.basename(path).count(".") == 1 and path.endswith(".pcap")
            said += compare(path, expected, EACH_SCOPE if is_first_format else DEFAULT_SCOPE)
            said += flows.differences(f"tshark on {os.path.basename(path)}",
                                      tshark.summary(tshark.classified(path)), expected)
    return said


def compare_folder(folder):
    said, compared = [], 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith((".pcap", ".pcapng")):
            continue
        if name == "chdlc-slarp.pcap":  # not Ethernet
            status, out, err = flows.run("--nic", f"pcap:{path}", "--json")
            if status != 1 or out or "is not of Ethernet" not in err:
                said.append(f"{name}: exit status {status}: {out}{err}")
            continue
        said += compare(path, tshark.summary(tshark.classified(path)))
        compared += 1
    if not compared:
        said.append(f"{folder} holds no capture")
    return said


def main():
    if not tshark.is_there():
        print("skipped: tshark is not installed (scripts/install-packages test)")
        return 77
    said = []
    for what in sys.argv[1:]:
        if what != "made" and not os.path.isdir(what):
            print(f"skipped: there is no folder {what} (WARPNIC_CAPTURES)")
            return 77
        said += compare_made() if what == "made" else compare_folder(what)
    for line in said:
        print(line, file=sys.stderr)
    return 1 if said or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
