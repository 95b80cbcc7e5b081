#pragma once

#include <cstdint>
#include <span>

#include "kbsim/hw/fabric/i_shortcut.hpp"

#include "reservations.hpp"

namespace kbsim::hw {

/// The shortcut of a fabric. Parts of its reservations answer the calls.
class Shortcut final : public IShortcut {
 public:
  explicit Shortcut(Fabric& fabric) : fabric_{fabric}, all_{fabric} {}
  [[nodiscard]] Reservations& reservations() { return all_; }

  void know(std::span<const LinkId> route) override { all_.shadows.know(route); }
  [[nodiscard]] bool leave(Packet& packet) override { return all_.routes.leave(packet); }
  void arrive(Packet& packet, LiveLink& ingress) override { all_.routes.arrive(packet, ingress); }
  [[nodiscard]] std::int64_t follow(const Message& message, LiveLink* ingress,
                                    const PacketRun& run) override {
    return all_.trains.follow(message, ingress, run);
  }
  [[nodiscard]] Meeting before(LiveLink& link, const Packet& packet, Time overhead) override;
  void reserve_again() override { all_.again.reserve_again(); }
  void accept_before(const Packet& packet) override { all_.unobserved.accept_before(packet); }
  void flush() override;
  void flush(NodeId node) override;
  void flush(LiveLink& link) override;
  void flush_contents() override { all_.claims.end(); }

 private:
  void serve_past();

  Fabric& fabric_;
  Reservations all_;
  Time served_{};  // the links are up to date until then
};

}  // namespace kbsim::hw
