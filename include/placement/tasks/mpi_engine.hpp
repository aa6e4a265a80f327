#pragma once
/// The processes of an MPI program as tasks. It uses the C functions of MPI 3 and chunks what is
/// longer than an int counts. The other half is in mpi_wait.hpp: how a process waits.

#include <placement/tasks/mpi_wait.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace placement { inline namespace v0_1 { namespace detail {

class mpi_engine final : public mpi_wait {
 public:
  /// chunk: the bytes of the longest message.
  mpi_engine(int& argc, char**& argv, std::size_t chunk) : mpi_wait(argc, argv), chunk_(chunk) {}

  // ---- from one task to another: one stream per pair, in order

  void send(statement const& s, int to, void const* bytes, std::size_t size,
            std::shared_ptr<void> owner) override {
    watched_call const call(watchdog());
    if (size <= packed) {
      std::shared_ptr<char[]> packet(new char[sizeof s + size]);
      std::memcpy(packet.get(), &s, sizeof s);
      if (size != 0) std::memcpy(packet.get() + sizeof s, bytes, size);
      post(packet.get(), sizeof s + size, to, packet);
    } else {
      auto const head = std::make_shared<statement>(s);
      post(head.get(), sizeof s, to, head);
      for (std::size_t at = 0; at < size; at += chunk_)
        post(static_cast<char const*>(bytes) + at, std::min(chunk_, size - at), to, owner);
    }
    forget_sent();
    if (unsent_bytes_ > most_unsent) flush(s);
  }

  void receive(statement const& s, int from, void* bytes, std::size_t size) override {
    watched_call const call(watchdog());
    inbox_.resize(sizeof s + packed);
    MPI_Request first;
    check(s, MPI_Irecv(inbox_.data(), static_cast<int>(inbox_.size()), MPI_BYTE, from, tag, data(),
                       &first));
    MPI_Status status;
    wait(s, first, from, &status);
    statement theirs;
    std::memcpy(&theirs, inbox_.data(), sizeof theirs);
    if (theirs.hash != s.hash) throw_diverged(from, theirs, s);
    if (size <= packed) {
      if (size != 0) std::memcpy(bytes, inbox_.data() + sizeof s, size);
      return;
    }
    for (std::size_t at = 0; at < size; at += chunk_) {
      MPI_Request next;
      check(s, MPI_Irecv(static_cast<char*>(bytes) + at, count_of(std::min(chunk_, size - at)),
                         MPI_BYTE, from, tag, data(), &next));
      wait(s, next, from);
    }
  }

  // ---- all tasks: they agree first, so that MPI never sees calls that do not match

  void agree(statement const& s) override {
    if (agreed_ == s.number && s.number != 0) return;
    watched_call const call(watchdog());
    std::uint64_t const mine[2] = {s.hash, ~s.hash};
    std::uint64_t most[2];
    MPI_Request r;
    check(s, MPI_Iallreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, data(), &r));
    wait(s, r, every_task);
    if (most[0] != ~most[1]) throw_not_agreed(s);
    agreed_ = s.number;
  }
  void broadcast(statement const& s, int from, void* bytes, std::size_t size) override {
    watched_call const call(watchdog());
    agree(s);
    for (std::size_t at = 0; at < size; at += chunk_)
      check(s, MPI_Bcast(static_cast<char*>(bytes) + at, count_of(std::min(chunk_, size - at)),
                         MPI_BYTE, from, data()));
  }
  void exchange(statement const& s, void const* mine, void* all, std::size_t size) override {
    watched_call const call(watchdog());
    agree(s);
    by_chunks(mine, all, size, true, [&](void const* from, void* to, int n) {
      check(s, MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, data()));
    });
  }
  void gather(statement const& s, void const* mine, void* all, std::size_t size) override {
    watched_call const call(watchdog());
    agree(s);
    by_chunks(mine, all, size, false, [&](void const* from, void* to, int n) {
      check(s, MPI_Allgather(from, n, MPI_BYTE, to, n, MPI_BYTE, data()));
    });
  }
  void sum(statement const& s, void* x, std::size_t count, message_number type) override {
    watched_call const call(watchdog());
    agree(s);
    bool const is_long = type == message_number::float64 || type == message_number::int64;
    std::size_t const element = is_long ? 8 : 4, most = std::max(chunk_ / element, std::size_t{1});
    for (std::size_t at = 0; at < count; at += most)
      check(s, MPI_Allreduce(MPI_IN_PLACE, static_cast<char*>(x) + at * element,
                             count_of(std::min(most, count - at)), type_of(type), MPI_SUM, data()));
  }
  std::uint64_t largest(statement const& s, std::uint64_t mine) override {
    watched_call const call(watchdog());
    agree(s);
    std::uint64_t most = 0;
    check(s, MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, data()));
    return most;
  }

 private:
  /// Up to here header and bytes are one message.
  static constexpr std::size_t packed = 3072;
  /// Messages of more bytes are waited for, so that the memory of pending ones is bounded.
  static constexpr std::size_t most_unsent = std::size_t{256} << 20;

  struct sent_message {
    MPI_Request request;
    int to;
    std::size_t size;
    std::shared_ptr<void> owner;
  };

  static int count_of(std::size_t n) { return static_cast<int>(n); }
  static MPI_Datatype type_of(message_number n) {
    switch (n) {
      case message_number::float32: return MPI_FLOAT;
      case message_number::float64: return MPI_DOUBLE;
      case message_number::int32: return MPI_INT32_T;
      case message_number::int64: return MPI_INT64_T;
      case message_number::none: break;
    }
    return MPI_BYTE;
  }

  /// Calls f(from, to, size) for parts of at most `chunk_` bytes. Longer parts are brought together
  /// in memory of its own. from_all: `mine` has one part for each task.
  template <class F>
  void by_chunks(void const* mine, void* all, std::size_t size, bool from_all, F const& f) {
    if (size == 0) return;
    if (size <= chunk_) return f(mine, all, count_of(size));
    std::size_t const tasks = static_cast<std::size_t>(this->size()), parts = from_all ? tasks : 1;
    std::vector<char> from(parts * chunk_), to(tasks * chunk_);
    for (std::size_t at = 0; at < size; at += chunk_) {
      std::size_t const n = std::min(chunk_, size - at);
      for (std::size_t t = 0; t != parts; ++t)
        std::memcpy(&from[t * n], static_cast<char const*>(mine) + t * size + at, n);
      f(from.data(), to.data(), count_of(n));
      for (std::size_t t = 0; t != tasks; ++t)
        std::memcpy(static_cast<char*>(all) + t * size + at, &to[t * n], n);
    }
  }

  void post(void const* bytes, std::size_t size, int to, std::shared_ptr<void> owner) {
    MPI_Request r;
    MPI_Isend(bytes, count_of(size), MPI_BYTE, to, tag, data(), &r);
    unsent_.push_back({r, to, size, std::move(owner)});
    unsent_bytes_ += size;
  }
  void forget_sent() {
    std::erase_if(unsent_, [this](sent_message& m) {
      int done = 0;
      MPI_Test(&m.request, &done, MPI_STATUS_IGNORE);
      if (done != 0) unsent_bytes_ -= m.size;
      return done != 0;
    });
  }
  void flush(statement const& s) override {
    while (!unsent_.empty()) {
      sent_message& m = unsent_.back();
      wait(s, m.request, m.to);
      unsent_bytes_ -= m.size;
      unsent_.pop_back();
    }
  }

  std::size_t const chunk_;
  std::uint64_t agreed_ = 0;
  std::vector<sent_message> unsent_;
  std::size_t unsent_bytes_ = 0;
  std::vector<char> inbox_;
};

}}}  // namespace placement::v0_1::detail
