#!/usr/bin/env python3
"""Build one package of packaging/, offline, and a program that uses it.

usage: packages.py deb|conan|meson|vcpkg --source DIR --build DIR --compiler COMPILER

Each kind builds the package in DIR, then packaging/conan/test_package against it alone, and runs that program. A tool that is not
on this machine is a line "skipped: ..." and no error.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys


class Skipped(Exception):
    """A tool that is not on this machine."""


def tool(name, source):
    """The path of a tool: of build/packages, which ./dev setup packages makes, or on PATH."""
    found = shutil.which(name, path=f"{source / 'build/packages/bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}")
    if not found:
        raise Skipped(f"no {name}. {'Run ./dev setup packages' if name in ('conan', 'meson') else 'Install it'}")
    return found


def run(*command, **environment):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, env={**os.environ, **environment})


def build_consumer(arguments, prefix, target):
    """Configures, builds and runs the program of the recipes with this prefix alone."""
    folder = arguments.build / "consumer"
    run("cmake", "-S", arguments.source / "packaging/conan/test_package", "-B", folder, "-G", "Ninja",
        f"-DCMAKE_CXX_COMPILER={arguments.compiler}", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DPLACEMENT_TARGET={target}")
    cache = (folder / "CMakeCache.txt").read_text()
    if f"placement_DIR:PATH={prefix}" not in cache:
        sys.exit(f"the program found another package than that in {prefix}")
    run("cmake", "--build", folder)
    run(folder / "consumer")


def deb(arguments):
    for name in ("cpack", "dpkg-deb"):
        tool(name, arguments.source)
    run("cmake", "-S", arguments.source, "-B", arguments.build / "plain", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={arguments.compiler}")
    run("cpack", "-G", "DEB", "--config", arguments.build / "plain/CPackConfig.cmake", "-B", arguments.build / "deb")
    files = list((arguments.build / "deb").glob("*.deb"))
    if len(files) != 1 or not files[0].name.startswith("libplacement-dev_") or not files[0].name.endswith("_all.deb"):
        sys.exit(f"cpack wrote {[file.name for file in files]}, not libplacement-dev_<version>_all.deb")
    root = arguments.build / "root"
    run("dpkg-deb", "-x", files[0], root)
    if (root / "usr/bin").exists():
        sys.exit("a package for all architectures contains programs")
    for path in ("share/doc/libplacement-dev/copyright", "share/doc/libplacement-dev/CHANGELOG.md.gz"):
        if not (root / "usr" / path).is_file():
            sys.exit(f"the package has no /usr/{path}")
    if "Object form" not in (root / "usr/share/doc/libplacement-dev/copyright").read_text():
        sys.exit("the copyright file lacks the exception of the license")
    if packed := [path for path in root.rglob("*") if path.is_file() and str(arguments.source) in path.read_bytes().decode("latin1")]:
        sys.exit(f"these files of the package contain the path of the source: {packed}")
    build_consumer(arguments, root / "usr", "placement::placement")
    flags = subprocess.run(["pkg-config", "--cflags", "--define-prefix", "placement"], check=True, capture_output=True, text=True,
                           env={**os.environ, "PKG_CONFIG_PATH": f"{root}/usr/share/pkgconfig"}).stdout.split()
    run(arguments.compiler, *flags, "-fsyntax-only", arguments.source / "tests/consumers/main.cpp")


def conan(arguments):
    command = tool("conan", arguments.source)
    home = arguments.build / "home"
    environment = {"CONAN_HOME": str(home), "CXX": arguments.compiler, "CC": ""}
    run(command, "profile", "detect", **environment)
    run(command, "create", arguments.source / "packaging/conan", "--no-remote", "-s", "compiler.cppstd=20", "-s", "build_type=Debug",
        "-c", f"tools.cmake.cmake_layout:test_folder={arguments.build / 'test_package'}",
        "-c", "tools.cmake.cmaketoolchain:user_presets=", "-c", "tools.build:jobs=1", **environment)


def meson(arguments):
    """Through the wrap, from a repository that has only this version."""
    command, git = tool("meson", arguments.source), tool("git", arguments.source)
    recipe = arguments.source / "packaging/meson"
    wrap = (recipe / "placement.wrap").read_text()
    url = next(line for line in wrap.splitlines() if line.startswith("url = "))
    revision = next(line for line in wrap.splitlines() if line.startswith("revision = ")).removeprefix("revision = ")

    repository = arguments.build / "repository"
    for folder in ("include", "cmake"):
        shutil.copytree(arguments.source / folder, repository / folder)
    run(git, "-C", repository, "init", "--quiet")
    run(git, "-C", repository, "add", ".")
    run(git, "-C", repository, "-c", "user.name=test", "-c", "user.email=test@test.invalid", "commit", "--quiet", "-m", "Version")
    run(git, "-C", repository, "tag", revision)

    program = arguments.build / "program"
    shutil.copytree(recipe, program / "subprojects")
    (program / "subprojects/placement.wrap").write_text(wrap.replace(url, f"url = file://{repository}"))
    shutil.copy(arguments.source / "packaging/conan/test_package/consumer.cpp", program)
    (program / "meson.build").write_text(
        "project('consumer', 'cpp', default_options: ['cpp_std=c++20'])\n"
        "executable('consumer', 'consumer.cpp', dependencies: dependency('placement'))\n"
        "headers = subproject('placement').get_variable('placement_headers_dep')\n"
        "executable('headers', 'consumer.cpp', dependencies: headers)\n")
    run(command, "setup", program / "build", program, "--buildtype", "plain", CXX=arguments.compiler)
    run(command, "compile", "-C", program / "build", "-j", "1")
    run(program / "build/headers")
    run(program / "build/consumer")


def vcpkg(arguments):
    """Runs the portfile by functions of the names of vcpkg's, see vcpkg_functions.cmake."""
    prefix = arguments.build / "packages"
    run("cmake", "-D", f"CURRENT_PORT_DIR={arguments.source / 'packaging/vcpkg/placement'}", "-D", f"CURRENT_PACKAGES_DIR={prefix}",
        "-P", pathlib.Path(__file__).resolve().parent / "vcpkg_functions.cmake", CXX=arguments.compiler)
    if unexpected := sorted({path.name for path in prefix.iterdir()} - {"include", "share"}):
        sys.exit(f"a port of headers has include and share only, not {unexpected}")
    for path in ("copyright", "usage"):
        if not (prefix / "share/placement" / path).is_file():
            sys.exit(f"the port has no share/placement/{path}")
    build_consumer(arguments, prefix, "placement::headers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = {function.__name__: function for function in (deb, conan, meson, vcpkg)}
    parser.add_argument("kind", choices=kinds)
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.build, ignore_errors=True)
    arguments.build.mkdir(parents=True)
    try:
        kinds[arguments.kind](arguments)
    except Skipped as reason:
        print(f"skipped: {reason}")


if __name__ == "__main__":
    main()
