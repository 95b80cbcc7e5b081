// Sizes of an order's messages on each leg: a control message, and the parts for its targets.
#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/fabric/i_spans.hpp"

#include "harness.hpp"

namespace kbsim::hw::test::order_sizes_test {
namespace {

// The bytes of each message with an order, by its number.
class Orders final : public ISpans {
 public:
  void add(const Span&) override {}
  void open(const void*, const Span&) override {}
  void close(const void*, Time, const SpanFlow&) override {}
  void add_packet(const LinkSpan& span) override {
    if (span.what == "order") bytes_[span.id] = span.bytes;
  }
  [[nodiscard]] std::vector<Bytes> sorted() const {
    std::vector<Bytes> all;
    for (const auto& [id, bytes] : bytes_) all.push_back(bytes);
    std::ranges::sort(all);
    return all;
  }

 private:
  std::map<std::uint64_t, Bytes> bytes_;
};

Task<> ordered(Rig* rig, std::vector<ControlTarget> targets) {
  (void)co_await rig->order(std::move(targets));
}

ControlTarget maps(PeCoord pe, Bytes size) { return {.pe = pe, .action = MapPages{}, .size = size}; }

std::vector<Bytes> messages_of(std::vector<ControlTarget> targets) {
  config::MachineSpec spec = small_machine();
  spec.system.packet_bytes = 0_B;  // each message is one packet
  spec.system.control_bytes = 10_B;
  Rig rig{spec};
  Orders orders;
  rig.machine->fabric().record_spans(&orders);
  rig.run(ordered(&rig, std::move(targets)));
  return orders.sorted();
}

}  // namespace

TEST_CASE("Order: each leg carries the parts for the targets beyond it, and no others") {
  // IO_CPU gets all parts, each M_CPU those of its cube, each PE its own.
  CHECK(messages_of({maps({0, 0, 0}, 100_B), maps({0, 0, 1}, 200_B), maps({0, 1, 0}, 400_B),
                     maps({0, 1, 1}, 800_B)}) ==
        std::vector{110_B, 210_B, 310_B, 410_B, 810_B, 1210_B, 1510_B});
  CHECK(messages_of({maps({0, 1, 1}, 0_B)}) == std::vector{10_B, 10_B, 10_B});
  CHECK(messages_of({maps({0, 0, 1}, 7_B), maps({0, 1, 0}, 30_B)}) ==
        std::vector{17_B, 17_B, 40_B, 40_B, 47_B});
}

}  // namespace kbsim::hw::test::order_sizes_test
