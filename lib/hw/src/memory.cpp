#include "kbsim/hw/memory.hpp"

#include <algorithm>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/locate.hpp"

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
  (void)sim().serve(name() + " port", finish_writes());
}

void Memory::accept(Packet& packet) {
  if (std::holds_alternative<ReadRequest>(packet.message->body)) {
    if (const MessagePtr request = fabric().arrived(packet)) serve_read(*request);
    return;
  }
  const Lane::Slot slot = writer().reserve(packet.head + access_, packet.tail + access_, packet.size);
  if (MessagePtr message = fabric().arrived(packet)) {
    keep(*message);
    served_.post(slot.end, message.release());
  }
}

void Memory::serve_read(const Message& request) {
  const auto& read = std::get<ReadRequest>(request.body);
  MessagePtr answer =
      fabric().make(id(), read.reply_to, read.bytes, VirtualChannel::response,
                    ReadData{.contents = image_.read(read.address, read.bytes.count()), .token = read.token});
  Message& open = fabric().open(std::move(answer));
  for (Bytes left = read.bytes; left > 0_B;) {
    const Bytes size = std::min(left, fabric().packet_size(read.bytes));
    left -= size;
    const Lane::Slot slot = read_port(sim().now(), size);
    fabric().inject(open, size, slot.start, slot.end);
  }
}

void Memory::keep(const Message& message) {
  if (const auto* write = std::get_if<WriteData>(&message.body))
    image_.write(write->address, write->contents);
  if (const auto* slot = std::get_if<SlotWrite>(&message.body)) {
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
  const auto* write = std::get_if<WriteData>(&message->body);
  ensure(write != nullptr, name() + " was sent something that isn't a write");
  tell(write->reply_to, fabric().graph().spec().system.control_bytes, VirtualChannel::response,
       WriteAck{.token = write->token}, message->origin);
}

}  // namespace kbsim::hw
