#include "kbsim/hw/fabric/message_body.hpp"

#include <set>

#include <doctest/doctest.h>

#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/memory/memory_messages.hpp"
#include "kbsim/hw/memory/slot_messages.hpp"
#include "kbsim/hw/pe/slot_credit.hpp"

namespace kbsim::hw::test::message_body_test {
namespace {

struct Note {
  static constexpr BodyTraits kTraits{.name = "note", .order = 100, .in_order = false};
  [[nodiscard]] std::uint64_t subject() const { return 7; }
  std::shared_ptr<int> held;
};

template <class... Bodies>
std::vector<BodyTraits> traits() {
  return {Bodies::kTraits...};
}

}  // namespace

TEST_CASE("Message body: holds what it was given through moves, and lets go of it once") {
  const auto held = std::make_shared<int>(3);
  MessageBody first{Note{held}};
  CHECK(held.use_count() == 2);
  MessageBody second{std::move(first)};
  CHECK(held.use_count() == 2);
  CHECK(second.get<Note>().held == held);
  first = WriteAck{.token = 5};
  CHECK(first.get<WriteAck>().token == 5);
  first = std::move(second);
  CHECK(first.holds<Note>());
  CHECK(held.use_count() == 2);
  first.reset();
  CHECK(held.use_count() == 1);
  CHECK(!first.holds<Note>());
  {
    const MessageBody last{Note{held}};
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("Message body: only a receiver that knows its kind gets at it") {
  MessageBody body{ReadRequest{.address = 64, .bytes = 8_B}};
  CHECK(body.get_if<WriteData>() == nullptr);
  CHECK_THROWS_AS((void)body.get<WriteData>(), InternalError);
  REQUIRE(body.get_if<ReadRequest>() != nullptr);
  CHECK(body.get_if<ReadRequest>()->bytes == 8_B);
}

TEST_CASE("Message body: its traits and subject are those of its kind; empty, it keeps no order") {
  const MessageBody note{Note{}};
  CHECK(note.traits().name == "note");
  CHECK(!note.traits().in_order);
  CHECK(note.subject() == 7);
  CHECK(MessageBody{ReadRequest{.address = 64}}.subject() == 64);
  CHECK(MessageBody{ReadData{}}.subject() == 0);
  CHECK(!MessageBody{}.traits().in_order);
}

TEST_CASE("Message body: kinds that one node may send another at one time have an order") {
  std::set<int> orders;
  std::set<std::string_view> names;
  const auto all = traits<ReadRequest, ReadData, WriteData, WriteAck, AtomicRequest, SignalRequest, SlotWrite,
                          SlotFilled, SlotCredit, Control, ControlDone, BarrierReached, BarrierPassed>();
  for (const BodyTraits& kind : all) {
    CHECK(orders.insert(kind.order).second);
    CHECK(names.insert(kind.name).second);
    CHECK(kind.in_order);
  }
}

}  // namespace kbsim::hw::test::message_body_test
