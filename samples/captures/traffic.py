#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two ends of the recorded traffic: traffic.py serve | use

DNS over UDP, HTTP, a bulk transfer over TCP, and a small UDP service, each over IPv4 and IPv6."""
import http.client
import http.server
import random
import socket
import struct
import sys
import threading

SERVERS = ("10.77.0.2", "fd77::2")
NAMES = ("www", "mail", "ntp", "git", "packages", "time", "proxy", "printer")
PAGES = {"/": 600, "/style.css": 5200, "/script.js": 18000, "/picture.jpg": 42000}
BULK_BYTES = 140_000


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def noise(size):
    """The same bytes each time, which look like compressed data."""
    return random.Random(size).randbytes(size)


def dns_query(number, name, kind):
    question = b"".join(bytes([len(part)]) + part.encode() for part in (name, "example"))
    head = struct.pack("!6H", number, 0x0100, 1, 0, 0, 0)
    return head + question + struct.pack("!BHH", 0, kind, 1)


def dns_answer(query):
    """Every name has the address 192.0.2.1, or 2001:db8::1."""
    kind = struct.unpack("!H", query[-4:-2])[0]
    text = "192.0.2.1" if kind == 1 else "2001:db8::1"
    address = socket.inet_pton(family(text), text)
    return (query[:2] + struct.pack("!5H", 0x8180, 1, 1, 0, 0) + query[12:] +
            struct.pack("!HHHIH", 0xC00C, kind, 1, 300, len(address)) + address)


def serve_udp(address, port, answer):
    server = socket.socket(family(address), socket.SOCK_DGRAM)
    server.bind((address, port))
    while True:
        data, peer = server.recvfrom(65535)
        server.sendto(answer(data), peer)


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = PAGES.get(self.path)
        body = noise(size) if size else b"no such page\n"
        self.send_response(200 if size else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class HttpServer(http.server.ThreadingHTTPServer):
    def __init__(self, address):
        self.address_family = family(address)
        super().__init__((address, 80), Pages)


def serve_bulk(server):
    """Sends what it receives, then closes."""
    while True:
        peer, _ = server.accept()
        with peer:
            while data := peer.recv(65536):
                peer.sendall(data)


def serve():
    threads = []
    for address in SERVERS:
        threads += [(serve_udp, address, 53, dns_answer),
                    (serve_udp, address, 7000, lambda data: b"ok " + data[:20]),
                    (HttpServer(address).serve_forever,),
                    (serve_bulk, socket.create_server((address, 5001), family=family(address)))]
    for function, *arguments in threads:
        threading.Thread(target=function, args=arguments, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


def ask(address, port, message):
    with socket.socket(family(address), socket.SOCK_DGRAM) as client:
        client.settimeout(1)
        for _ in range(30):  # the server may not have bound yet
            client.sendto(message, (address, port))
            try:
                return client.recv(65535)
            except (TimeoutError, ConnectionRefusedError):
                pass
    sys.exit(f"no answer from {address} port {port}")


def use():
    for address in SERVERS:
        for number, name in enumerate(NAMES):
            for kind in (1, 28):
                assert len(ask(address, 53, dns_query(number, name, kind))) > 30
        for _ in range(2):  # two visits, each over one connection
            connection = http.client.HTTPConnection(address, 80)
            for page, size in PAGES.items():
                connection.request("GET", page)
                assert len(connection.getresponse().read()) == size
            connection.request("GET", "/favicon.ico")
            assert connection.getresponse().status == 404
            connection.close()
        with socket.create_connection((address, 5001)) as bulk:
            sender = threading.Thread(target=lambda: (bulk.sendall(noise(BULK_BYTES)),
                                                      bulk.shutdown(socket.SHUT_WR)))
            sender.start()
            received = 0
            while data := bulk.recv(65536):
                received += len(data)
            sender.join()
            assert received == BULK_BYTES
        for number in range(10):
            assert ask(address, 7000, noise(100 + 120 * number)).startswith(b"ok ")


if __name__ == "__main__":
    if sys.argv[1:] not in (["serve"], ["use"]):
        sys.exit(__doc__)
    serve() if sys.argv[1] == "serve" else use()
