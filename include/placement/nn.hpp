#pragma once
/// Training: variables, layers, models and optimizers, and the ops of nets.
///
/// Include it before placement.hpp: gradient tapes record the evaluations of this file.

#include <placement/gradient.hpp>

#include <placement/nets.hpp>
#include <placement/nn/adam.hpp>
#include <placement/nn/batch_norm.hpp>
#include <placement/nn/clip.hpp>
#include <placement/nn/dense.hpp>
#include <placement/nn/images.hpp>
#include <placement/nn/layer_norm.hpp>
#include <placement/nn/layers.hpp>
#include <placement/nn/residual.hpp>
#include <placement/nn/rmsprop.hpp>
#include <placement/nn/sequential.hpp>
#include <placement/nn/sgd.hpp>
#include <placement/nn/variable_store.hpp>
