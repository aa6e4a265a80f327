#pragma once
#include <Eigen/Core>

using array = Eigen::ArrayXXf;
using number = float;
