#pragma once

#include <cstddef>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/sim/pool_queue.hpp"

namespace kbsim {

/// The properties of a sent tile, or of the tile that a recv asks for.
struct QueueItem {
  Shape shape;
  DType dtype = f16;
  int tag = 0;
  friend bool operator==(const QueueItem&, const QueueItem&) = default;
};

/// The fault of a recv whose tile has other properties than it asked for.
[[nodiscard]] KernelFault mismatch(const std::source_location& recv, std::string_view direction,
                                   const QueueItem& asked, const QueueItem& sent);

/// The queues [first, last) of a kernel, and the queue that a recv without a direction asks first.
struct QueueTurns {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t turn = 0;  // counted from `first`
};

/// The waiting recvs of a PE, on the machine and in the mock. It decides which recv gets a tile: the oldest
/// one, by `order`, that may have it. A recv without a direction takes from the queues in turns.
template <class Recv>
class QueueMatcher {
 public:
  /// Recvs in the order of their calls; takes no memory before the first.
  using Recvs = PoolQueue<Recv>;

  void resize(std::size_t queues) { of_.resize(queues); }
  /// Adds a recv from one queue, or from any.
  void add(std::optional<std::size_t> queue, Recv&& recv) {
    (queue ? of_[*queue] : any_).push_back(std::move(recv));
  }
  [[nodiscard]] const Recvs& of(std::size_t queue) const { return of_[queue]; }
  [[nodiscard]] const Recvs& any() const { return any_; }

  /// Drops the recvs of these queues and without a queue for which `which` holds. Calls it once per recv.
  template <class Which>
  void erase_if(const QueueTurns& queues, const Which& which) {
    for (std::size_t queue = queues.first; queue < queues.last; ++queue) of_[queue].erase_if(which);
    any_.erase_if(which);
  }

  /// Gives tiles to recvs until no recv can get one. `ready(queue, recv)` says whether a tile is there and
  /// the recv may have it now; `give(queue, recv)` hands it over.
  template <class Ready, class Give>
  void match(QueueTurns& queues, const Ready& ready, const Give& give) {
    do {
      for (std::size_t queue = queues.first; queue < queues.last; ++queue) {
        while (give_directed(queue, ready, give)) {}
      }
    } while (give_any(queues, ready, give));
  }

 private:
  template <class Ready, class Give>
  bool give_directed(std::size_t queue, const Ready& ready, const Give& give) {
    if (of_[queue].empty() || !ready(queue, of_[queue].front())) return false;
    if (!any_.empty() && any_.front().order < of_[queue].front().order) return false;
    give(queue, take(of_[queue]));
    return true;
  }
  template <class Ready, class Give>
  bool give_any(QueueTurns& queues, const Ready& ready, const Give& give) {
    if (any_.empty()) return false;
    const std::size_t count = queues.last - queues.first;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = (queues.turn + i) % count;
      const std::size_t queue = queues.first + place;
      const bool older = !of_[queue].empty() && of_[queue].front().order < any_.front().order;
      if (older || !ready(queue, any_.front())) continue;
      queues.turn = place + 1;
      give(queue, take(any_));
      return true;
    }
    return false;
  }
  static Recv take(Recvs& waiting) {
    Recv first = std::move(waiting.front());
    waiting.pop_front();
    return first;
  }

  std::vector<Recvs> of_;  // by queue
  Recvs any_;
};

}  // namespace kbsim
