"""What a client that does not tidy up makes of a server that hangs up."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

from benchmarks.attacks.http.raw import Raw

REFUSAL = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nno"


@pytest.mark.parametrize(
    ("said", "status", "body"), [(REFUSAL, 400, b"no"), (REFUSAL[:20], 0, REFUSAL[:20]), (b"", 0, b"")]
)
def test_an_answer_that_came_before_the_line_was_reset_counts(said: bytes, status: int, body: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            line, _ = server.accept()
            line.recv(10)
            line.sendall(said)
            # Closed with a reset, as where a part of the request was never read.
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.close()

        refusing = threading.Thread(target=refuse)
        refusing.start()
        answer = Raw(f"http://127.0.0.1:{server.getsockname()[1]}").ask("GET", "/" + "a" * 100)
        refusing.join()
    assert (answer.status, answer.body) == (status, body)
