#include "kbsim/hw/memory/memory.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/locate.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/hw/memory/atomic.hpp"
#include "kbsim/hw/pe/slot_messages.hpp"

namespace kbsim::hw {

Memory::Memory(Fabric& fabric, NodeId id, Time access, Bandwidth read_rate, Bandwidth write_rate,
               bool one_port)
    : Component{fabric, id},
      access_{access},
      read_lane_{read_rate},
      write_lane_{write_rate},
      one_port_{one_port},
      served_{fabric.sim(), name() + " port"} {}

void Memory::start(Machine& machine) {
  Component::start(machine);
  log_ = &machine.log();
  evaluator_ = &machine.evaluator();
  (void)sim().serve(name() + " port", finish_writes());
}

void Memory::accept(Packet& packet) {
  if (packet.message->body.holds<ReadRequest>()) {
    if (const MessagePtr request = fabric().arrived(packet)) answer(request->body.get<ReadRequest>());
    return;
  }
  if (packet.message->body.holds<AtomicRequest>()) {
    if (const MessagePtr request = fabric().arrived(packet)) perform(request->body.get<AtomicRequest>());
    return;
  }
  if (packet.message->body.holds<SignalRequest>()) {
    if (const MessagePtr request = fabric().arrived(packet)) watch(request->body.get<SignalRequest>());
    return;
  }
  Time& served = packet.message->served;
  served = std::max(served, serve_write(packet).end);
  if (MessagePtr message = fabric().arrived(packet)) {
    keep(*message);
    const Time end = message->served;
    served_.post(end, message.release());
  }
}

std::vector<UnitUse> Memory::use() const {
  if (one_port_) return {use_of(read_lane_)};
  return {use_of(read_lane_, "read"), use_of(write_lane_, "write")};
}

Lane::Slot Memory::serve_read(std::int64_t, Bytes n) { return read_port(sim().now(), n); }

Lane::Slot Memory::serve_write(const Packet& packet) {
  return writer().reserve(packet.head + access_, packet.tail + access_, packet.size);
}

// The data leaves in order of address, whatever the order in which its packets are served.
void Memory::answer(const ReadRequest& read) {
  MessagePtr data =
      fabric().make(id(), read.reply_to, read.bytes, VirtualChannel::response,
                    ReadData{.contents = image_.read(read.address, read.bytes.count()), .token = read.token});
  Message& open = fabric().open(std::move(data));
  Lane::Slot out{};
  for (Bytes done; done < read.bytes;) {
    const Bytes size = std::min(read.bytes - done, fabric().packet_size(read.bytes));
    const Lane::Slot slot = serve_read(read.address + done.count(), size);
    out = {.start = std::max(out.start, slot.start), .end = std::max(out.end, slot.end)};
    fabric().inject(open, size, out.start, out.end);
    done += size;
  }
}

Lane::Slot Memory::serve_update(std::int64_t, Bytes n, Time ready) {
  return writer().reserve(ready, ready, n);
}

// What was there leaves while it is read. The result is known from now on, to whoever arrives later.
void Memory::perform(const AtomicRequest& request) {
  const Atomic& atomic = *request.atomic;
  const AtomicPart& part = atomic.parts[request.part];
  const Bytes size = part.memory.bytes;
  const oplog::Slices held = image_.read(request.address, size.count());
  const Lane::Slot read = serve_read(request.address, size);
  const Lane::Slot write = serve_update(request.address, size, read.end);
  for (oplog::Op& op : operations(atomic, part, held)) {
    op.unit = id();
    op.start = read.start;
    op.end = write.end;
    log_->record(std::move(op));
  }
  image_.write(request.address, {part.result, 0, size.count()});
  MessagePtr data = fabric().make(id(), request.reply_to, size, VirtualChannel::response,
                                  ReadData{.contents = held, .token = request.token});
  fabric().send(std::move(data), read.start, read.end);
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
    finished(MessagePtr{served, Recycle{&fabric()}});
  }
}

void Memory::finished(MessagePtr message) {
  if (const auto* slot = message->body.get_if<SlotWrite>()) {
    const auto which = static_cast<std::uint32_t>(slot->slot.bits());
    return tell(slot->receiver, fabric().graph().spec().system.control_bytes, VirtualChannel::ipcq,
                SlotFilled{.slot = slot->slot, .header = slot->header}, which);
  }
  const auto* write = message->body.get_if<WriteData>();
  ensure(write != nullptr, name() + " was sent something that isn't a write");
  tell(write->reply_to, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
       WriteAck{.token = write->token}, message->origin);
}

}  // namespace kbsim::hw
