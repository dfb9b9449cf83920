"""The library's sources beside the package: what an sdist has in its folder `library`, since it cannot reach
above itself as a clone does.

    python3 sources.py FOLDER     makes there what an sdist is made of
"""

import shutil
import sys
from pathlib import Path

_LIBRARY = ("CMakeLists.txt", "LICENSE", "cmake", "include", "scan", "apps")
_NOT = ("cli", "examples", "mpi", "nccl")  # of apps: what the wheel does not have
_LEFT = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "dist", "build", "wheelhouse", "library")


def stage(package: Path, folder: Path) -> None:
    """Copies the package and the library above it to an empty folder."""
    shutil.copytree(package, folder, ignore=_LEFT, dirs_exist_ok=True)  # LICENSE, a link, becomes a file
    for name in _LIBRARY:
        source, to = package.parent / name, folder / "library" / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", *(_NOT if name == "apps" else ()))
            shutil.copytree(source, to, ignore=ignored)
        else:
            to.parent.mkdir(exist_ok=True)
            shutil.copy(source, to)
    project = folder / "pyproject.toml"
    words = project.read_text(encoding="utf-8")
    here = words.replace('input = "../CMakeLists.txt"', 'input = "library/CMakeLists.txt"')
    assert here != words
    project.write_text(here, encoding="utf-8")


if __name__ == "__main__":
    stage(Path(__file__).resolve().parents[1], Path(sys.argv[1]))
