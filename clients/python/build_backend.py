"""Builds the package with the standard library alone, so that nothing has to be fetched for it (PEP 517)."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict

ROOT = Path(__file__).parent
# A build of the same source is the same, byte by byte.
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def _project() -> Dict[str, str]:
    """The texts of pyproject.toml; Python 3.10 cannot read TOML."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    return dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.MULTILINE))


def _metadata(project: Dict[str, str]) -> str:
    head = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": project["version"],
        "Summary": project["description"],
        "License": "MIT",
        "Requires-Python": project["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{name}: {value}" for name, value in head.items()]
    return "\n".join([*lines, "", (ROOT / "README.md").read_text("utf-8")])


def _sources() -> Dict[str, bytes]:
    files = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    return {path.relative_to(ROOT / "src").as_posix(): path.read_bytes() for path in files}


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    project = _project()
    base = f"{project['name']}-{project['version']}"
    info = f"{base}.dist-info"
    files = {
        **_sources(),
        f"{info}/METADATA": _metadata(project).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: waypost\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    record = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"{base}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, LONG_AGO)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    project = _project()
    base = f"{project['name']}-{project['version']}"
    own = ("LICENSE", "README.md", "build_backend.py", "pyproject.toml")
    files = {
        **{name: (ROOT / name).read_bytes() for name in own},
        **{f"src/{name}": content for name, content in _sources().items()},
        "PKG-INFO": _metadata(project).encode(),
    }
    name = f"{base}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
