#pragma once
/// The definitions of convolutions and pools. A file of cmake/definitions compiles them. Without
/// it the headers of these ops include them.

#include <placement/src/cpu/conv2d.ipp>
#include <placement/src/cpu/conv2d_pool.ipp>
#include <placement/src/cpu/conv2d_pool_whole.ipp>
#include <placement/src/cpu/pool2d.ipp>
