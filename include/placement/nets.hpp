#pragma once
/// The ops of nets: activations, losses, batch normalisation, dropout, embeddings, convolutions and
/// pools. placement.hpp does not include this header. Each op has a header of its own, too.

#include <placement/ops/batch_norm.hpp>
#include <placement/ops/batch_norm_pool.hpp>
#include <placement/ops/batch_norm_training.hpp>
#include <placement/ops/conv2d.hpp>
#include <placement/ops/conv2d_gradients.hpp>
#include <placement/ops/conv2d_pool.hpp>
#include <placement/ops/dropout.hpp>
#include <placement/ops/elu.hpp>
#include <placement/ops/embedding.hpp>
#include <placement/ops/gelu.hpp>
#include <placement/ops/huber.hpp>
#include <placement/ops/l2_loss.hpp>
#include <placement/ops/layer_norm.hpp>
#include <placement/ops/leaky_relu.hpp>
#include <placement/ops/mse.hpp>
#include <placement/ops/pool2d.hpp>
#include <placement/ops/silu.hpp>
#include <placement/ops/softmax_cross_entropy.hpp>
#include <placement/ops/softplus.hpp>
#include <placement/ops/update_moving.hpp>
