#pragma once
/// A range of GPU addresses that CUDA's virtual memory management backs page by page.

#include <placement/cuda/cuda_device.cuh>

#include <cstddef>
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

/// Reserved addresses and the physical memory (`cuMemCreate`) behind each page. Each page is a
/// physical allocation of its own, because the driver frees such an allocation only as a whole.
/// Thread: not safe.
class address_range {
 public:
  /// Reserves the addresses. Throws: out_of_memory, placement_error.
  address_range(cuda_device& owner, std::size_t bytes, std::size_t page_bytes)
      : owner_(owner),
        properties_(memory_properties(owner)),
        page_bytes_(page_bytes),
        pieces_(pages_up_to(bytes), no_piece) {
    if (pieces_.empty()) pieces_.push_back(no_piece);
    owner_.call_for_memory(owner_.api().reserve, &base_, size(), std::size_t{0}, CUdeviceptr{0},
                           0ull);
  }
  /// Frees the memory and the addresses, as far as the device still can.
  ~address_range() {
    if (base_ == 0) return;
    unmap(0, pieces_.size());
    owner_.try_call(owner_.api().free_addresses, base_, size());
  }
  address_range(address_range const&) = delete;
  address_range& operator=(address_range const&) = delete;

  CUdeviceptr base() const noexcept { return base_; }

  /// Commits the uncommitted pages that begin in a part of the range. The owner and the readers get
  /// access to them. Strong exception guarantee. Throws: out_of_memory, placement_error.
  void commit(std::size_t offset, std::size_t bytes, std::span<CUdevice const> readers) {
    std::size_t const first = pages_up_to(offset), last = pages_up_to(offset + bytes);
    std::vector<bool> fresh(last - first, false);
    try {
      for (std::size_t page = first; page != last; ++page) {
        if (pieces_[page] != no_piece) continue;
        map(page);
        fresh[page - first] = true;
      }
      if (first != last) open_to(owner_.handle(), first, last);
    } catch (...) {
      for (std::size_t page = first; page != last; ++page)
        if (fresh[page - first]) unmap(page, page + 1);
      throw;
    }
    if (first == last) return;
    for (CUdevice reader : readers) try_open_to(reader, first, last);
  }
  /// Frees the physical memory of the pages that begin in a part of the range.
  void decommit(std::size_t offset, std::size_t bytes) noexcept {
    unmap(pages_up_to(offset), pages_up_to(offset + bytes));
  }

  /// Gives another device access to all committed pages, as far as the driver allows.
  void open_to_reader(CUdevice reader) noexcept {
    for (std::size_t first = 0; first != pieces_.size();) {
      std::size_t last = first;
      while (last != pieces_.size() && pieces_[last] != no_piece) ++last;
      if (first != last) try_open_to(reader, first, last);
      first = last == pieces_.size() ? last : last + 1;
    }
  }

 private:
  using piece = CUmemGenericAllocationHandle;
  static constexpr piece no_piece = 0;

  std::size_t size() const noexcept { return pieces_.size() * page_bytes_; }
  /// The number of pages that begin before this offset.
  std::size_t pages_up_to(std::size_t offset) const noexcept {
    return offset / page_bytes_ + (offset % page_bytes_ != 0 ? 1 : 0);
  }
  CUdeviceptr address(std::size_t page) const noexcept { return base_ + page * page_bytes_; }

  void map(std::size_t page) {
    piece made = no_piece;
    owner_.call_for_memory(owner_.api().create, &made, page_bytes_, &properties_, 0ull);
    try {
      owner_.call_for_memory(owner_.api().map, address(page), page_bytes_, std::size_t{0}, made,
                             0ull);
    } catch (...) {
      owner_.try_call(owner_.api().release, made);
      throw;
    }
    pieces_[page] = made;
  }
  void unmap(std::size_t first, std::size_t last) noexcept {
    for (std::size_t page = first; page != last; ++page) {
      if (pieces_[page] == no_piece) continue;
      owner_.try_call(owner_.api().unmap, address(page), page_bytes_);
      owner_.try_call(owner_.api().release, pieces_[page]);
      pieces_[page] = no_piece;
    }
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
  std::vector<piece> pieces_;
  CUdeviceptr base_ = 0;
};

}}}  // namespace placement::v0_1::cuda
