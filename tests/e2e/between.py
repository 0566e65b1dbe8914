"""between - a proxy between a client and a collector, which forwards their bytes in pieces, in part or with additional
bytes."""
import contextlib
import selectors
import socket
import threading

PIECE = 7  # bytes
TEXT, LABEL = 0x7009, 0x7013


class Between:
    """Listens on a Unix socket; a context manager. `mode`: whole, pieces, half (only 20 bytes of each answer), more
    (unrequested bytes, once), hush (help texts and labels are held until the mode changes)."""

    def __init__(self, path, collector):
        self.path, self.collector = path, collector
        self.mode = "whole"
        self.held = 0  # answers that were cut
        self.connections = 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(16)
        self.threads = []
        self.over = False

    @property
    def host(self):
        return f"unix:{self.path}"

    def answer(self, client, data):
        mode = self.mode
        if mode == "half":
            self.held += 1
            client.sendall(data[:20])
            while self.mode == "half" and not self.over and not hung_up(client):
                threading.Event().wait(0.01)
            raise ConnectionError("the rest is lost")
        if mode == "hush" and int.from_bytes(data[4:8], "big") in (TEXT, LABEL):
            self.held += 1
            while self.mode == "hush" and not self.over and not hung_up(client):
                threading.Event().wait(0.01)
        if mode == "more":
            self.mode = "whole"
            data += b"\0\0\0\x10\0\0\x70\0\0\0\0\0\0\0\0\0"
        step = PIECE if mode == "pieces" else len(data)
        for at in range(0, len(data), step):
            client.sendall(data[at:at + step])

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(str(self.collector))
            with selectors.DefaultSelector() as ready:
                ready.register(client, selectors.EVENT_READ)
                ready.register(server, selectors.EVENT_READ)
                while not self.over:
                    for key, _ in ready.select(0.2):
                        data = key.fileobj.recv(65536)
                        if not data:
                            return
                        if key.fileobj is client:
                            server.sendall(data)
                        else:
                            self.answer(client, data)

    def listen(self):
        with contextlib.suppress(OSError):
            while not self.over:
                client, _ = self.listener.accept()
                self.connections += 1
                self.threads.append(threading.Thread(target=self.serve, args=(client,)))
                self.threads[-1].start()

    def __enter__(self):
        self.threads.append(threading.Thread(target=self.listen))
        self.threads[0].start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(30)


def hung_up(client):
    """True once the client has closed its side; what it says is left where it is."""
    try:
        return client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
