"""Runs a command of rankforest several times, kills it at different moments, and reports which files are on the disk.

Run as a script: killing.py OUTPUT KILLS ARGUMENT... prints JSON. The children are forked from one process that has
imported everything, so that a kill costs little.
"""

import hashlib
import json
import os
import signal
import sys
import time

from rankforest.cli import main

OLD = b"what was there before"


def start(arguments, *, wait_for_kill=None):
    """Fork a child that runs the command; optionally one that kills itself at the worst moment."""
    child = os.fork()
    if child:
        return child
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if wait_for_kill == "written":  # all is written, and has no name yet
        from rankforest.data import atomic

        atomic._settle = lambda file, mode: (file.flush(), os.kill(os.getpid(), signal.SIGKILL))
    elif wait_for_kill == "half":  # some of it is written
        from rankforest.data import atomic

        write = atomic._write

        def half(file, content):
            write(file, content)
            file.flush()
            os.truncate(file.fileno(), os.fstat(file.fileno()).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)

        atomic._write = half
    try:
        main(arguments)
    except SystemExit as ended:
        os._exit(ended.code or 0)


def look(output):
    with open(output, "rb") as file:
        content = file.read()
    return {
        "content": "old" if content == OLD else hashlib.sha256(content).hexdigest(),
        "files": sorted(os.listdir(os.path.dirname(output))),
    }


def put_old(output):
    with open(output, "wb") as file:
        file.write(OLD)


def run(output, kills, arguments):
    put_old(output)
    begin = time.monotonic()
    _, status = os.waitpid(start(arguments), 0)
    duration = time.monotonic() - begin
    found = {"whole": {**look(output), "status": status}, "killed": []}
    for moment in ["half", "written", *((k + 0.5) / kills * duration for k in range(kills))]:
        put_old(output)
        child = start(arguments, wait_for_kill=moment)
        if isinstance(moment, float):
            time.sleep(moment)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        found["killed"].append({**look(output), "moment": moment, "status": status})
    return found


if __name__ == "__main__":
    # as the children would import it, but once
    import rankforest.cli._app
    import rankforest.data.sink
    import rankforest.storage.model  # noqa: F401
    from rankforest import RankingForest, TreeRank  # noqa: F401

    print(json.dumps(run(sys.argv[1], int(sys.argv[2]), sys.argv[3:])))
