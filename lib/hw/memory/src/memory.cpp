#include "kbsim/hw/memory/memory.hpp"

#include <algorithm>
#include <utility>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/i_memory_controller.hpp"
#include "kbsim/hw/memory/memory_atomic.hpp"
#include "kbsim/hw/memory/memory_causes.hpp"
#include "kbsim/hw/memory/slot_messages.hpp"

#include "services.hpp"

namespace kbsim::hw {
namespace {

// The result of an atomic can be read before the atomic is served.
void announce(const AtomicService& atomic, oplog::OpLog& log) {
  const AtomicRequest& request = atomic.request;
  for (oplog::Op& op : operations(*request.atomic, request.atomic->parts[request.part], atomic.held))
    log.announce(std::move(op));
}

}  // namespace

Memory::Memory(Fabric& fabric, NodeId id, std::unique_ptr<IMemoryTiming> timing, const std::string& scheduler)
    : Component{fabric, id},
      timing_{std::move(timing)},
      arrivals_{fabric.sim(), name()},
      served_{fabric.sim(), {name(), "port"}},
      ports_{*this, *timing_, *this, served_},
      requests_{*this, *timing_, *this, ports_, scheduler} {}

void Memory::start(Machine& machine) {
  if (!requests_.picks()) {
    Component::start(machine);
  } else {
    serve_box<&Memory::inbox, &Memory::take_and_pick>(*this);
  }
  log_ = &machine.log();
  races_ = &machine.races();
  ports_.record_in(*log_);
  watched_.read_with(*log_, machine.evaluator());
  if (sim().causes() != nullptr) keep_causes(*sim().causes());
  serve_handoff<&Memory::arrivals_, &Memory::run>(*this);
  serve_box<&Memory::served_, &Memory::finish_writes>(*this);
}

void Memory::visit_memory(RepeatVisitor& visitor) {
  auto* const timing = dynamic_cast<IRepeatable*>(timing_.get());
  if (timing == nullptr) return visitor.refuse("its timing model doesn't state what it depends on");
  if (requests_.picks()) return visitor.refuse("its scheduler doesn't state what it depends on");
  timing->visit(visitor);
}

void Memory::keep_causes(Causes& causes) {
  IMemoryController* const controller = requests_.controller();
  const bool known = controller != nullptr ? controller->keep_causes(causes, id())
                                           : timing_->lanes() > 0 || timing_->keep_causes(causes, id());
  if (!known) {
    throw Unsupported{"--explain: " + name() + ", a " + node().model->impl +
                      ", doesn't say why its requests wait: IMemoryTiming::lanes() or keep_causes()"};
  }
  ports_.keep_causes(causes, !requests_.picks() && timing_->lanes() > 0);
}

ServiceContract Memory::contract() {
  if (requests_.picks()) return {};
  const bool plain = timing_->lane(false) != nullptr && timing_->lane(true) != nullptr;
  return {.packets = ServiceContract::Packets::served,
          .receiver = this,
          .memory = plain ? this : nullptr,
          .only_answers = true};
}

std::vector<UnitUse> Memory::use() const {
  fabric().flush(id());
  const IMemoryController* const controller = requests_.controller();
  return ports_.use().until_now(controller == nullptr ? timing_->use() : controller->use());
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
  if (const auto* signal = request.body.get_if<SignalRequest>())
    return watched_.met(*signal) ? answer(*signal) : watched_.add(*signal);
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
  if (MemoryCauses* const causes = ports_.causes()) [[unlikely]]
    causes->comes(fabric().causes()->head(packet), fabric().causes()->tail(packet));
  if (fabric().arrived(packet).release() != nullptr) keep(message);
  requests_.submit(std::move(write));
}

std::int64_t Memory::address_of(const Message& message) const {
  if (const auto* write = message.body.get_if<WriteData>()) return write->address;
  return locate(fabric().graph(), message.body.get<SlotWrite>().slot).address;
}

void Memory::answer(const ReadRequest& read) {
  MessagePtr data =
      fabric().make(id(), read.reply_to, read.bytes, TrafficClass::response,
                    ReadData{.contents = image_.read(read.address, read.bytes.count()), .token = read.token});
  requests_.submit(ReadService{
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
  if (requests_.picks()) announce(atomic, *log_);
  image_.write(request.address, {request.atomic->parts[request.part].result, 0, size.count()});
  requests_.submit(std::move(atomic));
  races_->serves(request.reply_to, request.token, {.memory = id(), .address = request.address}, size);
  watched_.look_again(request.address, size, [this](const SignalRequest& met) { answer(met); });
}

void Memory::keep(const Message& message) {
  if (const auto* write = message.body.get_if<WriteData>()) image_.write(write->address, write->contents);
  if (const auto* slot = message.body.get_if<SlotWrite>()) {
    image_.write(locate(fabric().graph(), slot->slot).address, slot->contents);
  }
}

// As Component::take_packets(); also woken at the end of a request.
Task<> Memory::take_and_pick() {
  std::vector<Packet*> packets;
  for (;;) {
    packets.clear();
    co_await inbox().collect(packets);
    take(packets);
    allocate();
    requests_.turn();
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
