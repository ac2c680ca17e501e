"""Runs the program tabard, and reads what it says."""

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any, Dict, Iterator, List, Optional


class TabardError(Exception):
    """What tabard says is wrong, in its own words.

    code is the exit code of the command: 2 for wrong arguments, 1 for the rest. command is what was run.
    """

    def __init__(self, message: str, code: int, command: List[str]) -> None:
        super().__init__(message)
        self.code = code
        self.command = command


def find(program: Optional[str]) -> str:
    """The program tabard: what the caller says, what TABARD says, that in PATH, or that of the wheel."""
    name = program or os.environ.get("TABARD") or "tabard"
    path = shutil.which(name)
    if path is None and name == "tabard":
        path = shutil.which(name, path=sysconfig.get_path("scripts"))
    if path is None:
        raise TabardError(
            "there is no program %s: install tabard, or say where it is by tabard.open(..., program=PATH) "
            "or the variable TABARD" % name, 127, [name])
    return path


def arguments(options: Dict[str, Any]) -> List[str]:
    """Options of Python as flags: step_loop=3 is --step-loop=3, by=("rank", "comm") is --by=rank,comm."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        if isinstance(value, range):
            value = "%d-%d" % (value[0], value[-1]) if value.step == 1 and len(value) else list(value)
        if isinstance(value, (list, tuple, set, frozenset)):
            value = ",".join(str(v) for v in value)
        words.append("%s=%s" % (flag, value))
    return words


def failure(command: List[str], code: int, stderr: str) -> TabardError:
    """The exception for a command that failed."""
    text = stderr.strip() or "tabard ended with exit code %d and no message" % code
    lines = [line for line in text.splitlines() if not line.startswith("Run 'tabard")]
    prefix = "tabard %s: " % command[1]
    message = "\n".join(lines)
    for start in (prefix, "tabard: "):
        if message.startswith(start):
            message = message[len(start):]
    return TabardError(message, code, command)


def run(command: List[str], differs: bool = False) -> str:
    """The standard output of a command. With differs, exit code 1 and an output say that two recordings differ."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 and not (differs and done.returncode == 1 and done.stdout):
        raise failure(command, done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode("utf-8")


def into(command: List[str], file: Any) -> None:
    """Runs a command that writes to a file."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise failure(command, done.returncode, done.stderr.decode("utf-8", "replace"))


def lines(command: List[str]) -> Iterator[Dict[str, Any]]:
    """The JSON objects that a command prints, one a line, as they come. The command ends with the iterator."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        assert process.stdout is not None
        whole = False
        try:
            for line in process.stdout:
                yield json.loads(line.decode("utf-8"))
            whole = True
        finally:
            process.stdout.close()
            if not whole:
                process.kill()
            code = process.wait()
        if code != 0:
            errors.seek(0)
            raise failure(command, code, errors.read().decode("utf-8", "replace"))
