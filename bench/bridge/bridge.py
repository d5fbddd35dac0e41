"""A per-run bridge on http.server, for npm run bench:bridge alone: what ours is compared with.

It checks most of what ours does (Host, Origin, path, one bearer in constant time, type, size, UTF-8, the run's list; not
Accept, charset, compression or a second request) and has the same two tools. A line of JSON on stdin, a line of JSON on
stdout, as lane.mjs.
"""

import hashlib
import hmac
import json
import secrets
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_LIMIT = 262_144
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
FACTS = {"ws-personal": ["Le chalet est loué du 3 au 10 août."]}


def memory_search(args, workspace):
    """The facts of the workspace that hold the query."""
    query = str(args.get("query", "")).lower()
    found = [fact for fact in FACTS.get(workspace, []) if query in fact.lower()]
    return "\n".join(found) or "Rien trouvé."


TOOLS = {
    "memory_search": {
        "description": "The tool memory_search.",
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
        "run": memory_search,
    },
    "execute_command": {
        "description": "The tool execute_command.",
        "inputSchema": {"type": "object", "properties": {"cmd": {"type": "string"}}},
        "run": lambda args, workspace: "ran",
    },
}


class Handler(BaseHTTPRequestHandler):
    """One request of one connection."""

    protocol_version = "HTTP/1.1"
    # Buffered: the head and the body leave together.
    wbufsize = -1

    def log_message(self, *_):
        """Nothing is said of a request."""

    def answer(self, status, body=None):
        """Writes an answer, and closes."""
        data = b"" if body is None else json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        self.send_response_only(status)
        self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(data)))
        if body is not None:
            self.send_header("Content-Type", "application/json")
            self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def refuse(self, status, code, message, rpc_id=None):
        """Writes an error of JSON-RPC."""
        error = {"jsonrpc": "2.0", "error": {"code": code, "message": message}}
        self.answer(status, error if rpc_id is None else {**error, "id": rpc_id})

    def do_GET(self):
        """No stream."""
        self.answer(405, {"error": "method_not_allowed"})

    def do_POST(self):
        """What ours checks of a call, in its order."""
        bridge = self.server.bridge
        if self.headers.get_all("Host") not in bridge.hosts or self.headers.get("Origin") is not None:
            return self.answer(403, {"error": "forbidden"})
        if self.path != "/mcp":
            return self.answer(404, {"error": "not_found"})
        presented = self.headers.get_all("Authorization") or []
        scheme, _, token = presented[0].partition(" ") if len(presented) == 1 else ("", "", "")
        digest = hashlib.sha256(token.strip().encode()).digest()
        if scheme.lower() != "bearer" or not hmac.compare_digest(digest, bridge.digest):
            return self.answer(401, {"error": "unauthorized"})
        if self.headers.get_content_type() != "application/json":
            return self.refuse(415, -32600, "Content-Type must be application/json")
        length = int(self.headers.get("Content-Length", "0"))
        if length > BODY_LIMIT:
            return self.refuse(413, -32600, "Body too large")
        try:
            message = json.loads(self.rfile.read(length).decode("utf-8"))
        except ValueError:
            return self.refuse(400, -32700, "Parse error")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return self.refuse(400, -32600, "Invalid request")
        method, rpc_id = message.get("method"), message.get("id")
        if rpc_id is None or str(method).startswith("notifications/"):
            return self.answer(202)
        return self.dispatch(bridge, method, message.get("params") or {}, rpc_id)

    def dispatch(self, bridge, method, params, rpc_id):
        """The methods of the legacy era."""
        if method == "initialize":
            asked = params.get("protocolVersion")
            version = asked if asked in LEGACY else LEGACY[0]
            info = {"name": "labo", "version": "0.1.0"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "ping":
            result = {}
        elif method == "tools/list":
            keys = ("description", "inputSchema")
            listed = [{"name": name, **{key: TOOLS[name][key] for key in keys}} for name in bridge.allowed]
            result = {"tools": listed}
        elif method == "tools/call":
            name = params.get("name")
            if name not in bridge.allowed:
                return self.refuse(200, -32601, f"tool '{name}' is not available to this agent", rpc_id)
            tool = TOOLS[name]
            declared = tool["inputSchema"]["properties"]
            args = {key: value for key, value in (params.get("arguments") or {}).items() if key in declared}
            text = tool["run"](args, bridge.workspace)
            result = {"content": [{"type": "text", "text": text}]}
        else:
            return self.refuse(200, -32601, f"Unknown method: {method}", rpc_id)
        return self.answer(200, {"jsonrpc": "2.0", "id": rpc_id, "result": result})


class Server(ThreadingHTTPServer):
    """A thread for each connection."""

    daemon_threads = True
    # Its usual queue of 5 would make a client wait for a second.
    request_queue_size = 128


class Bridge:
    """One run: a listener on a port of the loopback, a token, a list, a workspace; `poll` in seconds, as serve_forever's."""

    def __init__(self, poll):
        self.token = secrets.token_hex(32)
        self.digest = hashlib.sha256(self.token.encode()).digest()
        self.allowed = {"memory_search"}
        self.workspace = "ws-personal"
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.bridge = self
        self.port = self.server.server_address[1]
        self.hosts = [[f"127.0.0.1:{self.port}"], [f"localhost:{self.port}"]]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(poll,), daemon=True)
        self.thread.start()

    def close(self):
        """Returns once the listener is gone."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def cycle(count, poll):
    """Starts and stops `count` bridges; what each took, in ms."""
    starts, stops = [], []
    for _ in range(count):
        since = time.perf_counter()
        bridge = Bridge(poll)
        starts.append((time.perf_counter() - since) * 1_000)
        since = time.perf_counter()
        bridge.close()
        stops.append((time.perf_counter() - since) * 1_000)
    return {"start": starts, "stop": stops, "refused": is_refused(bridge.port)}


def is_refused(port):
    """Whether nothing listens there."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return False
    except ConnectionRefusedError:
        return True


def main():
    """Serves until stdin ends."""
    bridge = Bridge(0.01)
    print(json.dumps({"port": bridge.port, "token": bridge.token}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(cycle(asked["count"], asked["poll"])), flush=True)
    bridge.close()


main()
