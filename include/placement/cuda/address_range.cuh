#pragma once
/// A range of GPU addresses that CUDA's virtual memory management backs page by page.

#include <placement/cuda/cuda_device.cuh>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace placement { inline namespace v0_1 { namespace cuda {

/// The kind of memory that a device's ranges are made of. Network cards may access it directly
/// where the driver supports that (GPUDirect RDMA). Throws: placement_error.
inline CUmemAllocationProp memory_properties(cuda_device& owner) {
  CUmemAllocationProp all{};
  all.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  all.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  all.location.id = owner.handle();
  int supported = 0;
  owner.call(owner.api().attribute, &supported,
             CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, owner.handle());
  all.allocFlags.gpuDirectRDMACapable = supported != 0 ? 1 : 0;
  return all;
}

/// Reserved addresses and the physical memory (`cuMemCreate`) behind each page. A piece is one
/// physical allocation: a page, or several pages of a large commit, because each call of the driver
/// takes tens of microseconds. The driver frees a piece only as a whole. So its memory is freed
/// with its last page, and a page that is committed again before that is the same memory.
/// Thread: not safe.
class address_range {
 public:
  /// Reserves the addresses. Throws: out_of_memory, placement_error.
  address_range(cuda_device& owner, std::size_t bytes, std::size_t page_bytes)
      : owner_(owner),
        properties_(memory_properties(owner)),
        page_bytes_(page_bytes),
        pages_(pages_up_to(bytes)) {
    if (pages_.empty()) pages_.emplace_back();
    owner_.call_for_memory(owner_.api().reserve, &base_, size(), std::size_t{0}, CUdeviceptr{0},
                           0ull);
  }
  /// Frees the memory and the addresses, as far as the device still can.
  ~address_range() {
    if (base_ == 0) return;
    for (std::size_t page = 0; page != pages_.size(); ++page)
      if (pages_[page].handle != no_handle) unmap(page);
    owner_.try_call(owner_.api().free_addresses, base_, size());
  }
  address_range(address_range const&) = delete;
  address_range& operator=(address_range const&) = delete;

  CUdeviceptr base() const noexcept { return base_; }

  /// Commits the uncommitted pages that begin in a part of the range. The owner and the readers get
  /// access to them. Strong exception guarantee. Throws: out_of_memory, placement_error.
  void commit(std::size_t offset, std::size_t bytes, std::span<CUdevice const> readers) {
    std::size_t const first = pages_up_to(offset), last = pages_up_to(offset + bytes);
    if (first == last) return;
    std::vector<bool> fresh(last - first, false);
    std::vector<run> mapped;
    try {
      for (std::size_t page = first; page != last; ++page) {
        if (pages_[page].is_committed) continue;
        if (!pages_[page].is_mapped) {
          std::uint32_t const count = pages_of_piece(page, last);
          if (mapped.empty() || mapped.back().last != page) mapped.push_back({page, page});
          map(page, count);
          mapped.back().last = page + count;
        }
        use(page);
        fresh[page - first] = true;
      }
      for (run const& r : mapped) open_to(owner_.handle(), r.first, r.last);
    } catch (...) {
      for (std::size_t page = first; page != last; ++page)
        if (fresh[page - first]) drop(page);
      throw;
    }
    for (run const& r : mapped)
      for (CUdevice reader : readers) try_open_to(reader, r.first, r.last);
  }
  /// Decommits the pages that begin in a part of the range. Frees the pieces without other pages.
  void decommit(std::size_t offset, std::size_t bytes) noexcept {
    std::size_t const last = pages_up_to(offset + bytes);
    for (std::size_t page = pages_up_to(offset); page != last; ++page)
      if (pages_[page].is_committed) drop(page);
  }

  /// Gives another device access to all physical memory, as far as the driver allows.
  void open_to_reader(CUdevice reader) noexcept {
    for (std::size_t first = 0; first != pages_.size();) {
      std::size_t last = first;
      while (last != pages_.size() && pages_[last].is_mapped) ++last;
      if (first != last) try_open_to(reader, first, last);
      first = last == pages_.size() ? last : last + 1;
    }
  }

 private:
  using piece = CUmemGenericAllocationHandle;
  static constexpr piece no_handle = 0;
  /// The bytes of the pieces of a commit of at least twice as many.
  static constexpr std::size_t large_piece = std::size_t{32} << 20;

  /// Pages [first, last).
  struct run {
    std::size_t first, last;
  };
  struct page_state {
    piece handle = no_handle;     ///< of the piece that begins here
    std::uint32_t count = 0;      ///< the pages of that piece
    std::uint32_t committed = 0;  ///< those of them that are committed
    std::uint32_t back = 0;       ///< the pages from the first one of its piece to this one
    bool is_mapped = false, is_committed = false;
  };

  std::size_t size() const noexcept { return pages_.size() * page_bytes_; }
  /// The number of pages that begin before this offset.
  std::size_t pages_up_to(std::size_t offset) const noexcept {
    return offset / page_bytes_ + (offset % page_bytes_ != 0 ? 1 : 0);
  }
  CUdeviceptr address(std::size_t page) const noexcept { return base_ + page * page_bytes_; }
  /// The pages of a new piece that begins at `page`, in a commit up to `last`.
  std::uint32_t pages_of_piece(std::size_t page, std::size_t last) const noexcept {
    std::size_t const large = large_piece / page_bytes_;
    if (last - page < 2 * large) return 1;
    std::size_t n = 1;
    while (n != large && !pages_[page + n].is_mapped) ++n;
    return static_cast<std::uint32_t>(n);
  }

  void map(std::size_t first, std::uint32_t count) {
    piece made = no_handle;
    owner_.call_for_memory(owner_.api().create, &made, count * page_bytes_, &properties_, 0ull);
    try {
      owner_.call_for_memory(owner_.api().map, address(first), count * page_bytes_, std::size_t{0},
                             made, 0ull);
    } catch (...) {
      owner_.try_call(owner_.api().release, made);
      throw;
    }
    for (std::uint32_t k = 0; k != count; ++k) {
      pages_[first + k].is_mapped = true;
      pages_[first + k].back = k;
    }
    pages_[first].handle = made;
    pages_[first].count = count;
  }
  /// Frees the piece that begins at this page.
  void unmap(std::size_t first) noexcept {
    page_state& all = pages_[first];
    owner_.try_call(owner_.api().unmap, address(first), all.count * page_bytes_);
    owner_.try_call(owner_.api().release, all.handle);
    std::uint32_t const count = all.count;
    for (std::uint32_t k = 0; k != count; ++k) pages_[first + k] = {};
  }
  void use(std::size_t page) noexcept {
    pages_[page].is_committed = true;
    ++pages_[page - pages_[page].back].committed;
  }
  void drop(std::size_t page) noexcept {
    pages_[page].is_committed = false;
    std::size_t const first = page - pages_[page].back;
    if (--pages_[first].committed == 0) unmap(first);
  }

  static CUmemAccessDesc access_of(CUdevice reader_handle) noexcept {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = reader_handle;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return access;
  }
  void open_to(CUdevice reader_handle, std::size_t first, std::size_t last) {
    CUmemAccessDesc const access = access_of(reader_handle);
    owner_.call_for_memory(owner_.api().set_access, address(first), (last - first) * page_bytes_,
                           &access, std::size_t{1});
  }
  /// Without this access, a copy between the two devices goes through the host.
  void try_open_to(CUdevice reader_handle, std::size_t first, std::size_t last) noexcept {
    CUmemAccessDesc const access = access_of(reader_handle);
    owner_.try_call(owner_.api().set_access, address(first), (last - first) * page_bytes_, &access,
                    std::size_t{1});
  }

  cuda_device& owner_;
  CUmemAllocationProp properties_;
  std::size_t page_bytes_;
  std::vector<page_state> pages_;
  CUdeviceptr base_ = 0;
};

}}}  // namespace placement::v0_1::cuda
