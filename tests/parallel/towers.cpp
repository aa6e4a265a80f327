#include <placement/gradient.hpp>

#include <placement/parallel/towers.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <support/messages.hpp>
int main(){}
