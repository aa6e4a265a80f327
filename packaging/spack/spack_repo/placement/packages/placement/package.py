"""Spack 1.0 and later: `spack repo add packaging/spack/spack_repo/placement`, then `spack install placement`."""
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Placement(CMakePackage):
    """Header-only C++20 expressions that run on the device you name."""

    homepage = "https://github.com/OWNER/placement"
    git = "https://github.com/OWNER/placement"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    # The components are found when a program is compiled. A variant only brings the library that a component needs.
    variant("blas", default=False, description="A BLAS with cblas.h, for the component blas")
    variant("zlib", default=False, description="zlib, for the component zlib")
    variant("cuda", default=False, description="The CUDA toolkit, for the components of GPUs")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("blas", when="+blas")
    depends_on("zlib-api", when="+zlib")
    depends_on("cuda@13:", when="+cuda")

    conflicts("%gcc@:11", msg="placement needs g++ 12 or later")
    conflicts("%clang@:15", msg="placement needs clang 16 or later")

    def cmake_args(self):
        return [self.define("PLACEMENT_CUDA", "OFF")]  # the installed package looks for CUDA itself
