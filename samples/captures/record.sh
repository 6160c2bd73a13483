#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records demo.pcap: real traffic between two network namespaces that this script makes and removes.
# Usage, as root: samples/captures/record.sh [FILE]
# Needs iproute2, ethtool, tcpdump, iputils-ping and python3. README.md says what is in the capture.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
file=${1:-$folder/demo.pcap}
client=warpnic-client-$$
server=warpnic-server-$$
work=$(mktemp -d)
pids=()

clean_up() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  ip netns del "$client" 2>/dev/null || true
  ip netns del "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

in_client() { ip netns exec "$client" "$@"; }

# Repeats a command until it succeeds, for at most a minute.
until_true() {
  for _ in $(seq 600); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "gave up waiting for: $*" >&2
  return 1
}

ip netns add "$client"
ip netns add "$server"
ip -n "$client" link add eth0 address 02:00:00:00:00:01 type veth \
  peer name eth0 address 02:00:00:00:00:02 netns "$server"
for side in "$client:1" "$server:2"; do
  name=${side%:*}
  host=${side#*:}
  # No frame is put together or left unfinished by an offload: what is recorded is what a wire sees.
  ip netns exec "$name" ethtool -K eth0 tso off gso off gro off lro off tx off rx off sg off \
    >/dev/null
  ip -n "$name" addr add "10.77.0.$host/24" dev eth0
  ip -n "$name" addr add "fd77::$host/64" dev eth0 nodad
  ip -n "$name" link set lo up
  ip -n "$name" link set eth0 up
done

# Not through a function, so that $! is the program itself and not a shell around it.
ip netns exec "$server" tcpdump -i eth0 -s 0 -U --time-stamp-precision=nano \
  -w "$work/demo.pcap" 2>"$work/tcpdump.log" &
pids+=($!)
until_true grep -q 'listening on' "$work/tcpdump.log"

ip netns exec "$server" python3 "$folder/traffic.py" serve >"$work/server.log" 2>&1 &
pids+=($!)
until_true grep -q ready "$work/server.log"

in_client python3 "$folder/traffic.py" use
in_client ping -q -c 5 -i 0.2 10.77.0.2
in_client ping -q -c 5 -i 0.2 fd77::2
in_client ping -q -c 2 -i 0.2 -s 4000 10.77.0.2  # longer than the MTU: fragments
in_client ping -q -c 2 -i 0.2 -s 4000 fd77::2

# All has been recorded when the last echo reply has been written.
sleep 1
kill -INT "${pids[0]}"
wait "${pids[0]}" || true
if ! grep -q '^0 packets dropped by kernel' "$work/tcpdump.log"; then
  cat "$work/tcpdump.log" >&2
  exit 1
fi
mv "$work/demo.pcap" "$file"
chmod 644 "$file"
grep 'captured' "$work/tcpdump.log"
