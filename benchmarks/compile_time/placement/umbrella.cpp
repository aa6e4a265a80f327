#include "arrays.hpp"
