"""Bodies with file objects of Gradio, which it would open, copy or fetch before any function is called."""

from __future__ import annotations

from tests.ui.raw import API

META = b'"meta": {"_type": "gradio.FileData"}'
# Each as JSON, since some differ only in how a key is written. OUTSIDE is a file of the server.
OBJECTS: dict[str, bytes] = {
    "a file": b'{"path": "OUTSIDE", %s}' % META,
    "a device": b'{"path": "/dev/zero", %s}' % META,
    "a terminal": b'{"path": "/dev/stdin", %s}' % META,
    "a process": b'{"path": "/proc/self/environ", %s}' % META,
    "a folder": b'{"path": "/etc", %s}' % META,
    "a missing file": b'{"path": "/no/such/file", %s}' % META,
    "a relative path": b'{"path": "app.py", %s}' % META,
    "a path that climbs": b'{"path": "../../etc/passwd", %s}' % META,
    "no path": b'{"path": "", %s}' % META,
    "a URL": b'{"path": "http://127.0.0.1:9/x", %s}' % META,
    "a URL with TLS": b'{"path": "https://127.0.0.1:9/x", %s}' % META,
    "a URL of a file": b'{"path": "file:///etc/passwd", %s}' % META,
    "a URL next to a path": b'{"path": "x", "url": "http://127.0.0.1:9/x", %s}' % META,
    "a URL alone": b'{"url": "http://127.0.0.1:9/x", %s}' % META,
    "a stream": b'{"path": "OUTSIDE", "is_stream": true, %s}' % META,
    "a picture": b'{"path": "/tmp/x.svg", "mime_type": "image/svg+xml", %s}' % META,
    "all fields": b'{"path": "OUTSIDE", "url": null, "size": 1, "orig_name": "a", "mime_type": "a/b", %s}'
    % META,
    "the meta first": b'{%s, "path": "OUTSIDE"}' % META,
    "a path alone": b'{"path": "OUTSIDE"}',
    "a type alone": b'{"_type": "gradio.FileData"}',
    "another type": b'{"path": "OUTSIDE", "meta": {"_type": "gradio.Other"}}',
    "an escaped key": b'{"\\u0070ath": "OUTSIDE", "meta": {"\\u005ftype": "gradio.FileData"}}',
    "all keys escaped": b'{"\\u0070\\u0061th": "OUTSIDE", "m\\u0065ta": {"_t\\u0079pe": "gradio.FileData"}}',
    "a doubled key": b'{"path": 1, "path": "OUTSIDE", %s}' % META,
    "a doubled meta": b'{"path": "OUTSIDE", "meta": {}, %s}' % META,
    "capitals": b'{"Path": "OUTSIDE", "META": {"_TYPE": "gradio.FileData"}}',
    "a blank in the key": b'{"path ": "OUTSIDE"}',
    "in a list": b'[{"path": "OUTSIDE", %s}]' % META,
    "in lists of lists": b'[[[{"path": "OUTSIDE", %s}]]]' % META,
    "in an object": b'{"value": {"path": "OUTSIDE", %s}}' % META,
    "as a property": b'{"value": {"path": "OUTSIDE", %s}, "label": "x"}' % META,
    "after many others": b"[" + b"{}, " * 500 + b'{"path": "OUTSIDE", %s}]' % META,
    "inside its own meta": b'{"meta": {"_type": "gradio.FileData", "path": {"path": "OUTSIDE", %s}}}' % META,
    "ten deep": b'{"a": ' * 10 + b'{"path": "OUTSIDE", %s}' % META + b"}" * 10,
    "a gallery": b'[{"image": {"path": "OUTSIDE", %s}, "caption": null}]' % META,
    "a message": b'{"text": "x", "files": [{"path": "OUTSIDE", %s}]}' % META,
}
# Bodies by their route; the object takes the place of %s. Routes that are shut refuse them as well.
BODIES: dict[str, bytes] = {
    f"{API}/call/corpora": b'{"data": [%s]}',
    f"{API}/call/investigate": b'{"data": ["Who may act?", %s]}',
    f"{API}/call/case": b'{"data": [%s], "session_hash": "attack"}',
    f"{API}/queue/join": b'{"data": [%s], "fn_index": 0, "session_hash": "attack"}',
    f"{API}/queue/join/": b'{"data": [], "event_data": %s, "fn_index": 0, "session_hash": "attack"}',
    f"{API}/run/predict": b'{"data": [%s], "fn_index": 0, "session_hash": "attack"}',
    f"{API}/run/corpora": b'{"data": [%s], "fn_index": 0, "session_hash": "attack"}',
    f"{API}/api/predict": b'{"data": [%s]}',
    f"{API}/component_server/": b'{"data": {"do": "shelf", "file": %s}, "component_id": 1, '
    b'"fn_name": "corpus", "session_hash": "attack"}',
    f"{API}/mcp/": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "corpora", '
    b'"arguments": {"corpus": %s}}}',
}
