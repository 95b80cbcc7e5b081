#pragma once

#include <functional>
#include <queue>
#include <span>
#include <variant>
#include <vector>

#include "services.hpp"

namespace kbsim::hw {

/// The requests of a memory that wait to be picked, in order of arrival, and how many are being served. A
/// request is ready when no earlier one of overlapping bytes waits.
class RequestQueue {
 public:
  using Service = std::variant<ReadService, WriteService, AtomicService>;

  /// `came`: causes of its arrival, if causes are kept.
  void push(Service service, ServerCauses came = {});
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The requests that can be served next, from `now` on. Valid until the next call.
  [[nodiscard]] std::span<const MemoryRequest> ready(Time now);
  /// Service of the request with this index in the last result of ready().
  [[nodiscard]] Service& service(std::size_t index) { return entries_[places_[index]].service; }
  [[nodiscard]] const ServerCauses& came(std::size_t index) const { return entries_[places_[index]].came; }
  /// The next part of that request is served until `end`.
  void serving(std::size_t index, Time end);

  /// How many requests are being served at this time.
  [[nodiscard]] std::size_t in_service(Time now);
  /// How many packets of a write wait.
  [[nodiscard]] std::size_t waiting(const Message& write) const;

 private:
  struct Entry {
    Service service;
    MemoryRequest whole;
    ServerCauses came;
    std::size_t earlier = 0;  // number that wait and overlap
  };
  void erase(std::size_t place);

  std::vector<Entry> entries_;
  std::vector<MemoryRequest> ready_;
  std::vector<std::size_t> places_;  // of ready_ in entries_
  std::priority_queue<Time, std::vector<Time>, std::greater<>> ends_;
};

}  // namespace kbsim::hw
