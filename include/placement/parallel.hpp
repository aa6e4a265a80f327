#pragma once
/// Training on several devices: towers, policies for variables, mirrored variables, all-reduce.
///
/// Include it before placement.hpp: gradient tapes record the evaluations of this file.

#include <placement/nn.hpp>

#include <placement/parallel/exchange.hpp>
#include <placement/parallel/mirrored_strategy.hpp>
#include <placement/parallel/replicated.hpp>
#include <placement/parallel/sync_batch_norm.hpp>
#include <placement/parallel/towers.hpp>
