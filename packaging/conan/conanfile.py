"""Conan 2 recipe. From a clone: `conan create packaging/conan`. The package has headers and the CMake package of `cmake --install`."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.0"


class PlacementConan(ConanFile):
    name = "placement"
    version = "0.1.0"
    package_type = "header-library"
    description = "Header-only C++20 expressions that run on the device you name"
    license = "Apache-2.0 WITH LLVM-exception"
    url = "https://github.com/OWNER/placement"
    homepage = url
    topics = ("arrays", "tensor", "expression-templates", "gpu", "cuda", "header-only")
    settings = "os", "arch", "compiler", "build_type"  # of the test package; package_id() removes them
    # Optional dependencies of the components blas and zlib. The other components are of the compiler and the CUDA toolkit.
    options = {"with_openblas": [True, False], "with_zlib": [True, False]}
    default_options = {"with_openblas": False, "with_zlib": False}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, os.pardir, os.pardir)
        for pattern in ("CMakeLists.txt", "CHANGELOG.md", "LICENSE", "cmake/*", "include/*", "tools/debuggers/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.with_openblas:
            self.requires("openblas/[>=0.3.20 <1]", transitive_headers=True)
        if self.options.with_zlib:
            self.requires("zlib/[>=1.2.11 <2]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["PLACEMENT_BUILD_INFO"] = False  # a package of headers
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share", "doc"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # Consumers use the library's own CMake package, which has its components and its compiled part.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "placement")]
        self.cpp_info.set_property("pkg_config_name", "placement")
