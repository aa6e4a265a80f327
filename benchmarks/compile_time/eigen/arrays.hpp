#pragma once
#include <Eigen/Core>

using array = Eigen::ArrayXXf;
using vector = Eigen::ArrayXf;
using number = float;
