#pragma once
/// The part of a gradient tape that does not depend on types: the values it watches, and the
/// records of statements.

#include <placement/device/device_spec.hpp>
#include <placement/error.hpp>
#include <placement/expr/gradient_recorder.hpp>
#include <placement/memory/buffer_copy.hpp>
#include <placement/place/site.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

namespace no_adl {
class tape_core;
}  // namespace no_adl
using no_adl::tape_core;

/// An error that concerns one watched tensor. Callers that know its name throw it again.
template <class Error> struct error_of_tensor final : Error {
  error_of_tensor(std::string const& text, buffer const* of) : Error(text), elements(of) {}
  buffer const* elements;  ///< of the tensor; only for comparisons
};
/// For a tensor that the loss does not depend on.
using unconnected_tensor = error_of_tensor<invalid_argument>;
/// For infinities and NaN. The tensor is known for the gradient of a watched tensor.
using faulty_elements = error_of_tensor<numerics_error>;

[[noreturn, gnu::cold]] void throw_second_order(site at);
[[noreturn, gnu::cold]] void throw_inline_result(std::string_view op, site at);

/// Elements that are infinite or NaN.
struct element_faults {
  std::size_t first = 0, infinities = 0, nans = 0;
  std::size_t count() const noexcept { return infinities + nans; }
};
using fault_finder = element_faults (*)(void const* data, std::size_t n) noexcept;
/// Throws: numerics_error. what: `Log`, or `the derivative of Log`. of: the watched tensor.
[[noreturn, gnu::cold]] void throw_faults(std::string_view what, site at,
                                          element_faults const& faults, std::string const& shape,
                                          buffer const* of = nullptr);
/// The elements of a buffer that are infinite or NaN. Waits for it.
element_faults faults_in(buffer const& b, fault_finder find, std::size_t element_size);

struct tape_value;
/// What a tape does with elements of one type.
struct element_functions {
  /// Adds a gradient of as many elements to `to.gradient`, which exists.
  void (*add)(tape_value& to, buffer_ref more);
  fault_finder find_faults;
  std::size_t element_size;
};

/// A value that a tape knows: a watched tensor, or the result of a record.
struct tape_value {
  tape_value(buffer_ref b, element_functions const* of) noexcept
      : elements(std::move(b)), functions(of) {}

  buffer_ref elements;  ///< a handle, so that the address stays this value's
  buffer_ref gradient;  ///< so far; null if there is none
  device_spec requested{};
  element_functions const* functions;       ///< null for the result of a gradient
  std::uint32_t first_reader = 0xffffffff;  ///< the first record that reads it, for a listener
  bool keeps_gradient = false;              ///< asked for, also if it is the result of a record
  bool is_result = false;                   ///< of a record
  bool is_gradient = false;  ///< the result of a gradient, which is not differentiated again
};

/// The tensors of an expression, for functions that do not depend on its type.
class tensors_of {
 public:
  /// A function of the elements of a tensor, which are null for a tensor without any, and of
  /// whether a pullback reads them.
  class visitor {
   public:
    template <class F>
    explicit visitor(F const& f) noexcept
        : function_(&f), call_([](void const* called, buffer_ref const& elements, bool is_read) {
            (*static_cast<F const*>(called))(elements, is_read);
          }) {}
    void operator()(buffer_ref const& elements, bool is_read) const {
      call_(function_, elements, is_read);
    }

   private:
    void const* function_;
    void (*call_)(void const* function, buffer_ref const& elements, bool is_read);
  };

  /// visit: calls a visitor for all tensors, or for those that a gradient can reach.
  tensors_of(void const* expression,
             void (*visit)(void const* expression, bool all, visitor const& f)) noexcept
      : expression_(expression), visit_(visit) {}

  template <class F> void for_each(F const& f) const { visit_(expression_, true, visitor(f)); }
  template <class F> void for_each_on_path(F const& f) const {
    visit_(expression_, false, visitor(f));
  }

 private:
  void const* expression_;
  void (*visit_)(void const*, bool, visitor const&);
};

/// How one statement was computed.
class tape_record {
 public:
  tape_record() = default;
  virtual ~tape_record() = default;
  tape_record(tape_record const&) = delete;
  tape_record& operator=(tape_record const&) = delete;

  /// Adds to the gradients of the operands. result: the number of its value in the tape, which has
  /// a gradient.
  virtual void pull(tape_core& tape, std::uint32_t result) const = 0;

  device where;  ///< of its kernel
  site at;
  std::string_view op;          ///< its name; empty for a copy and an assignment
  copied_operands copies;       ///< of operands, by the kernels of the statement
  mutable unsigned owners = 1;  ///< nested tapes share a record; all are of one thread

  /// Makes the record independent of changes of its operands: borrowed memory is copied. Keeps the
  /// copies of operands that a pullback reads.
  void keep_operands(tensors_of const& operands);
};
/// A handle of a record.
class record_ref {
 public:
  explicit record_ref(tape_record const* r) noexcept : record_(r) {}
  record_ref(record_ref&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  record_ref& operator=(record_ref&& other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~record_ref() {
    if (record_ != nullptr && --record_->owners == 0) delete record_;
  }

  tape_record const* operator->() const noexcept { return record_; }
  tape_record const& operator*() const noexcept { return *record_; }

 private:
  tape_record const* record_;
};

/// Gets gradients that were asked for while the backward pass goes on.
class gradient_listener {
 public:
  /// A gradient to which no record adds any more. The backward pass of all tapes of one program
  /// completes them in one order.
  virtual void complete(buffer_ref const& gradient) = 0;

 protected:
  ~gradient_listener() = default;
};

namespace no_adl {
class tape_core : public gradient_recorder {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  tape_core(tape_core const&) = delete;
  tape_core& operator=(tape_core const&) = delete;

  // Defined here: with a virtual function that is only declared, clang would emit the class's
  // vtable with that function's definition alone.
  bool watches(buffer const& b) const noexcept override { return has_value(b); }
  void note_copy(buffer_ref const& from, buffer_ref const& to, site at) override {
    record_copy(from, to, at);
  }
  /// Whether this tape or an outer one has a value with these elements.
  bool has_value(buffer const& b) const noexcept;
  void record_copy(buffer_ref const& from, buffer_ref const& to, site at);

  /// The number of a value of this tape; `none` if there is none.
  std::uint32_t find(buffer const* b) const noexcept;
  /// Whether this tape has a value that a gradient can reach.
  bool reaches(tensors_of const& operands) const;
  /// Whether this tape or an outer one has.
  bool any_reaches(tensors_of const& operands) const;
  /// Whether this tape or an outer one has a value that is the result of a gradient.
  bool any_has_gradients() const noexcept;
  /// Throws: invalid_argument if one of the tensors is the result of a gradient.
  void check_first_order(tensors_of const& operands, site at) const;
  tape_value& value(std::uint32_t i) { return values_[i]; }
  /// The line of the statement that computed a value; unknown for a watched tensor.
  site site_of(std::uint32_t value) const noexcept {
    for (std::size_t i = records_.size(); i-- > 0;)
      if (records_[i].result == value) return (*records_[i].record).at;
    return {};
  }
  /// Adds a value. Throws: std::bad_alloc; then nothing has changed.
  std::uint32_t add_value(buffer_ref elements, element_functions const* functions);
  /// Throws: invalid_argument for a result in borrowed memory.
  static void check_target(buffer_ref const& elements, any_shape const& shape);
  /// Adds the record of a statement to this tape and the outer ones that its operands reach.
  /// result: its elements, a new value. functions: of their type. at: its line.
  void note(tape_record& r, site at, std::initializer_list<tensors_of> operands,
            buffer_ref const& result, element_functions const* functions);
  /// Adds the record of a statement whose result is a new value. It may be added to other tapes.
  void add_record(tape_record const& r, buffer_ref const& result,
                  element_functions const* functions);
  /// Adds to the gradient of a value. Throws: numerics_error if a tape looks for infinities and
  /// NaN, and there is one.
  void add_gradient(std::uint32_t value, buffer_ref more, device_spec requested);
  /// Marks the result of a gradient in this tape and the outer ones.
  void mark_gradient(buffer_ref g);

  /// Calls l.complete() in the backward pass. Call it before something is recorded.
  void listen(gradient_listener& l) noexcept { listener_ = &l; }
  bool has_listener() const noexcept { return listener_ != nullptr; }
  /// The next record reads these elements. For a tape with a listener.
  void note_read(buffer const* b) noexcept {
    std::uint32_t const v = find(b);
    if (v != none && values_[v].first_reader == none)
      values_[v].first_reader = static_cast<std::uint32_t>(records_.size());
  }

  /// Keeps the gradient by these elements when the record that computed them is passed.
  void keep_gradient(buffer_ref const& elements) noexcept {
    if (std::uint32_t const v = find(elements.get()); v != none) values_[v].keeps_gradient = true;
  }
  /// Runs all records backwards. `loss`: the number of a value with a gradient.
  void run_backwards();
  /// Forgets all gradients; also all values and records unless the tape is persistent.
  void clear() noexcept;
  bool has_gradients() const noexcept { return has_gradients_; }
  bool is_gradient(std::uint32_t value) const noexcept { return values_[value].is_gradient; }
  std::size_t size() const noexcept { return records_.size(); }
  tape_core* outer() const noexcept { return outer_; }
  /// Whether this tape or an outer one looks for infinities and NaN.
  bool any_checks_numerics() const noexcept;
  /// The number of a loss. Throws: invalid_argument if there is none, unless its gradients are
  /// zeros.
  std::uint32_t number_of_loss(buffer const* of, bool zeros) const;

 protected:
  explicit tape_core(bool persistent) noexcept
      : outer_(static_cast<tape_core*>(gradients_here)), is_persistent_(persistent) {
    gradients_here = this;
  }
  ~tape_core() { end(); }

  void checks_numerics() noexcept { checks_numerics_ = true; }
  [[noreturn, gnu::cold]] static void throw_unconnected(std::string const& shape,
                                                        buffer const* elements);
  [[noreturn, gnu::cold]] static void throw_watched_twice(std::string const& shape);
  [[noreturn, gnu::cold]] static void throw_borrowed(std::string_view what,
                                                     std::string const& shape);

 private:
  [[noreturn, gnu::cold]] void throw_unknown_loss() const;
  [[gnu::cold]] void check_gradient(tape_value const& v) const;
  /// Fibonacci hashing: D. E. Knuth, The Art of Computer Programming, volume 3, section 6.4.
  std::size_t slot_of(buffer const* b) const noexcept {
    std::uint64_t const key{reinterpret_cast<std::uintptr_t>(b)};
    std::size_t const hash{((key >> 6) * 0x9e3779b97f4a7c15u) >> 32};
    return hash & (slots_.size() - 1);
  }
  void grow();
  /// The values whose gradients a listener waits for, in the order of the records that read them
  /// first.
  std::vector<std::uint32_t> awaited_values() const;
  /// Throws: placement_error if a gradient is no longer the one that a listener got.
  void check_completed(std::vector<std::pair<std::uint32_t, buffer_ref>> const& completed) const;
  /// Stops recording, also if an inner tape outlives this one.
  void end() noexcept;

  std::vector<tape_value> values_;
  std::vector<std::uint32_t> slots_;  ///< a hash table: numbers of values
  /// A record, and the number of its result in this tape.
  struct entry {
    record_ref record;
    std::uint32_t result;
  };
  std::vector<entry> records_;
  tape_record const* pulled_ = nullptr;  ///< by run_backwards()
  gradient_listener* listener_ = nullptr;
  tape_core* outer_;
  bool is_persistent_;
  bool checks_numerics_ = false;
  bool has_given_up_ = false;   ///< gradient() was called
  bool has_gradients_ = false;  ///< a value is the result of a gradient
};
}  // namespace no_adl

}}}  // namespace placement::v0_1::detail
