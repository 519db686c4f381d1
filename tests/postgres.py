"""A PostgreSQL server of Debian's package, in a temporary folder on the loopback address."""

import contextlib
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

PASSWORD = "s3cret-word"


def _program(name):
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)
    if found is None:
        pytest.skip(f"PostgreSQL is not installed: there is no {name}; install the package postgresql.")
    return os.path.realpath(found)


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def server():
    """The URL of a running server; the server ends with the context."""
    initdb, postgres = _program("initdb"), _program("postgres")
    with tempfile.TemporaryDirectory(prefix="rf-pg-") as folder:
        home = Path(folder)
        (home / "password").write_text(PASSWORD)
        who = {}
        if os.getuid() == 0:  # the server refuses to run as root
            who = {"user": "nobody"}
            shutil.chown(home, "nobody")
            shutil.chown(home / "password", "nobody")
        data, port = str(home / "data"), str(_free_port())
        made = [initdb, "-D", data, "-U", "tester", "-A", "scram-sha-256", "--no-sync", "-E", "UTF8", "--no-locale"]
        calm = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **who}
        subprocess.run([*made, f"--pwfile={home / 'password'}"], check=True, **calm)
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "port": port}
        running = subprocess.Popen(
            [postgres, "-D", data, *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))],
            **calm,
        )
        try:
            _wait(int(port), running)
            yield f"postgresql://tester:{PASSWORD}@127.0.0.1:{port}/postgres"
        finally:
            running.terminate()
            running.wait(30)


def _wait(port, running):
    for _ in range(600):
        if running.poll() is not None:
            raise RuntimeError("The PostgreSQL server ended at once.")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("The PostgreSQL server does not answer.")
