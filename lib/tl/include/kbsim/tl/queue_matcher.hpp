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

/// What a send gives, or a recv asks for.
struct QueueItem {
  Shape shape;
  DType dtype = f16;
  int tag = 0;
  friend bool operator==(const QueueItem&, const QueueItem&) = default;
};

/// The fault of a recv that is given something else.
[[nodiscard]] KernelFault mismatch(const std::source_location& recv, std::string_view direction,
                                   const QueueItem& asked, const QueueItem& sent);

/// The queues [first, last) that a kernel has, and the one that a recv without a direction asks first.
struct QueueTurns {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t turn = 0;  // counted from `first`
};

/// The recvs of a PE that wait, and which of them gets a tile, on the machine and in the mock: of those that
/// may have it the oldest, by `order`; a recv without a direction takes from the queues in turns.
template <class Recv>
class QueueMatcher {
 public:
  /// In the order of their calls; takes no memory before the first.
  using Recvs = PoolQueue<Recv>;

  void resize(std::size_t queues) { of_.resize(queues); }
  /// Of one queue, or of any.
  void add(std::optional<std::size_t> queue, Recv&& recv) {
    (queue ? of_[*queue] : any_).push_back(std::move(recv));
  }
  [[nodiscard]] const Recvs& of(std::size_t queue) const { return of_[queue]; }
  [[nodiscard]] const Recvs& any() const { return any_; }

  /// Drops those that `which` holds for, of these queues and of those that ask any. Each is asked once.
  template <class Which>
  void erase_if(const QueueTurns& queues, const Which& which) {
    for (std::size_t queue = queues.first; queue < queues.last; ++queue) of_[queue].erase_if(which);
    any_.erase_if(which);
  }

  /// Until nobody gets anything: `ready(queue, recv)` says whether a tile is there and the recv may have it
  /// now, `give(queue, recv)` hands it over.
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
