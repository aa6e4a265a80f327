#!/usr/bin/env python3
"""usage: expected.py NVCC INCLUDE_DIR ARCH | declared

Compile kernels.cu and nets.cu to PTX and to code for an architecture, and check properties that no test on a host can observe: memory is
accessed 16 bytes at once, all loads of a tile come before its first store, nothing spills, the register count allows enough
threads, and no element costs a division or a conversion too many. Also check that the parameter of each kernel has the size
that the host passes (docs/decisions/0033-parameters-of-kernels.md); `declared` checks that alone, for every op of the library.
Where nvdisasm is found, on PATH, beside nvcc or in build/sass (./dev setup sass), the machine code has the accesses of 16 bytes,
too, and no local memory. An architecture that nvcc does not support is skipped."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Parts of the entry's name; instructions of the fast path with their least counts; the most registers. Loops are unrolled
# over the 16 bytes of an access: 4 elements of float, 8 of a 16-bit type.
EXPECTED = [
    (("map_tiles", "copied_op", "dense_resultIfE"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 32),
    (("map_tiles", "copied_op", "dense_resultIdE"), {"ld.global.v2.f64": 1, "st.global.v2.f64": 1}, 32),
    (("map_tiles", "copied_op", "dense_resultIaE"), {r"ld.global.v4.[bu]32": 1, r"st.global.v4.[bu]32": 1}, 32),
    (("map_tiles", "copied_op", "_7float16"), {r"ld.global.v4.[bu]32": 1, r"st.global.v4.[bu]32": 1}, 32),
    (("map_tiles", "copied_op", "_8bfloat16"), {r"ld.global.v4.[bu]32": 1, r"st.global.v4.[bu]32": 1}, 32),
    (("map_tiles", "twice_op", "_7float16"),
     {r"ld.global.v4.[bu]32": 1, r"st.global.v4.[bu]32": 1, "cvt.f32.f16": 8, "cvt.rn.f16.f32": 8}, 64),
    (("map_tiles", "twice_op", "_8bfloat16"),
     {r"ld.global.v4.[bu]32": 1, r"st.global.v4.[bu]32": 1, r"cvt.rn.bf16.f32": 8}, 64),
    (("map_tiles", "shifted_op", "10squares_op"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 48),
    (("map_tiles", "shifted_op", "static_squares_op"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 48),
    (("map_tiles", "triad_op", "dense_resultIfE"), {"ld.global.v4.f32": 2, "st.global.v4.f32": 1}, 40),
    (("map_tiles", "triad_op", "dense_resultIdE"), {"ld.global.v2.f64": 2, "st.global.v2.f64": 1}, 40),
    (("map_tiles", "chain_op"), {"ld.global.v4.f32": 3, "st.global.v4.f32": 1}, 64),
    (("map_tiles", "bias_op"), {"ld.global.v4.f32": 2, "st.global.v4.f32": 1}, 64),
    # 76 registers on sm_80, 122 on sm_120, where ptxas computes all addresses first.
    (("map_transposed_tiles", "transposed_op"), {"st.shared.f32": 16, "ld.shared.f32": 16}, 128),
    (("reduce_kernel", "sum_op", "summed_op"), {"ld.global.v4.f32": 4, "shfl.sync.bfly": 2}, 40),
    (("reduce_kernel", "std_dev_op", "summed_op"), {"ld.global.v4.f32": 4}, 80),
    # The last number: the elements of a thread. One block of those with 128 fills a multiprocessor.
    (("softmax_of_short_rows", "Li16E"), {"ld.global.v4.f32": 4, "st.global.v4.f32": 4}, 64),
    (("softmax_of_short_rows", "Li32E"), {"ld.global.v4.f32": 8, "st.global.v4.f32": 8}, 112),
    (("softmax_of_short_rows", "softmax_resultEfLi64E"), {"ld.global.v4.f32": 16, "st.global.v4.f32": 16}, 128),
    (("softmax_of_short_rows", "softmax_resultEfLi128E"), {"ld.global.v4.f32": 32, "st.global.v4.f32": 32}, 255),
    (("softmax_of_long_rows",), {"ld.global.v4.f32": 8, "st.global.v4.f32": 4}, 64),
    (("reduce_kernel", "sum_op", "numbered_rows", "summed_op"), {"ld.global.v4.f32": 4, "shfl.sync.bfly": 2}, 48),
    (("gemm_kernelIf",), {"ld.global.v4.f32": 4, "ld.shared.v4.f32": 32, "st.shared.v4.f32": 2, "st.global.v4.f32": 16}, 128),
    (("gemm_kernelId",), {"ld.global.v2.f64": 4, "ld.shared.v2.f64": 32, "st.shared.v2.f64": 2, "st.global.v2.f64": 8}, 128),
    (("gemm_kernelINS0_7float16E",),
     {"ld.global.v4.[bu]16|ld.global.v2.[bu]32": 4, "ld.shared.v4.[bu]16|ld.shared.v2.[bu]32": 32,
      "st.global.v4.[bu]16|st.global.v2.[bu]32": 16}, 128),
    (("gemm_kernelIfLm2ENS0_16strided_epilogue", "bias_op"),
     {"ld.global.v4.f32": 4, "ld.shared.v4.f32": 32, "st.global.v4.f32": 16}, 128),
    (("gemm_kernelIfLm3",), {"ld.global.v4.f32": 4, "ld.shared.v4.f32": 32, "st.global.v4.f32": 16}, 128),
    (("scan_by_blocksI", "prefix_sumEff"), {"ld.global.v4.f32": 4, "st.global.v4.f32": 4}, 64),
    (("scan_by_blocksI", "prefix_sumEdd"), {"ld.global.v2.f64": 8, "st.global.v2.f64": 8}, 80),
    (("scan_by_threads",), {"ld.global.f(32|64)": 4}, 64),
    # Threads load and store a tile with neighbours beside each other, and sort it in shared memory.
    (("sort_tiles", "sorted_element"), {"ld.global.f32": 8, "st.global.f32": 8, "ld.shared.f32": 8}, 48),
    (("merge_tiles", "sorted_element"), {"ld.global.f32": 8, "st.global.f32": 8, "ld.shared.f32": 8}, 48),
    (("sort_tiles", "sorted_origin"), {"st.global.v4.[bu]32|st.global.v2.[bu]64": 8}, 64),
    (("merge_tiles", "sorted_origin"), {"ld.global.v4.[bu]32|ld.global.v2.[bu]64": 8}, 64),
    (("map_tiles", "gathered"), {"st.global.v4.f32": 1}, 40),
    (("map_tiles", "strided_result", "dense_leaf"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 64),
    (("map_tiles", "strided_result", "scalarIf"), {"st.global.v4.f32": 1}, 40),
    (("map_tiles", "one_hot_rows"), {"st.global.v4.f32": 1}, 40),
    # The last letters: whether it is a gradient, and whether rows are short. Rows of double take two registers per element.
    # nvcc unrolls the loops over long rows of scale and offset less for sm_120 than for sm_80.
    (("layer_norm_kernelIfLb0ELb1E",), {"ld.global.v4.f32": 12, "st.global.v4.f32": 4}, 64),
    (("layer_norm_kernelIfLb1ELb1E",), {"ld.global.v4.f32": 12, "st.global.v4.f32": 4}, 80),
    (("layer_norm_kernelIfLb0ELb0E",), {"ld.global.v4.f32": 8, "st.global.v4.f32": 2}, 80),
    (("layer_norm_kernelIfLb1ELb0E",), {"ld.global.v4.f32": 18, "st.global.v4.f32": 2}, 112),
    (("layer_norm_kernelIdLb0E",), {"ld.global.v2.f64": 16, "st.global.v2.f64": 4}, 80),
    (("layer_norm_kernelIdLb1E",), {"ld.global.v2.f64": 24, "st.global.v2.f64": 4}, 128),
    (("layer_norm_kernelINS0_7float16ELb0ELb1E",),
     {"ld.global.v4.[bu]32": 2, "st.global.v4.[bu]32": 2, "ld.global.v4.f32": 8}, 64),
    (("layer_norm_kernelINS0_7float16ELb1ELb1E",),
     {"ld.global.v4.[bu]32": 4, "st.global.v4.[bu]32": 2, "ld.global.v4.f32": 4}, 80),
    # The last letter: whether it is a gradient, which reads the logits and their labels once more.
    (("cross_entropy_kernel", "classes_on_gpu", "fLb0E"), {"ld.global.v4.f32": 2}, 64),
    (("cross_entropy_kernel", "classes_on_gpu", "fLb1E"), {"ld.global.v4.f32": 3, "st.global.v4.f32": 1}, 64),
    (("cross_entropy_kernel", "probabilities_on_gpu", "fLb0E"), {"ld.global.v4.f32": 3}, 64),
    (("cross_entropy_kernel", "probabilities_on_gpu", "fLb1E"), {"ld.global.v4.f32": 5, "st.global.v4.f32": 1}, 64),
    # The letters: whether results are of a filter, and whether the tile is narrow.
    (("conv2d_kernelIfLb0ELb0E",), {"ld.shared.v4.f32": 8, "st.global.v4.f32": 16}, 128),
    (("conv2d_kernelIfLb1ELb0E",), {"ld.shared.v4.f32": 8, "st.global.v4.f32": 16}, 128),
    (("conv2d_kernelIfLb0ELb1E",), {"ld.shared.v4.f32": 4, "st.global.v4.f32": 4}, 128),
    (("conv2d_kernelIfLb1ELb1E",), {"ld.shared.v4.f32": 4, "st.global.v4.f32": 4}, 128),
    (("conv2d_kernelId",), {"ld.shared.v2.f64": 8, "st.global.v2.f64": 8}, 152),
    (("conv2d_kernelINS0_7float16E",), {"ld.shared.v4.f32": 4, "st.global.v4.[bu]16|st.global.v2.[bu]32": 4}, 128),
    (("sum_of_partsIf",), {"ld.global.f32": 5, "st.global.f32": 1}, 40),
    (("map_pixelsIf", "depthwise_imagesIf", "Li4E"), {"ld.global.v4.f32": 2, "st.global.v4.f32": 1}, 72),
    (("map_pixelsIf", "depthwise_filtersIf", "Li4E"), {"ld.global.v4.f32": 2, "st.global.v4.f32": 1}, 72),
    (("map_pixelsIf", "pool_maximum", "Li4E"), {"ld.global.v4.f32": 2, "st.global.v4.f32": 1}, 48),
    (("map_pixelsIf", "pool_mean", "Li4E"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 48),
    (("map_pixelsIf", "pool_gradientsIfLb1E", "Li4E"), {"ld.global.v4.f32": 4, "st.global.v4.f32": 1}, 64),
    (("map_pixelsIf", "pool_gradientsIfLb0E", "Li4E"), {"ld.global.v4.f32": 1, "st.global.v4.f32": 1}, 64),
]
# Parts of the entry's name; instructions with the most that a kernel may have. A division or a conversion for each element
# would be 16 more in the unrolled loop.
AT_MOST = [
    # one division for each pair of states: of a warp, of a block, and of a thread after 32 vectors
    (("reduce_kernel", "std_dev_op", "summed_op"), {r"div.rn.f64": 24, r"rcp.rn.f64": 1}),
    # one conversion for up to 16 elements, added in float
    (("reduce_kernel", "sum_op", "summed_op"), {r"cvt.f64.f32": 12}),
]
LOADS_FIRST = [("map_tiles", "copied_op", "dense_resultIfE"), ("map_tiles", "triad_op", "dense_resultIdE"),
               ("map_tiles", "chain_op")]


def entries(ptx):
    """The text of each kernel, by its name."""
    return dict(re.findall(r"\.entry (\w+)\((.*?)^}", ptx, re.S | re.M))


def parameters(ptx):
    """The kernels whose parameter has another size than the host passes, a sentence each."""
    wrong = []
    for name, text in entries(ptx).items():
        head, _, body = text.partition("{")
        here = re.findall(r"\.param[^\[]*\[(\d+)\]", head)
        host = re.findall(r"host_argument_bytes_(\d+)", body)
        if len(here) != 1 or here != host:
            wrong.append(f"{name}: parameters of {here} bytes, and the host passes {host}")
    return wrong if entries(ptx) else ["no kernel"]


def resources(log):
    """(registers, bytes of stack, bytes spilt) of each kernel, as ptxas -v reports."""
    found = {}
    for name, about in re.findall(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry|\Z)", log, re.S):
        stack, stores, loads = re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", about).groups()
        found[name] = int(re.search(r"Used (\d+) registers", about).group(1)), int(stack), int(stores) + int(loads)
    return found


def matching(all_of, parts):
    return [name for name in all_of if all(part in name for part in parts)]


def check(ptx, log):
    """The failed checks, a sentence each."""
    wrong = []
    code, used = entries(ptx), resources(log)
    if set(code) != set(used) or not code:
        return ["the kernels of the PTX are not those of the code"]
    for name, (registers, stack, spilt) in used.items():
        if stack or spilt:
            wrong.append(f"{name}: {stack} bytes of stack, {spilt} bytes spilt")
        if re.search(r"\b(ld|st)\.local\b", code[name]):
            wrong.append(f"{name}: local memory")
    for parts, accesses, most in EXPECTED:
        names = matching(code, parts)
        if not names:
            wrong.append(f"no kernel {' '.join(parts)}")
        for name in names:
            for access, least in accesses.items():
                count = len(re.findall(access, code[name]))
                if count < least:
                    wrong.append(f"{name}: {count} x {access}, not {least}")
            if used[name][0] > most:
                wrong.append(f"{name}: {used[name][0]} registers, more than {most}")
    for parts, instructions in AT_MOST:
        for name in matching(code, parts):
            for instruction, most in instructions.items():
                count = len(re.findall(instruction, code[name]))
                if count > most:
                    wrong.append(f"{name}: {count} x {instruction}, more than {most}")
    for parts in LOADS_FIRST:
        for name in matching(code, parts):
            wide = re.findall(r"(ld|st)\.global\.v[24]", code[name])
            if wide != sorted(wide):
                wrong.append(f"{name}: a store before the last load")
    return wrong


def find_nvdisasm(nvcc):
    """The path of nvdisasm; None where there is none."""
    root = pathlib.Path(__file__).parent.parent.parent
    near = [pathlib.Path(nvcc).parent / "nvdisasm", *root.glob("build/sass/lib/python*/site-packages/nvidia/*/bin/nvdisasm")]
    return shutil.which("nvdisasm") or next((str(path) for path in near if path.exists()), None)


# An access in PTX, and the instruction of 16 bytes that it becomes.
WIDE = {"ld.global.v": "LDG", "st.global.v": "STG", "ld.shared.v": "LDS", "st.shared.v": "STS"}


def check_sass(sass, used):
    """The failed checks of the machine code, a sentence each. used: as resources()."""
    wrong = []
    code = dict(re.findall(r"^\.text\.(\w+):\n(.*?)(?=^\.text\.|\Z)", sass, re.S | re.M))
    if set(code) != set(used):
        return ["the kernels of the machine code are not those that ptxas reports"]
    for name, text in code.items():
        if re.search(r"\b(LDL|STL)\b", text):
            wrong.append(f"{name}: local memory in the machine code")
    for parts, accesses, _ in EXPECTED:
        for name in matching(code, parts):
            for access, least in accesses.items():
                if access[:11] not in WIDE or re.search("16", access):
                    continue
                count = len(re.findall(rf"\b{WIDE[access[:11]]}\.(?:\w+\.)*128\b", code[name]))
                if count < least:
                    wrong.append(f"{name}: {count} x {WIDE[access[:11]]} of 16 bytes, not {least}")
    return wrong


SOURCES = ["kernels", "nets"]


def main(nvcc, include, what):
    here = pathlib.Path(__file__).parent
    flags = ["-std=c++20", f"-I{include}", f"-I{here.parent}"]
    supported = subprocess.run([nvcc, "--list-gpu-code"], check=True, capture_output=True, text=True).stdout.split()
    if what != "declared" and f"sm_{what}" not in supported:
        print(f"skipped: this nvcc compiles nothing for sm_{what}")
        return 0
    with tempfile.TemporaryDirectory() as folder:

        def compiled(source, *more):
            """PTX, and what ptxas reports."""
            ptx = pathlib.Path(folder) / f"{source.stem}.ptx"
            out = ["-o", str(ptx)] if "-ptx" in more else ["--keep", "--keep-dir", folder, "-o", f"{folder}/{source.stem}.cubin"]
            log = subprocess.run([nvcc, *flags, *more, *out, str(source)], check=True, capture_output=True, text=True)
            return ptx.read_text(), log.stdout + log.stderr

        if what == "declared":
            source = here.parent / "gpu" / "declared_kernels.cu"
            wrong = parameters(compiled(source, "-arch=sm_80", "--Ofast-compile=max", "-ptx")[0])
        else:
            both = [compiled(here / f"{name}.cu", "-O3", f"-arch=sm_{what}", "-cubin", "-Xptxas", "-v") for name in SOURCES]
            ptx, log = "".join(text for text, _ in both), "".join(text for _, text in both)
            wrong = parameters(ptx) + check(ptx, log)
            nvdisasm = find_nvdisasm(nvcc)
            if nvdisasm:
                for name, (_, of_source) in zip(SOURCES, both):
                    sass = subprocess.run([nvdisasm, "-c", f"{folder}/{name}.cubin"], check=True, capture_output=True, text=True)
                    wrong += check_sass(sass.stdout, resources(of_source))
            print(f"{what}: machine code " + ("was read" if nvdisasm else "was not read: no nvdisasm, see ./dev setup sass"))
    for sentence in wrong:
        print(f"{what}: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3]))
