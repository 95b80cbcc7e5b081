#include "kbsim/hw/memory/request_order.hpp"

#include <algorithm>
#include <concepts>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"
#include "kbsim/hw/memory/port_service.hpp"

#include "controlled_requests.hpp"
#include "request_queue.hpp"

namespace kbsim::hw {
namespace {

std::unique_ptr<IMemoryController> controller_of(const topology::Node& node, const IMemoryTiming& timing,
                                                 const std::string& scheduler) {
  if (auto controller = timing.controller()) return controller;
  throw ConfigError{node.model->place_of({"scheduler"}), node.name + ".scheduler",
                    scheduler + " orders the commands of a memory with banks, as builtin.hbm_banks; " +
                        node.model->impl + " has none"};
}

// A request's parts for the controller: packets, or the elements of an atomic twice.
std::vector<MemoryRequest> parts_of(ReadService read, Time now) {
  std::vector<MemoryRequest> parts;
  for (; !read.done(); read.advance(parts.back().bytes)) parts.push_back(read.next(now));
  return parts;
}
std::vector<MemoryRequest> parts_of(const WriteService& write, Time now) { return {write.next(now)}; }
std::vector<MemoryRequest> parts_of(const AtomicService& atomic, Time now) {
  MemoryRequest back = atomic.next(now);
  back.op = MemoryOp::write_back;
  return {atomic.next(now), back};
}

}  // namespace

RequestOrder::RequestOrder(Component& memory, IMemoryTiming& timing, IMemoryModel& model, PortService& ports,
                           const std::string& scheduler)
    : memory_{memory},
      timing_{timing},
      model_{model},
      ports_{ports},
      scheduler_{memory_scheduler_named(scheduler, memory.node())} {
  ensure(scheduler_->window() > 0,
         [&] { return memory.name() + ": memory scheduler '" + scheduler + "' has a window of none"; });
  if (scheduler_->orders_commands()) {
    controlled_ = std::make_unique<ControlledRequests>(controller_of(memory.node(), timing, scheduler));
  } else if (scheduler_->window() != IMemoryScheduler::kUnlimited) {
    queue_ = std::make_unique<RequestQueue>();
  }
}

RequestOrder::~RequestOrder() = default;

IMemoryController* RequestOrder::controller() const {
  return controlled_ != nullptr ? &controlled_->controller() : nullptr;
}

// Values stay bound: only the service by the ports is later, in the same order.
template <class Service>
bool RequestOrder::put_off(Service& service) {
  if (put_off_.empty() && (std::same_as<Service, WriteService> || !model_.puts_off())) return false;
  MemoryCauses* const causes = ports_.causes();
  put_off_.emplace_back([this, causes, why = causes ? sim().causes()->current() : Cause{},
                         came = causes ? causes->came(service.rest) : ServerCauses{}, service] {
    if (causes) {
      sim().causes()->set_current(why);
      causes->comes(came.start, came.end);
    }
    submit(service);
  });
  return true;
}

void RequestOrder::serve_put_off() {
  std::vector<std::function<void()>> all;
  all.swap(put_off_);
  for (const auto& serve_one : all) serve_one();
}

template <class Service>
void RequestOrder::submit(Service service) {
  if (shares_ports_ && put_off(service)) [[unlikely]]
    return;
  MemoryCauses* const causes = ports_.causes();
  if (queue_ != nullptr) [[unlikely]]
    return queue_->push(std::move(service), causes ? causes->came(service.rest) : ServerCauses{});
  if (controlled_ != nullptr) [[unlikely]] {
    std::vector<MemoryRequest> parts = parts_of(service, sim().now());
    const Cause tail = causes ? causes->came(service.rest).end : Cause{};
    return controlled_->push(std::move(service), std::move(parts), tail);
  }
  if constexpr (std::same_as<Service, ReadService>) {
    Lane* const lane = timing_.lane(false);
    if (lane != nullptr && memory_.fabric().shortcut() != nullptr) ports_.serve_run(service, *lane);
  }
  while (!service.done()) (void)ports_.serve(service);
}
template void RequestOrder::submit(ReadService);
template void RequestOrder::submit(WriteService);
template void RequestOrder::submit(AtomicService);

void RequestOrder::turn() {
  if (controlled_ != nullptr) {
    control();
  } else {
    pick();
  }
}

void RequestOrder::pick() {
  MemoryCauses* const causes = ports_.causes();
  while (!queue_->empty() && queue_->in_service(sim().now()) < scheduler_->window()) {
    const std::span<const MemoryRequest> ready = queue_->ready(sim().now());
    const std::size_t index = scheduler_->pick(ready, timing_);
    ensure(index < ready.size(),
           [&] { return memory_.name() + ": its scheduler picked a request that isn't there"; });
    if (causes) [[unlikely]]
      explain_pick(ready[index], queue_->came(index));
    const Time end = serve_picked(index);
    queue_->serving(index, end);
    if (causes) [[unlikely]]
      sim().causes()->because(causes->last_end());
    memory_.fabric().wake(memory_, end);
  }
}

Time RequestOrder::serve_picked(std::size_t index) {
  const auto serve = [this]<class Service>(Service& service) {
    if constexpr (std::same_as<Service, WriteService>)
      return ports_.serve(service, queue_->waiting(*service.message) == 1);
    else
      return ports_.serve(service);
  };
  return std::visit(serve, queue_->service(index));
}

// A request that is picked later than it arrived waited for requests in service or picked before it.
void RequestOrder::explain_pick(const MemoryRequest& request, const ServerCauses& came) {
  Causes& causes = *sim().causes();
  if (came.start.at() == request.head) return ports_.causes()->comes(came.start, came.end);
  const Cause picked = causes.make(sim().now(), causes.current(), why(Reason::port_free, memory_.id()));
  ports_.causes()->comes(picked, causes.latest(picked, came.end));
}

// Parts that the controller has served by now leave, no sooner than now; next() is when to ask again.
void RequestOrder::control() {
  const Time now = sim().now();
  for (ControlledRequest* request : controlled_->advance(now)) {
    std::visit([&](auto& service) { deliver(service, *request); }, request->service);
    if (request->whole()) controlled_->erase(*request);
  }
  const Time next = controlled_->controller().next();
  if (next == kForever || (wake_ > now && wake_ <= next)) return;
  wake_ = std::max(next, now);
  if (ports_.causes()) [[unlikely]]
    sim().causes()->because(controlled_->controller().why_next());
  memory_.fabric().wake(memory_, wake_);
}

void RequestOrder::deliver(ReadService& read, ControlledRequest& request) {
  for (; request.deliverable(); ++request.delivered) {
    Lane::Slot slot = *request.slots[request.delivered];
    slot.start = std::max(slot.start, sim().now());
    const MemoryRequest& part = request.parts[request.delivered];
    if (MemoryCauses* const causes = ports_.causes()) [[unlikely]]
      memory_.fabric().causes()->slot(causes->in_turn(*read.data,
                                                      from_now_on(request.because[request.delivered]),
                                                      request.delivered + 1 == request.parts.size()));
    ports_.deliver(read, part, {.start = slot.start, .end = std::max(slot.start, slot.end)});
  }
}

void RequestOrder::deliver(WriteService& write, ControlledRequest& request) {
  if (MemoryCauses* const causes = ports_.causes()) [[unlikely]]
    causes->wrote(*write.message, request.because.front().end);
  ports_.deliver(write, request.parts.front(), *request.slots.front(),
                 controlled_->waiting(*write.message) == 1);
  ++request.delivered;
}

void RequestOrder::deliver(AtomicService& atomic, ControlledRequest& request) {
  if (!request.slots[0] || !request.slots[1]) return;
  if (ports_.causes()) [[unlikely]]
    memory_.fabric().causes()->slot(from_now_on(request.because.front()));
  ports_.deliver(atomic, request.parts.front(), *request.slots[0], *request.slots[1]);
  request.delivered = 2;
}

// The same causes, with no time sooner than now.
ServerCauses RequestOrder::from_now_on(const ServerCauses& because) const {
  Causes& causes = *sim().causes();
  const auto no_sooner = [&](const Cause& cause) {
    if (cause.at() >= sim().now()) return cause;
    return causes.make(sim().now(), causes.current(), why(Reason::port_free, memory_.id()), cause);
  };
  return {.start = no_sooner(because.start), .end = no_sooner(because.end)};
}

}  // namespace kbsim::hw
