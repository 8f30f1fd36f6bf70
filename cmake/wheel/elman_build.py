"""Build wheels and source archives (PEP 517 and 660) with CMake and the standard library of Python.

    pip install .        a library for any processor of this architecture, which loads OpenBLAS and the other libraries of
                         this system
    pip wheel --config-settings preset=wheel .
                         one wheel for other Linux systems, too: the library contains these libraries (build/NAME.whl);
                         preset=wheel-arm64 makes the wheel for 64-bit ARM with the cross compiler
    pip install -e .     the modules of this folder, with the library of `cmake --build --preset release`

The environment variable CMAKE_ARGS contains further arguments for the configuration. CMake installs the component
`python`, which is the content of the wheel. The same files give the same bytes."""

import base64
import csv
import gzip
import hashlib
import io
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATE = int(os.environ.get("SOURCE_DATE_EPOCH", 1795305600))  # the day of version 0.1.0, as in cmake/sbom.cmake
# A source archive has the files that git lists or, without git, all files that are neither hidden
# nor built.
BUILT = "build", "dist", "__pycache__"
# Libraries that a manylinux wheel may load (PEP 600): parts of the GNU C library.
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt|mvec)\.so\.\d|ld-linux-[\w-]+\.so\.\d")


# ---- metadata ----


def project():
    """Return the table [project] with the version."""
    try:
        import tomllib
    except ImportError:
        import tomli as tomllib
    found = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (ROOT / "include/elman/version.h").read_text("utf-8")
    return {**found, "version": ".".join(re.findall(r"^#define ELMAN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.MULTILINE))}


def metadata(of):
    lines = ["Metadata-Version: 2.1", f"Name: {of['name']}", f"Version: {of['version']}",
             f"Summary: {of['description']}", f"Keywords: {','.join(of['keywords'])}",
             f"License: {of['license']['text']}", f"Requires-Python: {of['requires-python']}",
             *(f"Classifier: {each}" for each in of["classifiers"]),
             *(f"Requires-Dist: {each}" for each in of["dependencies"])]
    for extra, needed in of["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {each}; extra == '{extra}'" for each in needed)]
    readme = (ROOT / of["readme"]).read_text("utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def write_metadata(folder, tag="py3-none-any"):
    """Write NAME.dist-info without its list of files; return its name."""
    of = project()
    place = pathlib.Path(folder) / f"{of['name']}-{of['version']}.dist-info"
    place.mkdir(parents=True, exist_ok=True)
    (place / "METADATA").write_text(metadata(of), "utf-8")
    shutil.copy(ROOT / "LICENSE", place)
    pure = "true" if tag.endswith("-any") else "false"
    (place / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: elman_build\nRoot-Is-Purelib: {pure}\nTag: {tag}\n")
    return place.name


# ---- the library ----


def run(*command):
    """Run a command with its output on stderr, so that the lines of a failed build are the last ones."""
    try:
        subprocess.run(command, check=True, stdout=sys.stderr, cwd=ROOT)
    except FileNotFoundError:
        raise SystemExit(f"elman: there is no {command[0]}; on Debian, 'tools/setup build' installs what the build "
                         "needs") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"elman: {shlex.join(map(str, command))} failed with code {error.returncode}; docs/install.md "
                         "lists what the build needs") from None


def build(folder, preset, fresh=True):
    """Build the library in a folder. With `fresh`, ignore the settings of an earlier build in this
    folder; otherwise keep them."""
    if fresh or not (folder / "CMakeCache.txt").is_file():
        run("cmake", "--fresh", "--preset", preset, "-B", folder, "-DELMAN_TESTS=OFF",
            *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    threads = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    run("cmake", "--build", folder, "--target", "elman_shared", "--parallel", threads)


MACHINES = {"AArch64": "aarch64", "Advanced Micro Devices X86-64": "x86_64"}  # by the names of readelf


def tag_of(library):
    """Return the tag of a wheel with this library, which states the oldest C library on which the
    wheel runs."""
    machine = platform.machine()
    try:
        said = subprocess.run(["readelf", "--wide", "--file-header", "--dynamic", "--version-info", library],
                              check=True, text=True, capture_output=True, env={**os.environ, "LC_ALL": "C"}).stdout
    except (OSError, subprocess.CalledProcessError):
        return f"py3-none-linux_{machine}"
    machine = MACHINES.get(re.search("Machine: +(.+)", said)[1], machine)
    others = [name for name in re.findall(r"\(NEEDED\).*\[(.+)\]", said) if not SYSTEM.fullmatch(name)]
    newest = max(int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", said))
    return f"py3-none-linux_{machine}" if others else f"py3-none-manylinux_2_{newest}_{machine}"


# ---- archives ----


def pack(wheel, folder):
    """Write a wheel with the files of a folder."""
    records = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data, mode=0o644):
            entry = zipfile.ZipInfo(name, time.gmtime(DATE)[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append((name, f"sha256={digest}", len(data)))

        files = sorted(path for path in folder.rglob("*") if path.is_file())
        # The metadata come last, as PEP 427 recommends.
        for path in sorted(files, key=lambda path: path.relative_to(folder).parts[0].endswith(".dist-info")):
            add(path.relative_to(folder).as_posix(), path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644)
        own = next(folder.glob("*.dist-info")).name + "/RECORD"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*records, (own, "", "")])
        add(own, text.getvalue().encode())


def source_files():
    try:
        said = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                              check=True, capture_output=True).stdout
        names = [name for name in os.fsdecode(said).split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")]
    return sorted(name for name in names if (ROOT / name).is_file() and not any(
        part in BUILT or (part.startswith(".") and part != ".gitignore") for part in pathlib.PurePath(name).parts))


# ---- hooks ----


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return write_metadata(metadata_directory)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = dict(config_settings or {})
    preset = settings.pop("preset", "python")
    if settings:
        raise SystemExit(f"elman: unknown setting {next(iter(settings))!r}; there are preset=wheel and preset=wheel-arm64")
    built = ROOT / "build" / preset
    build(built, preset)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run("cmake", "--install", built, "--prefix", folder, "--component", "python")
        tag = tag_of(folder / "elman/libelman.so")
        write_metadata(folder, tag)
        of = project()
        name = f"{of['name']}-{of['version']}-{tag}.whl"
        pack(pathlib.Path(wheel_directory) / name, folder)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    build(ROOT / "build/release", "release", fresh=False)
    with tempfile.TemporaryDirectory() as temporary:
        folder, of, tag = pathlib.Path(temporary), project(), "py3-none-any"
        (folder / "elman.pth").write_text(f"{ROOT / 'python'}\n")
        write_metadata(folder, tag)
        name = f"{of['name']}-{of['version']}-{tag}.whl"
        pack(pathlib.Path(wheel_directory) / name, folder)
    return name


def build_sdist(sdist_directory, config_settings=None):
    of = project()
    base = f"{of['name']}-{of['version']}"
    path = pathlib.Path(sdist_directory) / f"{base}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=DATE) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        def add(name, data, mode):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size, entry.mode, entry.mtime = len(data), mode, DATE
            archive.addfile(entry, io.BytesIO(data))

        add("PKG-INFO", metadata(of).encode(), 0o644)
        for name in source_files():
            source = ROOT / name
            add(name, source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)
    return path.name
