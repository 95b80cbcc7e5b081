"""Each room includes only the rooms it names and the third-party headers it is allowed."""

import pathlib
import re
from typing import Container, Iterator, Optional

from lint import Finding, cpp_files, line_of, main

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
ROOM = re.compile(r"kbsim_room\(\s*(\w+)([^)]*)\)")
ROOMS = re.compile(r"kbsim_rooms\(\s*(\w+)")
EVERYWHERE = None

# Header prefix -> rooms (or folders of a room) that may include it. The first match counts.
THIRD_PARTY = {
    "fmt/": EVERYWHERE,
    "bits/chrono.h": {"base/include"},  # where libstdc++ has it
    "boost/container": EVERYWHERE,
    "boost/intrusive": EVERYWHERE,
    "boost/crc.hpp": {"oplog", "sweep", "test/fuzz"},
    "boost/icl/": EVERYWHERE,
    "boost/locale/utf.hpp": {"base/src"},
    "boost/unordered": EVERYWHERE,
    "boost/asio": {"signals", "sim", "replay", "evaluate", "sweep", "apps", "examples"},  # outside: signals (0105)
    "boost/system": {"signals", "sim", "replay", "sweep", "apps"},
    "boost/json": {"report", "explain", "models", "evaluate", "sweep", "apps", "trace", "inputs",
                   "page"},
    "pugixml.hpp": {"inputs/src"},
    "chakra.pb.h": {"inputs/src"},
    "google/protobuf/io/coded_stream.h": {"inputs/src"},
    "google/protobuf/wire_format_lite.h": {"inputs/src"},
    "boost/uuid": {"sweep"},
    "boost/interprocess": {"sweep"},
    "boost/mpi": {"apps"},
    "boost/program_options": {"apps"},
    "boost/dll": {"apps"},
    "yaml-cpp/": {"config", "sweep/src"},
    "sqlite3.h": {"sweep/src"},
    "Eigen/": {"replay/src", "test/bench"},
    "unsupported/Eigen/": {"replay/src"},
    "range/v3/": {"topology/src", "ccl/src", "host/src", "report/src", "evaluate/src"},
    "doctest/": {"test"},
    "benchmark/": {"test/bench"},
    "sys/": {"signals", "report", "sweep", "apps"},
    "dlfcn.h": {"apps"},
    "fcntl.h": {"report", "sweep", "apps"},
    "link.h": {"sweep"},
    "cxxabi.h": {"base"},
    "immintrin.h": {"base/src", "replay"},
    "unistd.h": {"base", "signals", "report", "evaluate", "sweep", "apps", "test"},
    "malloc.h": {"test/bench"},
    "fnmatch.h": {"report"},
    "regex.h": {"test"},
    "perfetto.pb.h": {"trace"},
}


def rooms_allowed(root: pathlib.Path) -> dict[str, set[str]]:
    """The rooms that each room's CMakeLists.txt lets it include; itself always. Naming `hw` names each hw_*."""
    allowed, several = {"kernels": {"tl", "kernels"}}, []
    for path in sorted(root.glob("lib/**/CMakeLists.txt")):
        text = path.read_text()
        several += ROOMS.findall(text)
        for name, arguments in ROOM.findall(text):
            words = arguments.split()
            rooms = {name}
            if "ROOMS" in words:
                for word in words[words.index("ROOMS") + 1:]:
                    if word.isupper() or word.endswith("_PARTY"):
                        break
                    rooms.add(word)
            allowed[name] = rooms
    for name in several:
        parts = [room for room in allowed if room.startswith(f"{name}_")]
        allowed[name] = set(parts).union(*(allowed[part] for part in parts))
        for rooms in allowed.values():
            rooms.update(parts if name in rooms else [])
    return allowed


def room_at(name: pathlib.PurePath, rooms: Container[str]) -> str:
    """The room of a file in lib/."""
    inner = "_".join(name.parts[1:3])
    return inner if inner in rooms else name.parts[1]


def owners(root: pathlib.Path, rooms: Container[str]) -> dict[str, str]:
    """Header -> its room, where that isn't the header's first folder."""
    headers = [path.relative_to(root) for path in root.glob("lib/*/*/include/**/*.hpp")]
    return {"/".join(header.parts[4:]): room_at(header, rooms) for header in headers}


def places(name: pathlib.PurePath, rooms: Container[str]) -> set[str]:
    """The names under which a file may be allowed something: its room, its folder, the room that it tests.
    Tests of no single room test the whole, so they may do what apps may."""
    parts = name.parts
    if parts[0] == "lib":
        return {parts[1], "/".join(parts[1:3])}
    if parts[0] == "test" and len(parts) > 2:
        tested = parts[1] if parts[1] in rooms else "apps"
        return {"test", f"test/{parts[1]}", tested, f"{tested}/src"}
    return {parts[0]}


def room_of(name: pathlib.PurePath, rooms: Container[str]) -> Optional[str]:
    """The room whose rules bind a file; None if it may include every room."""
    if name.parts[0] == "lib":
        return room_at(name, rooms)
    if name.parts[0] == "test" and len(name.parts) > 2:
        return None if name.parts[1] == "kernels" else name.parts[1]  # kernels are tested on every backend
    return "kernels" if name.parts[0] == "kernels" else None


def complaint(header: str, name: pathlib.PurePath, allowed: dict[str, set[str]],
              owner: dict[str, str]) -> Optional[tuple[str, str]]:
    room = room_of(name, allowed)
    if header.startswith("kbsim/"):
        target = owner.get(header, header.split("/")[1])
        if room in allowed and target not in allowed[room]:
            return (f"room '{room}' may not include room '{target}'",
                    f"it may include {', '.join(sorted(allowed[room]))} (its CMakeLists.txt)")
        return None
    for prefix, rooms in THIRD_PARTY.items():
        if header.startswith(prefix):
            if rooms is EVERYWHERE or rooms & places(name, allowed):
                return None
            return (f"<{header}> may be included only in {', '.join(sorted(rooms))}",
                    "put what needs it there, behind an interface of the project's own")
    return (f"<{header}> belongs to no known dependency",
            "use one of README's dependencies, or add it to test/lint/includes.py with docs/adr/0008")


def check(root: pathlib.Path) -> Iterator[Finding]:
    allowed = rooms_allowed(root)
    owner = owners(root, allowed)
    for name in cpp_files(root):
        text = (root / name).read_text()
        for match in INCLUDE.finditer(text):
            header = match[1]
            if "/" not in header and not header.endswith(".h"):
                continue  # the standard library, or a neighbour file
            if '"' in match[0] and (root / name.parent / header).is_file():
                continue
            if (found := complaint(header, name, allowed, owner)) is not None:
                yield Finding(name, line_of(text, match.start(1)), *found)


if __name__ == "__main__":
    main(check)
