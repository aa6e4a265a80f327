#pragma once
/// Linear algebra by LAPACK: solve, inverse, det, cholesky, qr, svd, eigh and lstsq, with the rules
/// of numpy.linalg. A program that includes it links placement::lapack. placement.hpp does not
/// include this header.
///
/// In a GPU scope they run on the CPU, visibly, unless the program includes cuda/cusolver.cuh.
/// Threads: LAPACK has its own; OpenBLAS takes their number from OPENBLAS_NUM_THREADS. All
/// functions are safe to call from several threads.

#include <placement/lapack/cholesky.hpp>
#include <placement/lapack/det.hpp>
#include <placement/lapack/eigh.hpp>
#include <placement/lapack/inverse.hpp>
#include <placement/lapack/lstsq.hpp>
#include <placement/lapack/qr.hpp>
#include <placement/lapack/solve.hpp>
#include <placement/lapack/svd.hpp>
