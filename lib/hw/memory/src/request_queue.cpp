#include "request_queue.hpp"

#include <algorithm>
#include <utility>

namespace kbsim::hw {
namespace {

bool overlap(const MemoryRequest& a, const MemoryRequest& b) {
  return a.address < b.address + b.bytes.count() && b.address < a.address + a.bytes.count();
}

const MemoryService& base(const RequestQueue::Service& service) {
  return std::visit([](const MemoryService& any) -> const MemoryService& { return any; }, service);
}

MemoryRequest next(const RequestQueue::Service& service, Time now) {
  return std::visit([now](const auto& any) { return any.next(now); }, service);
}

}  // namespace

void RequestQueue::push(Service service, ServerCauses came) {
  const MemoryRequest whole = base(service).rest;
  const auto earlier =
      std::ranges::count_if(entries_, [&](const Entry& entry) { return overlap(entry.whole, whole); });
  entries_.push_back({.service = std::move(service),
                      .whole = whole,
                      .came = std::move(came),
                      .earlier = static_cast<std::size_t>(earlier)});
}

std::span<const MemoryRequest> RequestQueue::ready(Time now) {
  ready_.clear();
  places_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].earlier > 0) continue;
    ready_.push_back(next(entries_[i].service, now));
    places_.push_back(i);
  }
  return ready_;
}

void RequestQueue::serving(std::size_t index, Time end) {
  ends_.push(end);
  const std::size_t place = places_[index];
  if (base(entries_[place].service).done()) erase(place);
}

void RequestQueue::erase(std::size_t place) {
  const MemoryRequest whole = entries_[place].whole;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t i = place; i < entries_.size(); ++i) {
    if (overlap(entries_[i].whole, whole)) --entries_[i].earlier;
  }
}

std::size_t RequestQueue::in_service(Time now) {
  while (!ends_.empty() && ends_.top() <= now) ends_.pop();
  return ends_.size();
}

std::size_t RequestQueue::waiting(const Message& write) const {
  return static_cast<std::size_t>(std::ranges::count_if(entries_, [&](const Entry& entry) {
    const auto* packet = std::get_if<WriteService>(&entry.service);
    return packet != nullptr && packet->message == &write;
  }));
}

}  // namespace kbsim::hw
