#pragma once
/// Fourier transforms by FFTW: fft, ifft, rfft, irfft, fft2 and ifft2, with the rules of numpy.fft.
/// A program that includes it links placement::fft. placement.hpp does not include this header.
///
/// In a GPU scope they run on the CPU, visibly, unless the program includes cuda/cufft.cuh. All
/// functions are safe to call from several threads. A program that calls FFTW's planner itself does
/// so in one thread, or after fftw_make_planner_thread_safe().

#include <placement/fft/fft.hpp>
#include <placement/fft/fft2.hpp>
#include <placement/fft/rfft.hpp>
