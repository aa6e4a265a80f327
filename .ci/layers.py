#!/usr/bin/env python3
"""Check the structure of the headers: layers, includes, conditionals, forward declarations, names of files."""
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"

# The layers, from the lowest. A header includes headers of its own folder and of lower layers. Folders of one layer do not
# include each other.
GROUND = ["config.hpp", "error.hpp", "version.hpp"]
LAYERS = [["runtime"], ["device"], ["memory"], ["place"], ["shape", "math"], ["kernels"], ["cpu", "gpu"], ["exec", "cuda"],
          ["expr"], ["plan"], ["ops"], ["gradient"], ["interop", "lapack", "fft"], ["nn"], ["parallel"], ["tasks"]]
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}
UMBRELLA = ["placement.hpp", "gradient.hpp", "nets.hpp", "nn.hpp", "parallel.hpp", "tasks.hpp", "mpi.hpp", "placement.cuh", "compiled.hpp", "lapack.hpp", "fft.hpp", "src/all.ipp"]
SOURCES = "src/"  # definitions; they include headers of any layer
NAMES = "fwd.hpp"  # declares tensors and nodes for place/ and the layers above it

# The headers that include a header of cuda/, in their last line. It is empty where no CUDA compiler reads it.
CUDA_ENTRIES = {"exec/kernels.hpp": "cuda/cuda.cuh", "src/runtime.ipp": "cuda/definitions.cuh"}

# Only these files may contain code that depends on the compiler: markers, and the alias kernels_here.
COMPILER_SPECIFIC = ["config.hpp", "kernels/kernel_set.hpp"]
COMPILER_MACRO = re.compile(
    r"__CUDACC__|__CUDA_ARCH__|__NVCC__|PLACEMENT_CUDA_TU|__GNUC__|__clang__|_MSC_VER|__has_include|__has_builtin")

# Includes that would cost every user time in every file, or that add a dependency, with the reason. The figures are the
# parse times of the header alone with g++ 12, relative to Eigen/Core. <string> takes 0.22.
HEAVY = {
    "thrust/": "seconds under nvcc, and a dependency",
    "cub/": "seconds under nvcc; belongs in cuda/",
    "cuda/std": "seconds under nvcc; our device code includes nothing",
    "cuda_runtime": "the core must not see CUDA; belongs in cuda/",
    "fmt/": "a dependency",
    "spdlog/": "a dependency",
    "iostream": "a static initialiser in every file; use <iosfwd>, or <ostream> in a leaf",
    "format": "g++ 12 has none",
    "functional": "0.24; take a callable as a template argument",
    "regex": "0.55",
    "random": "0.39; we have a generator of our own",
    "ranges": "0.34",
    "filesystem": "0.52",
    "future": "0.55",
    "thread": "0.42",
    "chrono": "0.39",
    "mutex": "0.29; see runtime/lock.hpp",
    "shared_mutex": "0.28; see runtime/lock.hpp",
    "condition_variable": "0.46",
    "memory_resource": "0.35",
    "fstream": "0.32; reading files is an example's matter",
    "sstream": "0.30; text is put together in a std::string",
    "iomanip": "0.34",
    "locale": "0.32",
}

# The same for headers below placement.hpp, which every file parses. The figures are CPU seconds of the header alone with g++ 12;
# the umbrella header takes 0.9 with PLACEMENT_COMPILED.
HEAVY_BELOW_UMBRELLA = {
    "memory": "0.35; see heap_array in cpu/local_array.hpp",
    "algorithm": "0.11",
    "atomic": "0.23; see runtime/shared_word.hpp",
}

# Headers that may include one of these: ("header", "include"): "the reason".
ALLOWED = {
    ("interop/pmr.hpp", "memory_resource"): "std::pmr is what this leaf is about",
    ("interop/format.hpp", "format"): "std::format is what this leaf is about; only where __cpp_lib_format is defined",
}

# The files of src/ that include all others: those of the core, which the files of cmake/definitions include, and those of cuda/.
ALL_SOURCES = {False: ["src/cpu.ipp", "src/images.ipp", "src/runtime.ipp"], True: ["src/cuda/toolkit.ipp"]}

# Not a file: config.hpp includes it to stop the compiler after the message of an unmet requirement.
NO_FILE = "placement stops here: see the error above"

UMBRELLA_HEADER = "placement.hpp"

# Folders and files are named after their contents, so these names are not allowed.
NO_NAMES = {"util", "utils", "common", "helper", "helpers", "impl", "core", "base", "misc"}
LOOK_FOR_NAMES_IN = ["include", "tests", "examples", "benchmarks", "tools", "cmake", "docs"]

# Limits of include chains. docs/decisions/0050-include-depth.md names the longest ones.
DEPTH = 12  # headers in a chain below placement.hpp
FOLDER_DEPTH = 5  # headers of one folder in a chain
DEEPER_FOLDERS = {"expr": 8, "interop": 9, "memory": 8, "cuda": 7, "device": 7, "gpu": 6, "kernels": 6, "ops": 6,
                  "parallel": 7, "plan": 6}

LINES = 300  # of a header


class Header:
    def __init__(self, path):
        self.name = path.relative_to(INCLUDE / "placement").as_posix()
        self.lines = path.read_text().splitlines()
        self.includes = []  # (line number, what, whether in <> or "")
        for number, line in enumerate(self.lines, 1):
            if match := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line):
                self.includes.append((number, match[2], match[1]))

    @property
    def ours(self):
        return [(n, what.removeprefix("placement/")) for n, what, _ in self.includes if what.startswith("placement/")]

    @property
    def is_cuda(self):
        return self.name.endswith(".cuh")


def level(name):
    """The level of a header's layer; None for one that is in no layer."""
    if name in GROUND:
        return -1
    if name in UMBRELLA or name.startswith(SOURCES):
        return len(LAYERS)
    if name == NAMES:
        return LEVEL["place"]
    return LEVEL.get(name.split("/")[0]) if "/" in name else None


def may_include(name, what):
    """May header `name` include header `what`?"""
    if level(name) is None or level(what) is None:
        return True
    if what.startswith(SOURCES):
        return True  # see check_sources
    same_folder = name.split("/")[0] == what.split("/")[0] or "/" not in name or "/" not in what
    return level(what) < level(name) or (level(what) == level(name) and same_folder)


def check_constructors(header):
    """A definition that other files link is no constructor or destructor: clang emits only one of its two symbols."""
    for number, line in enumerate(header.lines, 1):
        if re.match(r"PLACEMENT_INLINE (\w+)::~?\1\(", line):
            yield number, "PLACEMENT_INLINE before a constructor or destructor; let an inline one call a member function"


def check_layer(header):
    if level(header.name) is None:
        yield 1, f"is in no layer; the folders are {', '.join(LEVEL)}"
    if header.is_cuda != header.name.startswith("cuda/") and header.name not in UMBRELLA:
        yield 1, "a .cuh belongs in cuda/, and cuda/ holds nothing else"
    if "#pragma once" not in header.lines:
        yield 1, "has no #pragma once"


def check_includes(header, names):
    for number, what in header.ours:
        if what not in names:
            yield number, f"includes {what}, which does not exist"
        elif what.startswith("cuda/") and not header.is_cuda and not header.name.startswith("src/cuda/"):
            if CUDA_ENTRIES.get(header.name) != what:
                yield number, f"includes {what}; only {', '.join(CUDA_ENTRIES)} include headers of cuda/"
            elif number < len(header.lines):
                yield number, "includes a header of cuda/ before its last line"
        elif not may_include(header.name, what):
            yield number, f"includes {what}, which is not in a lower layer"
    for number, what, quote in header.includes:
        if quote == '"' and what != NO_FILE:
            yield number, f'includes "{what}"; write <placement/...>'
        if header.is_cuda or (header.name, what) in ALLOWED:
            continue
        for heavy, reason in HEAVY.items():
            if what == heavy or (not heavy.isalpha() and what.startswith(heavy)):
                yield number, f"includes <{what}>: {reason}"


# A class that is declared or defined at the start of a line.
CLASS = re.compile(r"^(?:template <[^;{}]*>\s*)?(?:struct|class) (\w+)(;|(?: final)?\s*(?::[^;{]*)?\{)", re.M)


def check_declarations(header, defined_in):
    """A forward declaration of a class that a higher layer defines is an upward dependency. Only NAMES has some."""
    if header.name == NAMES:
        return
    text = "\n".join(header.lines)
    for match in CLASS.finditer(text):
        above = [name for name in defined_in.get(match[1], []) if not may_include(header.name, name)]
        if match[2] == ";" and above:
            yield text.count("\n", 0, match.start()) + 1, f"declares {match[1]}, which {above[0]} defines"


def check_conditionals(header):
    if header.is_cuda or header.name in COMPILER_SPECIFIC:
        return
    for number, line in enumerate(header.lines, 1):
        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line) and COMPILER_MACRO.search(line):
            yield number, f"depends on the compiler; only {', '.join(COMPILER_SPECIFIC)} and .cuh files may"


# A class with its body.
CLASS_BODY = re.compile(r"(?<![<,] )(?<!<)\b(?:struct|class) (?:alignas\([^()]*\) )?(\w+)[^;{}()]*\{")


def data_members(body):
    """The data members that a class body declares, without those of nested classes."""
    depth, flat = 0, ""
    for c in body:
        depth += c == "{"
        if depth == 0:
            flat += c
        elif c == "}" and depth == 1:
            flat += "{}"
        depth -= c == "}"
    flat = re.sub(r"\b(public|private|protected):", " ", flat)
    for one in re.split(r"\{\}(?!\s*[;,])|;", flat):
        declared = re.sub(r"\[\[.*?\]\]|\balignas\([^()]*\)", "", one).split("=")[0].strip()
        if declared and not re.match(r"(using|static|friend|template|typedef|static_assert|struct|class|enum|union)\b", declared):
            if "(" not in declared:
                yield one.strip()


def check_parameters(header):
    """Kernels are passed to GPUs by value. nvcc gives some members no bytes: docs/decisions/0033-parameters-of-kernels.md."""
    if not header.name.startswith(("kernels/", "gpu/", "shape/", "ops/")):
        return
    text = re.sub(r"//[^\n]*", "", "\n".join(header.lines))
    for match in CLASS_BODY.finditer(text):
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        members = list(data_members(text[match.end(): end - 1]))
        if len(members) > 1 and "[[no_unique_address]]" in members[-1] and "[[no_unique_address]]" not in members[0]:
            yield (text.count("\n", 0, match.start()) + 1,
                   f"the last member of {match[1]} is [[no_unique_address]]; put it first, see decision 0033")
        if (header.name.startswith(("kernels/", "gpu/"))
                and members and all("[[no_unique_address]]" in member for member in members)):
            yield (text.count("\n", 0, match.start()) + 1,
                   f"all members of {match[1]} are [[no_unique_address]]; derive from one, or see decision 0033")


def check_sources(header, headers):
    """Each file of src/ is part of the library. Declarations, which placement.hpp includes first, lead to none."""
    if header.name == "placement.hpp":
        reached = [what for _, what in header.ours if not what.startswith(SOURCES)]
        for name in reached:
            reached += [what for _, what in headers[name].ours
                        if what in headers and what not in reached]
        for name in reached:
            if name.startswith(SOURCES):
                yield 1, f"leads to {name} among the declarations"
    if header.name.startswith(SOURCES):
        declarations = headers.get(header.name.removeprefix(SOURCES).replace(".ipp", ".hpp"))
        for number, line in enumerate(header.lines, 1):
            if match := re.match(r"inline (?!constexpr|constinit)[^=;]*?(\w+)\(", line):
                if declarations and any(re.search(rf"\b{match[1]}\([^;{{]*\)[^;{{]*;", text) for text in ["\n".join(declarations.lines)]):
                    yield number, f"defines {match[1]}, which {declarations.name} declares, without PLACEMENT_INLINE"
    if header.name.startswith(SOURCES) and header.name.count("/") > 1:
        wholes = ALL_SOURCES[header.name.startswith("src/cuda/")]
        if header.name not in [*wholes, *(what for whole in wholes for _, what in headers[whole].ours)]:
            yield 1, f"is not in {' or '.join(wholes)}"


def namespaces(header):
    """The innermost namespace of each line."""
    inside = []
    for line in header.lines:
        if line.startswith(("namespace ", "inline namespace ")) and line.endswith("{"):
            inside += [name.split()[-1] for name in line.split("{") if name.strip()]
        elif line.startswith("}") and "// namespace" in line:
            del inside[len(inside) - (len(line) - len(line.lstrip("}"))):]
        yield inside[-1] if inside else ""


# A class of a header, with its base classes.
CLASS_WITH_BASES = re.compile(r"^(?:template <.*> )?(?:requires .* )?(?:struct|class) (\w+)(?:<.*>)?(?: final)?(?: : ([^{;]*))? ?\{")


def check_argument_lookup(headers):
    """Argument-dependent lookup of a call with an expression finds no function of detail: docs/decisions/0142-lookup-by-argument.md."""
    inside_detail, ops, derived = set(), {}, []
    for header in headers.values():
        if header.name.startswith(SOURCES):
            continue
        struct = None
        for number, (line, inside) in enumerate(zip(header.lines, namespaces(header)), 1):
            if match := CLASS_WITH_BASES.match(line):
                struct = match[1]
                if inside == "detail":
                    inside_detail.add(struct)
                elif inside == "no_adl":
                    bases = re.findall(r"(?:^|, ?)(?:public |private )?(\w+)", match[2] or "")
                    derived += [(header.name, number, struct, base) for base in bases]
                else:
                    bases = re.findall(r"(?<!&)\bdetail::(?:no_adl::)?(\w+)", match[2] or "")
                    derived += [(header.name, number, struct, base) for base in bases]
            elif inside == "detail" and "static constexpr std::string_view name = " in line:
                ops[struct] = header.name, number
            elif inside == "no_adl" and re.match(r"(template <.*> )?(\[\[|inline |constexpr |auto |void |bool )", line) and "(" in line:
                yield f"include/placement/{header.name}:{number}: a function in no_adl, which has classes only"
    for op, (name, number) in ops.items():
        yield f"include/placement/{name}:{number}: the op {op} is in detail; put it into detail::no_adl"
    for name, number, struct, base in derived:
        if base in inside_detail:
            yield f"include/placement/{name}:{number}: {struct} derives from {base} of detail; put that into detail::no_adl"


def find_cycle(headers):
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done or name not in headers:
            return None
        path.append(name)
        for _, what in headers[name].ours:
            if cycle := visit(what):
                return cycle
        path.pop()
        done.add(name)
        return None

    for name in headers:
        if cycle := visit(name):
            return cycle
    return None


def longest_chain(headers, follows):
    """The longest chain of includes from any of the headers, along those that follows(header, included header) is true for."""
    known = {}

    def chain(name):
        if name not in known:
            below = [chain(what) for _, what in headers[name].ours if what in headers and follows(headers[name], headers[what])]
            known[name] = [name, *max(below, key=len, default=[])]
        return known[name]

    return max(map(chain, headers), key=len, default=[])


def chain_below_umbrella(headers):
    # nn/ and parallel/ are not below placement.hpp: nn.hpp and parallel.hpp include both. The same holds for lapack/ and fft/.
    below = {name: header for name, header in headers.items()
             if name not in UMBRELLA and not name.startswith(("nn/", "parallel/", "lapack/", "fft/"))}
    return longest_chain(below, lambda header, what: header.is_cuda or not what.is_cuda)


def check_depth(headers):
    chain = chain_below_umbrella(headers)
    if len(chain) > DEPTH:
        yield f"a chain of {len(chain)} headers below placement.hpp, more than {DEPTH}: " + " -> ".join(chain)
    for folder in LEVEL:
        inside = {name: header for name, header in headers.items() if name.startswith(folder + "/")}
        chain, limit = longest_chain(inside, lambda *_: True), DEEPER_FOLDERS.get(folder, FOLDER_DEPTH)
        if len(chain) > limit:
            yield f"a chain of {len(chain)} headers of {folder}/, more than {limit}: " + " -> ".join(chain)
        if folder in DEEPER_FOLDERS and len(chain) < limit:
            yield f"{folder}/ has no chain longer than {len(chain)}: lower its limit in DEEPER_FOLDERS"


def check_umbrella(headers):
    """What the umbrella header includes, without the definitions of src/."""
    seen, rest = set(), [UMBRELLA_HEADER]
    while rest:
        header = headers[rest.pop()]
        seen.add(header.name)
        for number, what, _ in header.includes:
            if what in HEAVY_BELOW_UMBRELLA and not is_conditional(header, number):
                yield (f"include/placement/{header.name}:{number}: includes <{what}> below placement.hpp: "
                       f"{HEAVY_BELOW_UMBRELLA[what]}")
        rest += [what for number, what in header.ours
                 if what in headers and what not in seen and not what.startswith(SOURCES) and not is_conditional(header, number)]


def is_conditional(header, number):
    """Whether a line is inside of #if."""
    depth = 0
    for line in header.lines[:number - 1]:
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
    return depth > 0


def check_length(header):
    if len(header.lines) > LINES:
        yield len(header.lines), f"has more than {LINES} lines; split it by sense"


def check_names():
    for folder in LOOK_FOR_NAMES_IN:
        for path in (ROOT / folder).rglob("*"):
            if path.name.split(".")[0] in NO_NAMES:
                yield f"{path.relative_to(ROOT)}: is named for nothing in particular"


def main():
    paths = sorted([*INCLUDE.rglob("*.hpp"), *INCLUDE.rglob("*.cuh"), *INCLUDE.rglob("*.ipp")])
    headers = {header.name: header for header in map(Header, paths)}
    defined_in = {}
    for header in headers.values():
        for match in CLASS.finditer("\n".join(header.lines)):
            if match[2] != ";":
                defined_in.setdefault(match[1], []).append(header.name)
    found = []
    for header in headers.values():
        for check in (check_layer(header), check_constructors(header), check_includes(header, headers), check_conditionals(header),
                      check_declarations(header, defined_in), check_sources(header, headers), check_parameters(header), check_length(header)):
            found += [f"include/placement/{header.name}:{number}: {text}" for number, text in check]
    if cycle := find_cycle(headers):
        found.append("a cycle of includes: " + " -> ".join(cycle))
    else:
        found += check_depth(headers)
        found += check_umbrella(headers)
    found += check_argument_lookup(headers)
    found += check_names()

    print("\n".join(found) if found else
          f"{len(headers)} headers, median {statistics.median(len(h.lines) for h in headers.values()):.0f} lines, "
          f"includes {len(chain_below_umbrella(headers))} deep, no cycle")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
