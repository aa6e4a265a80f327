#pragma once
/// Valid and invalid device names, checked by the compiler and at run time.

#include <placement/device/name.hpp>

#include <cstddef>
#include <string_view>

struct valid_name {
  std::string_view text, canonical;
};

inline constexpr valid_name valid_names[] = {
    {"", ""},
    {"/", ""},
    {"/cpu:0", "/device:CPU:0"},
    {"/gpu:1", "/device:GPU:1"},
    {"/device:CPU:0", "/device:CPU:0"},
    {"/GPU:0", "/device:GPU:0"},
    {"/job:localhost/replica:0/task:0/device:GPU:1",
     "/job:localhost/replica:0/task:0/device:GPU:1"},
    {"/GPU:*", "/device:GPU:*"},
    {"/device:GPU", "/device:GPU:*"},
    {"/device:*", ""},
    {"/device:*:*", ""},
    {"/device:Tpu_v4:12", "/device:Tpu_v4:12"},
    {"/job:worker/cpu:1/task:4/replica:2", "/job:worker/replica:2/task:4/device:CPU:1"},
    {"/gpu:2/job:trainer", "/job:trainer/device:GPU:2"},
    {"/job:*/replica:3/gpu:*", "/replica:3/device:GPU:*"},
    {"/gpu:007", "/device:GPU:7"},
    {"/device:GPU/task:1", "/task:1/device:GPU:*"},
    {"/device:gpu:0", "/device:GPU:0"},
    {"/device:Cpu", "/device:CPU:*"},
    {"/cPu:3", "/device:CPU:3"},
    {"/gpu:2147483647", "/device:GPU:2147483647"},
    {"/gpu:00000000000000000000000000000001", "/device:GPU:1"},
    {"/device:XLA_GPU:0", "/device:XLA_GPU:0"},
    {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
    {"/job:a_1B", "/job:a_1B"},
    {"/job:*", ""},
    {"/replica:*/task:*", ""},
    {"/job:gpu/device:cpus:1", "/job:gpu/device:cpus:1"},
};

struct invalid_name {
  std::string_view text;
  std::size_t column;
};

inline constexpr invalid_name invalid_names[] = {
    {"gpu:0", 1},
    {"GPU", 1},
    {"/gpu", 2},
    {"/gpu:", 6},
    {"/gpu:-1", 6},
    {"/gpu:+1", 6},
    {"/gpu:x", 6},
    {"/gpu:1x", 7},
    {"/gpu:0/", 8},
    {" /gpu:0", 1},
    {"/gpu:0 ", 7},
    {"/TPU:0", 2},
    {"/device:", 9},
    {"/device::0", 9},
    {"/device:GPU:", 13},
    {"/device:my-dev:0", 11},
    {"/device:3D:0", 9},
    {"/device:_x:0", 9},
    {"/device:*:2", 10},
    {"/device:*x", 10},
    {"/job:", 6},
    {"/job:1w", 6},
    {"/job:a-b", 7},
    {"/JOB:a", 2},
    {"/Device:GPU:0", 2},
    {"/replica:-1", 10},
    {"/replica:", 10},
    {"/task:1.5", 8},
    {"/task:", 7},
    {"//gpu:0", 2},
    {"//", 2},
    {"/job:*x", 7},
    {"/device:GPU:0:1", 14},
    {"/device:GPU:*1", 14},
    {"/foo:1", 2},
    {"/gpu:18446744073709551616", 6},
    {"/gpu:2147483648", 6},
    {"/gpu:4294967296", 6},
    {"/task:99999999999999999999999999999999999999", 7},
    {"/job:a/job:a", 7},
    {"/replica:1/replica:1", 11},
    {"/task:1/task:*", 8},
    {"/gpu:0/cpu:0", 7},
    {"/device:GPU/gpu:0", 12},
    {"/device:*/device:GPU:0", 10},
    {"/gpu:\xc3\xa9", 6},
    {"/job:w\xc3\xb6rker", 7},
    {std::string_view("/gpu:0\0", 7), 7},
};

/// Names that the local form (`GPU:1`) accepts, and their canonical names.
inline constexpr valid_name valid_local_names[] = {
    {"GPU:1", "/device:GPU:1"},
    {"cpu:0", "/device:CPU:0"},
    {"Tpu_v4:3", "/device:Tpu_v4:3"},
    {"gpu:0010", "/device:GPU:10"},
};

inline constexpr invalid_name invalid_local_names[] = {
    {"", 1},       {"/GPU:1", 1}, {"GPU", 4},   {"GPU:", 5},           {"GPU:*", 5},
    {"GPU:-1", 5}, {":1", 1},     {"*:1", 1},   {"GPU:2147483648", 5}, {"GPU:1/", 6},
    {"GPU:1x", 6}, {"3D:1", 1},   {"GPU 1", 4},
};

/// Two names, and the relations between them.
struct name_relation {
  std::string_view a, b;
  bool a_specifies_b, compatible, same_space;
};

inline constexpr name_relation name_relations[] = {
    {"", "", true, true, false},
    {"", "/gpu:1", true, true, false},
    {"/gpu:1", "", false, true, false},
    {"/gpu:*", "/gpu:1", true, true, false},
    {"/gpu:1", "/gpu:*", false, true, false},
    {"/gpu:1", "/gpu:1", true, true, false},
    {"/gpu:1", "/gpu:2", false, false, false},
    {"/gpu:1", "/cpu:1", false, false, false},
    {"/device:GPU", "/cpu:0", false, false, false},
    {"/job:a", "/job:a/task:1", true, true, false},
    {"/job:a/task:1", "/job:a", false, true, false},
    {"/job:a", "/job:b", false, false, false},
    {"/job:a/replica:1", "/job:a/task:2", false, true, false},
    {"/replica:1", "/replica:2", false, false, false},
    {"/task:1", "/task:2", false, false, false},
    {"/job:a/gpu:0", "/job:a/replica:0/task:0/gpu:0", true, true, false},
    {"/job:a/replica:0/task:0/gpu:0", "/job:a/replica:0/task:0/cpu:0", false, false, true},
    {"/job:a/replica:0/task:0", "/job:a/replica:0/task:0/cpu:0", true, true, true},
    {"/job:a/replica:0/task:0", "/job:a/replica:0/task:1", false, false, false},
    {"/job:a/replica:0/task:0", "/job:a/replica:1/task:0", false, false, false},
    {"/job:a/replica:0/task:0", "/job:b/replica:0/task:0", false, false, false},
    {"/replica:0/task:0", "/replica:0/task:0", true, true, false},
};

/// Marks a merge that must fail. No device name prints like this.
inline constexpr std::string_view refused = "refused";

/// Two names and the result of each merge.
struct name_merge {
  std::string_view a, b, strict, soft, other_wins, unset_only, nested;
};

inline constexpr name_merge name_merges[] = {
    {"", "", "", "", "", "", ""},
    {"/gpu:1", "", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1",
     "/device:GPU:1"},
    {"", "/gpu:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1",
     "/device:GPU:1"},
    {"/job:a", "/task:2/gpu:1", "/job:a/task:2/device:GPU:1", "/job:a/task:2/device:GPU:1",
     "/job:a/task:2/device:GPU:1", "/job:a/task:2/device:GPU:1", "/job:a/task:2/device:GPU:1"},
    {"/gpu:*", "/gpu:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1",
     "/device:GPU:1"},
    {"/gpu:1", "/gpu:*", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1",
     "/device:GPU:1"},
    {"/device:Tpu:3", "/job:a/device:Tpu", "/job:a/device:Tpu:3", "/job:a/device:Tpu:3",
     "/job:a/device:Tpu:3", "/job:a/device:Tpu:3", "/job:a/device:Tpu:3"},
    {"/device:Tpu:3", "/device:TPU", refused, "", "/device:TPU:3", "/device:Tpu:3",
     "/device:TPU:*"},
    {"/gpu:*", "/cpu:0", refused, "", "/device:CPU:0", "/device:GPU:0", "/device:CPU:0"},
    {"/gpu:*", "/cpu:*", refused, "", "/device:CPU:*", "/device:GPU:*", "/device:CPU:*"},
    {"/gpu:1", "/job:*", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1", "/device:GPU:1",
     "/device:GPU:1"},
    {"/gpu:1", "/job:localhost", "/job:localhost/device:GPU:1", "/job:localhost/device:GPU:1",
     "/job:localhost/device:GPU:1", "/job:localhost/device:GPU:1", "/job:localhost/device:GPU:1"},
    {"/job:a/gpu:1", "/job:a/gpu:2", refused, "/job:a/device:GPU:*", "/job:a/device:GPU:2",
     "/job:a/device:GPU:1", "/job:a/device:GPU:2"},
    {"/job:a/gpu:1", "/job:b/gpu:1", refused, refused, refused, "/job:a/device:GPU:1",
     "/job:b/device:GPU:1"},
    {"/job:a/replica:1", "/replica:1/task:2/gpu:0", "/job:a/replica:1/task:2/device:GPU:0",
     "/job:a/replica:1/task:2/device:GPU:0", "/job:a/replica:1/task:2/device:GPU:0",
     "/job:a/replica:1/task:2/device:GPU:0", "/job:a/replica:1/task:2/device:GPU:0"},
    {"/job:a/replica:1/task:2/gpu:0", "/replica:0", refused, refused, refused,
     "/job:a/replica:1/task:2/device:GPU:0", "/job:a/replica:0/task:2/device:GPU:0"},
    {"/job:a/gpu:3", "/device:XLA_GPU:3", refused, "/job:a", "/job:a/device:XLA_GPU:3",
     "/job:a/device:GPU:3", "/job:a/device:XLA_GPU:3"},
    {"/gpu:1", "/gpu:2", refused, "/device:GPU:*", "/device:GPU:2", "/device:GPU:1",
     "/device:GPU:2"},
    {"/gpu:1", "/cpu:0", refused, "", "/device:CPU:0", "/device:GPU:1", "/device:CPU:0"},
    {"/gpu:1", "/device:CPU", refused, "", "/device:CPU:1", "/device:GPU:1", "/device:CPU:*"},
    {"/task:3/gpu:1", "/cpu:1", refused, "/task:3", "/task:3/device:CPU:1", "/task:3/device:GPU:1",
     "/task:3/device:CPU:1"},
    {"/job:a", "/job:b", refused, refused, refused, "/job:a", "/job:b"},
    {"/replica:1", "/replica:2", refused, refused, refused, "/replica:1", "/replica:2"},
    {"/task:1", "/task:2", refused, refused, refused, "/task:1", "/task:2"},
    {"/job:a/task:1/gpu:0", "/job:b/task:2", refused, refused, refused,
     "/job:a/task:1/device:GPU:0", "/job:b/task:2/device:GPU:0"},
};
