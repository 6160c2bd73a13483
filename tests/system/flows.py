# SPDX-License-Identifier: Apache-2.0
"""Runs `warpnic flows`, and reads what it says."""
import json
import os
import subprocess

WARPNIC = os.environ.get("WARPNIC", "warpnic")
DEADLINE_S = 300  # generous: only a hang takes so long


def start(*arguments, **options):
    return subprocess.Popen([WARPNIC, "flows", *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **options)


def run(*arguments):
    """Exit status, standard output, standard error."""
    process = start(*arguments)
    try:
        out, err = process.communicate(timeout=DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out, err


def result(*arguments, status=0):
    """The JSON of a run, after checking what must hold for every run."""
    code, out, err = run("--json", *arguments)
    assert code == status, f"exit status {code}, expected {status}: {err}"
    found = json.loads(out)
    check_sums(found)
    return found


def check_sums(found):
    """Every frame is accounted for once, by the NIC and again by the kernels."""
    assert found["frames"] == found["delivered"] + sum(found["dropped"].values()), found
    counted = (sum(flow["frames"] for flow in found["flows"]) + sum(found["non_ip"].values()) +
               found["malformed"] + found.get("untracked", {"frames": 0})["frames"])
    assert counted == found["delivered"], found


def summary(found):
    """The same shape as tshark.summary."""
    flows = {}
    for flow in found["flows"]:
        key = tuple(flow[name] for name in ("src", "dst", "proto", "sport", "dport"))
        assert key not in flows, f"{key} is listed twice"
        flows[key] = (flow["frames"], flow["bytes"])
    return {"flows": flows, "non_ip": {int(kind, 0): n for kind, n in found["non_ip"].items()},
            "malformed": found["malformed"], "frames": found["frames"], "bytes": found["bytes"]}


def differences(name, ours, theirs):
    """Sentences about everything in which two summaries differ."""
    said = [f"{name}: {part}: {ours[part]} instead of {theirs[part]}"
            for part in ("frames", "bytes", "malformed", "non_ip") if ours[part] != theirs[part]]
    for key in sorted(ours["flows"].keys() | theirs["flows"].keys(), key=str):
        mine, other = ours["flows"].get(key), theirs["flows"].get(key)
        if mine != other:
            said.append(f"{name}: flow {key}: (frames, bytes) {mine} instead of {other}")
    return said
