#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kbsim/base/abi.hpp"
#include "kbsim/base/registry.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

struct Packet;

/// A packet that could go now: the first of its queue, at a port and in a channel of it.
struct SwitchRequest {
  std::uint32_t port = 0;
  std::uint32_t channel = 0;
  const Packet* packet = nullptr;
};

/// Decides among the requests for one thing that serves one at a time: an output or an input of a switch.
class IArbiter {
 public:
  IArbiter() = default;
  virtual ~IArbiter() = default;
  IArbiter(const IArbiter&) = delete;
  IArbiter& operator=(const IArbiter&) = delete;

  /// Request `a` has precedence over `b`: a strict order of requests of different ports or channels.
  [[nodiscard]] virtual bool before(const SwitchRequest& a, const SwitchRequest& b) const = 0;
  /// This request is served: a turn is over.
  virtual void served(const SwitchRequest& request) = 0;
};

/// A kind of arbiter, known by the name that a router's `arbiter` gives.
struct ArbiterModel {
  std::string doc;
  std::function<std::unique_ptr<IArbiter>(std::uint32_t ports, std::uint32_t channels)> make;
  [[nodiscard]] bool has_function() const { return make != nullptr; }
};

[[nodiscard]] Registry<ArbiterModel>& arbiters();
/// The arbiter model of this name; ConfigError at the `arbiter` of the node if there is none.
[[nodiscard]] const ArbiterModel& arbiter_named(std::string_view name, const topology::Node& node);

/// Always true. `abi` is KBSIM_ABI as the arbiter's file saw it.
bool register_arbiter(std::string name, ArbiterModel model, const char& abi) noexcept;

template <class Model>
bool register_arbiter(std::string name, std::string doc, const char& abi) {
  const auto make = [](std::uint32_t ports, std::uint32_t channels) {
    return std::make_unique<Model>(ports, channels);
  };
  return register_arbiter(std::move(name), {.doc = std::move(doc), .make = make}, abi);
}

/// KBSIM_ARBITER("round_robin", RoundRobin, "one line") in the arbiter's file.
#define KBSIM_ARBITER(name, Model, doc) \
  static const bool kRegistered##Model = ::kbsim::hw::register_arbiter<Model>(name, doc, KBSIM_ABI)

}  // namespace kbsim::hw
