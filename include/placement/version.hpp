#pragma once
/// The version of this library, for the preprocessor and for readers.
#define PLACEMENT_VERSION_MAJOR 0
#define PLACEMENT_VERSION_MINOR 1
#define PLACEMENT_VERSION_PATCH 0
