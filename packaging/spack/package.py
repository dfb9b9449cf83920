# Spack's recipe of parscan: `spack repo create REPO`, this file as REPO/packages/parscan/package.py, `spack install parscan`.
# Options: spack install parscan +mpi +cuda cuda_arch=90

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Parscan(CMakePackage, CudaPackage):
    """Parallel scan (prefix sum), and what is built on scan: radix sort, stream compaction, histograms,
    segmented scans, allocation. A C library for all cores of a CPU and NVIDIA GPUs, and a program."""

    homepage = "https://a-seed-1418b29e.example/parscan"
    git = "https://a-seed-1418b29e.example/parscan.git"
    url = "https://a-seed-1418b29e.example/parscan/releases/parscan-0.2.0.tar.gz"

    license("MIT")

    # A release's archive has its sha256 here, in Spack's copy.
    version("main", branch="main")

    variant("shared", default=True, description="The shared library; otherwise the static one")
    variant("program", default=True, description="The program parscan")
    variant("mpi", default=False, description="libparscan_mpi, and the program parscan-mpi")
    variant("nccl", default=False, when="+cuda", description="libparscan_nccl")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("zlib-api", when="+program")
    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+nccl")

    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("PARSCAN_BUILD_TESTS", False),  # they need Criterion, which Spack has not
            self.define("PARSCAN_BUILD_BENCH", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PARSCAN_BUILD_PROGRAM", "program"),
            self.define_from_variant("PARSCAN_CUDA", "cuda"),
            self.define_from_variant("PARSCAN_MPI", "mpi"),
            self.define_from_variant("PARSCAN_NCCL", "nccl"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def test_scan(self):
        """a scan by the program"""
        if self.spec.satisfies("~program"):
            raise SkipTest("there is no program")
        with open("numbers", "w") as file:
            file.write("1\n2\n3\n")
        parscan = which(self.prefix.bin.parscan)
        assert parscan("scan", "numbers", output=str.split).split() == ["1", "3", "6"]
