"""How pip builds the package: by scikit-build-core, but that an sdist has the library's sources, and that a
terminal is told what is built."""

import os
import tempfile
from pathlib import Path

import progress
import sources
from scikit_build_core import build as _scikit
from scikit_build_core.build import *  # noqa: F403  the other hooks


def build_sdist(sdist_directory, config_settings=None):
    if Path("library").is_dir():  # this is an sdist
        return _scikit.build_sdist(sdist_directory, config_settings)
    here, target = os.getcwd(), os.path.abspath(sdist_directory)
    with tempfile.TemporaryDirectory() as folder:
        sources.stage(Path(here), Path(folder))
        os.chdir(folder)
        try:
            return _scikit.build_sdist(target, config_settings)
        finally:
            os.chdir(here)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with progress.shown():
        return _scikit.build_wheel(wheel_directory, config_settings, metadata_directory)
