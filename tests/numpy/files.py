#!/usr/bin/env python3
"""Exchange files with NumPy in both directions.

usage: files.py PROGRAM FOLDER     (PROGRAM: files.cpp)
"""
import pathlib
import subprocess
import sys
import zipfile

import numpy as np

TYPES = {"bool": "b1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4",
         "uint64": "u8",
         "half": "f2", "float": "f4", "double": "f8", "complex64": "c8", "complex128": "c16"}
SHAPES = {"0": (), "1": (5,), "2": (4, 3), "3": (2, 3, 4), "4": (3, 1, 2, 5), "empty": (3, 0, 2)}
OTHERS = {"object": np.array([None, 1]),
          "text": np.array(["ab", "c"]), "time": np.zeros(2, "<M8[ns]"),
          "structured": np.zeros(2, [("a", "<f4"), ("b", [("c", "<i4"), ("d", "|O")], (2, 2))])}


def arrays():
    """The arrays of files.cpp: (name, array in C order)."""
    for element, code in TYPES.items():
        for name, shape in SHAPES.items():
            numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
            yield f"{element}_{name}", (numbers % 3 == 0 if code == "b1" else (numbers % 101).astype(code))


def same(expected, array):
    return array.dtype == expected.dtype and array.shape == expected.shape and (array == expected).all()


def check_ours(folder):
    """Each file equals NumPy's, byte for byte."""
    for name, array in arrays():
        for order in "CF":
            ours = folder / f"{name}_{order}.npy"
            assert same(array, np.load(ours)), ours
            np.save(folder / "numpy.npy", np.asarray(array, order=order))
            assert ours.read_bytes() == (folder / "numpy.npy").read_bytes(), ours


def check_our_archives(folder):
    for file, names in ("all", lambda name: (name, name + "_\u00e9")), ("zip64", lambda name: (name,)), ("sparse", lambda name: (name,)):
        with np.load(folder / f"{file}.npz") as archive, zipfile.ZipFile(folder / f"{file}.npz") as entries:
            assert entries.testzip() is None, file
            assert set(archive.files) == {name for array, _ in arrays() for name in names(array)}, file
            for name, array in arrays():
                for ours in names(name):
                    assert same(array, archive[ours]), (file, ours)


def write_npy(folder):
    for name, array in arrays():
        for order in "CF":
            for bytes_order in "<>":
                swapped = np.asarray(array.astype(array.dtype.newbyteorder(bytes_order)), order=order)
                np.save(folder / f"{name}_{order}_{bytes_order}.npy", swapped)
        for version in (2, 3):
            with open(folder / f"{name}_C_{version}.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=(version, 0))
    with open(folder / "others.txt", "w") as listed:
        for name, array in OTHERS.items():
            np.save(folder / f"other_{name}.npy", array, allow_pickle=True)
            listed.write(f"other_{name}.npy {np.lib.format.dtype_to_descr(array.dtype)}\n")


def write_npz(folder):
    np.savez(folder / "numpy.npz", **dict(arrays()))
    np.savez_compressed(folder / "compressed.npz", **dict(arrays()))


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    subprocess.run([program, "write", folder], check=True)
    check_ours(folder)
    check_our_archives(folder)
    write_npy(folder)
    write_npz(folder)
    subprocess.run([program, "check", folder], check=True)
    print(f"NumPy {np.__version__}: {6 * len(list(arrays()))} of our arrays read, 0 wrong")


if __name__ == "__main__":
    main()
