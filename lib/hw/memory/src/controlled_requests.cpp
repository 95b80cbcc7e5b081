#include "controlled_requests.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kbsim::hw {

void ControlledRequests::push(RequestQueue::Service service, std::vector<MemoryRequest> parts,
                              const Cause& tail) {
  ControlledRequest& request = open_.emplace_back();
  request.service = std::move(service);
  request.parts = std::move(parts);
  request.slots.resize(request.parts.size());
  if (tail) request.because.resize(request.parts.size());
  request.place = std::prev(open_.end());
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    parts_.emplace(asked_, Part{.request = &request, .index = i});
    if (tail) [[unlikely]]
      controller_->push_because(asked_++, request.parts[i], tail);
    else
      controller_->push(asked_++, request.parts[i]);
  }
}

std::vector<ControlledRequest*> ControlledRequests::advance(Time now) {
  served_.clear();
  controller_->advance(now, served_);
  std::vector<ControlledRequest*> changed;
  for (const IMemoryController::Served& served : served_) {
    const auto part = parts_.find(served.id);
    ControlledRequest& request = *part->second.request;
    request.slots[part->second.index] = served.slot;
    if (!request.because.empty()) request.because[part->second.index] = served.because;
    if (!std::exchange(request.changed, true)) changed.push_back(&request);
    parts_.erase(part);
  }
  for (ControlledRequest* request : changed) request->changed = false;
  return changed;
}

std::size_t ControlledRequests::waiting(const Message& write) const {
  return static_cast<std::size_t>(std::ranges::count_if(open_, [&](const ControlledRequest& request) {
    const auto* packet = std::get_if<WriteService>(&request.service);
    return packet != nullptr && packet->message == &write;
  }));
}

}  // namespace kbsim::hw
