#pragma once
/// Events of a trace: what a device or a thread did, from when to when. Each thread records in
/// memory of its own. While there is no trace, the cost is one load of `is_traced`.

#include <placement/config.hpp>
#include <placement/device/device.hpp>
#include <placement/device/device_spec.hpp>
#include <placement/device/work_tracer.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace placement { inline namespace v0_1 {

struct logical_device;

namespace detail {

/// Whether a trace records, or a profiler gets ranges.
PLACEMENT_PROCESS_STATE inline constinit shared_word<bool> is_traced{false};

/// A profiler that gets the calls, launches and copies of each thread as nested ranges. It lives
/// for ever. See interop/nvtx.hpp.
struct range_marker {
  void (*begin)(std::string_view name) noexcept;
  void (*end)() noexcept;
};
PLACEMENT_PROCESS_STATE inline constinit shared_word<range_marker const*> marked_ranges{nullptr};

/// The kind of an event. Ops, copies and orders are work of a device. An order is a queue's wait
/// for another queue. Calls and waits are what a thread does: a call evaluates an expression,
/// synchronises, or reads elements of a GPU.
enum class trace_kind : unsigned char { op, copy, order, call, wait };

/// What happened. Texts live for ever, as names of ops and source files do. Events with equal bytes
/// share one note.
struct trace_note {
  static constexpr std::size_t max_ops = 6, max_extents = 8;

  trace_kind kind = trace_kind::op;
  bool fell_back = false;
  bool is_constant = false;  ///< A value in the program.
  bool has_shape = false;
  unsigned char rank = 0;
  bool is_launch = false;  ///< The time of the launch by the host: hardware runs the work later.
  unsigned char unused_bytes[2]{};  ///< No bytes between members.
  char const* file = nullptr;
  unsigned line = 0;
  unsigned ops = 0;         ///< Of a kernel; the first max_ops have names.
  std::string_view name{};  ///< The outermost op, "Copy" or "Wait".
  std::string_view element{}, why{}, label{};
  std::string_view scope{};     ///< The name scope; empty without one.
  std::string_view reader{};    ///< Of a copy: the op that reads it.
  device_spec where{}, from{};  ///< Devices, in 4 bytes each.
  device_spec requested{};
  unsigned unused = 0;           ///< No bytes between members.
  std::size_t bytes = 0;         ///< Of a copy; of an op: of its result.
  std::size_t copied_bytes = 0;  ///< Of an op: of the operands that were copied for it.
  std::string_view op[max_ops];  ///< The ops of a kernel, operands first.
  std::ptrdiff_t extent[max_extents]{};
};
static_assert(std::has_unique_object_representations_v<trace_note>, "notes are compared by bytes");

/// An event; times are those of trace_clock(). A note lives as long as its trace, so `trace` is its
/// number.
struct trace_event {
  trace_note const* note = nullptr;
  std::int64_t begin = 0, end = 0;
  std::uint64_t kernel_id = 0;
  unsigned trace = 0;
  bool failed = false;  ///< It ended by an exception.
};

/// The event of a note of this thread, which may be changed afterwards. No note: the event is not
/// recorded.
trace_event event_of(trace_note const& n) noexcept;
/// Records an event in the memory of this thread. Cost: no lock; one allocation for 256 events.
void record(trace_event const& e) noexcept;

// ---- what the next kernel or copy of this thread is

/// A description of work that is about to start.
struct next_work {
  trace_note note{};
  std::uint64_t kernel_id = 0;
  std::int64_t since = 0;  ///< Of a value in the program.
  bool exists = false;
};
PLACEMENT_PROCESS_STATE inline constinit thread_local next_work next_kernel{}, next_copy{};

// ---- guards: they record from their construction to their end

/// An event on the heap, which a queue may take with the work.
class queued_event;

/// Records work of a device. If a queue takes the event, it records the event when the work runs.
class [[nodiscard]] traced_work {
 public:
  traced_work(traced_work const&) = delete;
  traced_work& operator=(traced_work const&) = delete;

 protected:
  traced_work() noexcept = default;  // begin() sets the members without initializers
  ~traced_work() {
    if (is_active_) [[unlikely]]
      end();
  }
  /// on: whose queue does the work; nullptr: this thread does it.
  [[gnu::cold]] void begin(trace_note const& note, std::uint64_t kernel_id,
                           logical_device const* on) noexcept;

 private:
  [[gnu::cold]] void end() noexcept;

  bool is_active_ = false;
  bool is_order_ = false;
  int exceptions_;
  range_marker const* marker_;
  trace_event event_;
  queued_event* offered_;
  offered_tracer outer_;
  std::int64_t* outer_begin_;
};

/// What a launch of a kernel states about itself, for files that do not report their ops.
struct launch_facts {
  std::string_view op;
  device where{};
  std::size_t element_bytes = 0;           ///< of the result
  std::ptrdiff_t const* extent = nullptr;  ///< of the result; nullptr: not known
  std::size_t rank = 0;
};
/// Records the launch of a kernel. next_kernel describes it if the file reports its ops.
class traced_launch : traced_work {
 public:
  explicit traced_launch(launch_facts const& launch) noexcept {
    if (is_traced.peek()) [[unlikely]]
      start(launch);
  }

 private:
  [[gnu::cold]] void start(launch_facts const& launch) noexcept;
};

/// Records a copy by the queue of a GPU. To the host, the calling thread copies.
class traced_copy : traced_work {
 public:
  traced_copy(device from, device to, std::size_t bytes) noexcept {
    if (is_traced.peek()) [[unlikely]]
      start(from, to, bytes);
  }

 private:
  [[gnu::cold]] void start(device from, device to, std::size_t bytes) noexcept;
};

/// Records that a queue waits for another one.
class traced_order : traced_work {
 public:
  traced_order(device waiting, device awaited) noexcept {
    if (is_traced.peek()) [[unlikely]]
      start(waiting, awaited);
  }

 private:
  [[gnu::cold]] void start(device waiting, device awaited) noexcept;
};

/// Records a call of this thread. It also records the kernel of next_kernel if nothing has launched
/// that one, as for a value in the program.
class [[nodiscard]] traced_call {
 public:
  /// name: lives for ever.
  explicit traced_call(std::string_view name, device where = {}) noexcept
      : name_(name), where_(where) {
    if (is_traced.peek()) [[unlikely]]
      begin();
  }
  ~traced_call() {
    if (begin_ != 0) [[unlikely]]
      end();
  }
  traced_call(traced_call const&) = delete;
  traced_call& operator=(traced_call const&) = delete;

 private:
  [[gnu::cold]] void begin() noexcept;
  [[gnu::cold]] void end() const noexcept;

  std::string_view name_;
  device where_;
  std::int64_t begin_ = 0;
  int exceptions_ = 0;
  range_marker const* marker_ = nullptr;
};

}  // namespace detail
}}  // namespace placement::v0_1
