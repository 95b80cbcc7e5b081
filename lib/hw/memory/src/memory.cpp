#include "kbsim/hw/memory/memory.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/memory_atomic.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"
#include "kbsim/hw/memory/slot_messages.hpp"

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

}  // namespace

Memory::Memory(Fabric& fabric, NodeId id, std::unique_ptr<IMemoryTiming> timing, const std::string& scheduler)
    : Component{fabric, id},
      timing_{std::move(timing)},
      scheduler_{memory_scheduler_named(scheduler, node())},
      is_lanes_{timing_->lanes() > 0},
      arrivals_{fabric.sim(), name()},
      served_{fabric.sim(), {name(), "port"}} {
  ensure(scheduler_->window() > 0,
         [&] { return name() + ": memory scheduler '" + scheduler + "' has a window of none"; });
  if (scheduler_->orders_commands()) {
    controlled_ = std::make_unique<ControlledRequests>(controller_of(node(), *timing_, scheduler));
  } else if (scheduler_->window() != IMemoryScheduler::kUnlimited) {
    queue_ = std::make_unique<RequestQueue>();
  }
}

Memory::~Memory() = default;

void Memory::start(Machine& machine) {
  if (!ordered_later()) {
    Component::start(machine);
  } else {
    serve_box<&Memory::inbox, &Memory::take_and_pick>(*this);
  }
  log_ = &machine.log();
  races_ = &machine.races();
  evaluator_ = &machine.evaluator();
  if (sim().causes() != nullptr) keep_causes(*sim().causes());
  serve_handoff<&Memory::arrivals_, &Memory::run>(*this);
  serve_box<&Memory::served_, &Memory::finish_writes>(*this);
}

void Memory::keep_causes(Causes& causes) {
  const bool known = controlled_ != nullptr ? controlled_->controller().keep_causes(causes, id())
                                            : timing_->lanes() > 0 || timing_->keep_causes(causes, id());
  if (!known) {
    throw Unsupported{"--explain: " + name() + ", a " + node().model->impl +
                      ", doesn't say why its requests wait: IMemoryTiming::lanes() or keep_causes()"};
  }
  causes_ = std::make_unique<MemoryCauses>(causes, id(), *timing_, !ordered_later() && timing_->lanes() > 0);
}

ServiceContract Memory::contract() {
  if (ordered_later()) return {};
  const bool plain = timing_->lane(false) != nullptr && timing_->lane(true) != nullptr;
  return {.packets = ServiceContract::Packets::served,
          .receiver = this,
          .memory = plain ? this : nullptr,
          .only_answers = true};
}

// The bytes of a request count as they are done: the last at the end of its slot.
void Memory::reserve_ahead(const MemoryRequest& request, const Lane::Slot& slot) {
  const bool write = request.op != MemoryOp::read;
  const Time service = timing_->port(write).rate.serialization(request.bytes);
  ahead_.at(write ? 1 : 0).add(slot.end - service, slot.end, sim().now());
}

// A port's busy time until now, for reads, writes or both. A Lane serves its reservations without a gap.
Time Memory::done(const UnitUse& use, bool write, bool both) const {
  const Time now = sim().now();
  if (const Lane* const lane = is_lanes_ ? timing_->lane(write) : nullptr)
    return std::clamp(lane->busy_until(now), Time{0}, now);
  const Time other = both ? ahead_.at(write ? 0 : 1).after(now) : Time{0};
  return std::clamp(use.busy - ahead_.at(write ? 1 : 0).after(now) - other, Time{0}, now);
}

std::vector<UnitUse> Memory::use() const {
  fabric().flush(id());
  std::vector<UnitUse> all = controlled_ == nullptr ? timing_->use() : controlled_->controller().use();
  for (std::size_t i = 0; i < all.size(); ++i) all[i].busy = done(all[i], i == 1, all.size() == 1);
  return all;
}

// A packet of data is taken at its head, a request when it is whole. Each is served in this order, or put
// into a queue from which the scheduler picks.
Task<> Memory::run() {
  for (;;) {
    Packet* const packet = co_await arrivals_.receive();
    if (packet->message->cut_through) {
      write(*packet);
    } else if (const MessagePtr request = fabric().arrived(*packet)) {
      perform(*request);
    }
  }
}

void Memory::perform(const Message& request) {
  if (const auto* read = request.body.get_if<ReadRequest>()) return answer(*read);
  if (const auto* atomic = request.body.get_if<AtomicRequest>()) return perform(*atomic);
  if (const auto* signal = request.body.get_if<SignalRequest>()) return watch(*signal);
  refuse(request);
}

void Memory::write(Packet& packet) {
  Message& message = *packet.message;
  const Bytes before = static_cast<std::int64_t>(packet.ordinal) * fabric().packet_size(message.size);
  WriteService write{{.rest = {.op = MemoryOp::write,
                               .address = address_of(message) + before.count(),
                               .bytes = packet.size,
                               .head = packet.head,
                               .tail = packet.tail}},
                     &message};
  if (causes_) [[unlikely]]
    causes_->comes(fabric().causes()->head(packet), fabric().causes()->tail(packet));
  if (fabric().arrived(packet).release() != nullptr) keep(message);
  submit(std::move(write));
}

std::int64_t Memory::address_of(const Message& message) const {
  if (const auto* write = message.body.get_if<WriteData>()) return write->address;
  return locate(fabric().graph(), message.body.get<SlotWrite>().slot).address;
}

void Memory::answer(const ReadRequest& read) {
  MessagePtr data =
      fabric().make(id(), read.reply_to, read.bytes, TrafficClass::response,
                    ReadData{.contents = image_.read(read.address, read.bytes.count()), .token = read.token});
  submit(ReadService{
      {.rest = {.address = read.address, .bytes = read.bytes, .head = sim().now(), .tail = sim().now()}},
      &fabric().open(std::move(data)),
      fabric().packet_size(read.bytes)});
}

void Memory::answer(const SignalRequest& met) {
  const ReadRequest& word = met.word;
  races_->serves(word.reply_to, word.token, {.memory = id(), .address = word.address}, word.bytes);
  answer(word);
}

// Requests that arrive later get the result.
void Memory::perform(const AtomicRequest& request) {
  const Bytes size = request.atomic->parts[request.part].memory.bytes;
  AtomicService atomic{
      {.rest = {.address = request.address, .bytes = size, .head = sim().now(), .tail = sim().now()}},
      request,
      image_.read(request.address, size.count())};
  if (ordered_later()) announce(atomic);
  image_.write(request.address, {request.atomic->parts[request.part].result, 0, size.count()});
  submit(std::move(atomic));
  races_->serves(request.reply_to, request.token, {.memory = id(), .address = request.address}, size);
  look_again(request.address, size);
}

void Memory::keep(const Message& message) {
  if (const auto* write = message.body.get_if<WriteData>()) image_.write(write->address, write->contents);
  if (const auto* slot = message.body.get_if<SlotWrite>()) {
    image_.write(locate(fabric().graph(), slot->slot).address, slot->contents);
  }
}

Task<> Memory::finish_writes() {
  for (;;) {
    Message* served = co_await served_.receive();
    finished(MessagePtr{served, Recycle{&fabric()}}, sim().now());
  }
}

void Memory::finished(MessagePtr message, Time at) {
  if (const auto* slot = message->body.get_if<SlotWrite>()) {
    const auto which = static_cast<std::uint32_t>(slot->slot.bits());
    return report(at, slot->receiver, TrafficClass::ipcq,
                  SlotFilled{.slot = slot->slot, .header = slot->header}, which);
  }
  const auto* write = message->body.get_if<WriteData>();
  ensure(write != nullptr, [&] { return name() + " was sent something that isn't a write"; });
  report(at, write->reply_to, TrafficClass::response, WriteAck{.token = write->token}, message->origin);
}

void Memory::report(Time at, NodeId to, TrafficClass traffic_class, MessageBody body, std::uint32_t origin) {
  const Bytes size = fabric().graph().spec().system.control_bytes;
  MessagePtr message = fabric().make(id(), to, size, traffic_class, std::move(body));
  message->origin = origin;
  fabric().send(std::move(message), at, at);
}

}  // namespace kbsim::hw
