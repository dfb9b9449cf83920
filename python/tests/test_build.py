"""How the wheel is built: for which GPUs, what a terminal is told, what an sdist is made of."""

import os
import pathlib
import pty
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).parents[1]
CMAKE = shutil.which("cmake")
pytestmark = pytest.mark.skipif(not (PACKAGE / "_build").is_dir(), reason="what builds the wheel is not here")
in_a_clone = pytest.mark.skipif(not (PACKAGE.parent / "scan").is_dir(), reason="the library's sources are not here")
needs_cmake = pytest.mark.skipif(CMAKE is None, reason="no cmake")

DECIDE = """
{given}
include("{folder}/gpus.cmake")
message(STATUS "CUDA=${{PARSCAN_CUDA}} FOR=${{CMAKE_CUDA_ARCHITECTURES}}")
"""


def decided(tmp_path, given="", gpus=None, nvcc=True, **environment):
    """What gpus.cmake says and decides where nvidia-smi prints this; None: there is none."""
    programs = {"nvcc": "" if nvcc else None, "nvidia-smi": gpus}
    for name, printed in programs.items():
        if printed is not None:
            (tmp_path / name).write_text(f"#!/bin/sh\n{printed}\n")
            (tmp_path / name).chmod(0o755)
    script = tmp_path / "decide.cmake"
    script.write_text(DECIDE.format(given=given, folder=PACKAGE))
    # CMake looks for programs in /usr too, where this machine's may be.
    done = subprocess.run([CMAKE, "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-P", script], capture_output=True, text=True,
                          env={"PATH": str(tmp_path), **environment}, check=True)
    return done.stdout


@needs_cmake
def test_code_is_for_the_gpus_that_are_there(tmp_path):
    words = decided(tmp_path, gpus="echo 9.0; echo 9.0; echo 8.6; echo 6.1")
    assert "CUDA= FOR=90-real;86-real\n" in words
    assert "parscan: with CUDA, for this machine's GPUs alone (90-real;86-real)" in words
    assert "CMAKE_CUDA_ARCHITECTURES=80-real;90-real" in words  # how others are named


@needs_cmake
@pytest.mark.parametrize("gpus", [None, "exit 9", "echo 'No devices were found'; exit 6", "echo 6.1"])
def test_without_a_gpu_it_is_for_the_cpu_alone(tmp_path, gpus):
    words = decided(tmp_path, gpus=gpus)
    assert "CUDA=OFF FOR=\n" in words
    assert "parscan: for the CPU alone: there is nvcc, but nvidia-smi names no GPU" in words


@needs_cmake
def test_without_nvcc_it_is_for_the_cpu_alone(tmp_path):
    words = decided(tmp_path, gpus="echo 9.0", nvcc=False)
    assert "CUDA=OFF" in words and "there is no nvcc" in words


@needs_cmake
@pytest.mark.parametrize("given", ["set(PARSCAN_CUDA ON)", "set(CMAKE_CUDA_ARCHITECTURES 80)", "CUDAARCHS"])
def test_what_is_named_is_built(tmp_path, given):
    words = (decided(tmp_path, CUDAARCHS="80") if given == "CUDAARCHS" else decided(tmp_path, given))
    assert "parscan:" not in words and "CUDA=OFF" not in words


BUILD = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import progress
with progress.shown():
    subprocess.run(["printf", "-- Found C\\n-- parscan: libparscan_mpi\\n-- parscan: for the CPU alone\\n"], check=True)
    print(*(f"[{k}/20] Building" for k in range(1, 21)), sep="\\n")
print("after")
"""


def test_a_terminal_is_told_what_is_built():
    try:
        child, terminal = pty.fork()
    except OSError as error:  # a chroot without /dev/pts
        pytest.skip(f"no pseudo-terminal: {error}")
    if child == 0:  # its standard output is a pipe, as pip's is, and the terminal is its own
        read, write = os.pipe()
        done = subprocess.run([sys.executable, "-c", BUILD, PACKAGE / "_build"], stdout=subprocess.PIPE)
        complete = b"for the CPU alone\n[1/20]" in done.stdout and done.stdout.endswith(b"[20/20] Building\nafter\n")
        os._exit(0 if complete and done.returncode == 0 else 1)
    told = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        told += part
    os.close(terminal)
    assert os.waitpid(child, 0)[1] == 0, told
    lines = told.decode().split()
    assert lines[:5] == "parscan: for the CPU alone".split(), lines
    assert [line for line in lines if "%" in line] == [f"{k}%" for k in range(10, 101, 10)]


def test_without_a_terminal_a_build_is_as_before():
    done = subprocess.run([sys.executable, "-c", BUILD, PACKAGE / "_build"], capture_output=True, start_new_session=True)
    assert done.returncode == 0 and done.stdout.endswith(b"after\n") and b"-- parscan: for" in done.stdout


@in_a_clone
def test_the_licence_is_the_librarys():
    assert (PACKAGE / "LICENSE").read_bytes() == (PACKAGE.parent / "LICENSE").read_bytes()
    assert 'license-files = ["LICENSE"]' in (PACKAGE / "pyproject.toml").read_text()


@in_a_clone
@needs_cmake
@pytest.mark.skipif(not (shutil.which("ninja") and shutil.which("cc")), reason="no ninja or no C compiler")
def test_an_sdist_is_complete(tmp_path):
    """CMake finds all files in it that its build names. packaging/check_in_chroot.sh builds from one."""
    staged = tmp_path / "staged"
    subprocess.run([sys.executable, PACKAGE / "_build" / "sources.py", staged], check=True)
    assert not (staged / "LICENSE").is_symlink() and (staged / "library" / "LICENSE").is_file()
    assert 'input = "library/CMakeLists.txt"' in (staged / "pyproject.toml").read_text()
    build = tmp_path / "build"
    subprocess.run([CMAKE, "-G", "Ninja", "-S", staged, "-B", build, "-DPARSCAN_CUDA=OFF", "-DPARSCAN_SIMD_SETS=portable"],
                   check=True, capture_output=True)
    subprocess.run(["ninja", "-C", build, "-n", "parscan"], check=True, capture_output=True)
    assert str(PACKAGE.parent / "scan") not in (build / "build.ninja").read_text()
