#pragma once
/// Bytes that an op's kernel keeps for the op's pullbacks, beside its result.

#include <placement/memory/buffer.hpp>
#include <placement/runtime/shared_word.hpp>

#include <cstddef>
#include <utility>

namespace placement { inline namespace v0_1 { namespace detail {

/// A handle, which copies of the op share. A gradient tape calls keep() for the op of each record,
/// so that each evaluation has bytes of its own. Without keep(), and where another kernel ran,
/// there are none: the pullbacks then compute them again.
/// Thread: make() is called before the result is complete. Pullbacks read the result.
class kept_bytes {
 public:
  constexpr kept_bytes() = default;
  constexpr kept_bytes(kept_bytes const& o) noexcept : shared_(o.shared_) {
    if (shared_ != nullptr) shared_->owners.add(1);
  }
  constexpr kept_bytes(kept_bytes&& o) noexcept : shared_(std::exchange(o.shared_, nullptr)) {}
  constexpr kept_bytes& operator=(kept_bytes o) noexcept {
    std::swap(shared_, o.shared_);
    return *this;
  }
  constexpr ~kept_bytes() {
    if (shared_ != nullptr) release();
  }

  /// Throws: std::bad_alloc.
  void keep() { *this = kept_bytes(new shared); }
  bool is_kept() const noexcept { return shared_ != nullptr; }
  /// `size` bytes on a device; null without keep(), and if the evaluation runs more than once, for
  /// each simulated task: then none are kept. Throws: out_of_memory.
  unsigned char* make(std::size_t size, device where = cpu0) const {
    if (shared_ == nullptr) return nullptr;
    if (std::exchange(shared_->is_made, true)) {
      shared_->is_ambiguous = true;
      return nullptr;
    }
    shared_->bytes = buffer_ref(buffer::make(where, size));
    return static_cast<unsigned char*>(shared_->bytes->data());
  }
  /// Call after the kernel that writes what make() returned was enqueued on a GPU.
  void written() const {
    if (shared_ != nullptr && shared_->bytes) shared_->bytes->written();
  }
  /// What make(size, where) returned; null if it was not called, or for another size or device.
  unsigned char const* of_size(std::size_t size, device where = cpu0) const {
    if (shared_ == nullptr || shared_->is_ambiguous || !shared_->bytes) return nullptr;
    buffer& kept = *shared_->bytes.get();
    if (kept.size() != size || !(kept.where() == where)) return nullptr;
    if (recorder_here != nullptr) [[unlikely]]
      recorder_here->note(kept);
    return static_cast<unsigned char const*>(kept.data());
  }

 private:
  struct shared {
    shared_word<int> owners{1};
    bool is_made = false, is_ambiguous = false;
    buffer_ref bytes;
  };
  explicit kept_bytes(shared* s) noexcept : shared_(s) {}
  void release() noexcept {
    if (shared_->owners.add(-1) == 1) delete shared_;
  }

  shared* shared_ = nullptr;
};

/// An op whose kernel keeps bytes for its pullbacks: a member `kept_bytes kept`.
template <class Op> concept keeps_bytes = requires(Op op) { op.kept.keep(); };

}}}  // namespace placement::v0_1::detail
