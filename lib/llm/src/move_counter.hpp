#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "kbsim/host/session.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/hw/pe/i_move_watch.hpp"
#include "kbsim/llm/moved_bytes.hpp"
#include "kbsim/llm/package_site.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::inference {

/// Counts the bytes that kernels of a machine move during its lifetime, by launch: a byte belongs to the
/// launch whose command moves it, whatever else is under way. A divided machine's bytes aren't counted.
class MoveCounter final : public hw::IMoveWatch {
 public:
  /// Both outlive it.
  MoveCounter(host::Session& session, const PackageSite& site);
  ~MoveCounter() override;
  MoveCounter(const MoveCounter&) = delete;
  MoveCounter& operator=(const MoveCounter&) = delete;

  /// The tensor's bytes in HBM are of this kind.
  void note(const host::Tensor& tensor, Held held);
  void begins(const hw::DmaSite& site, const hw::LaunchId& launch, const hw::Transfer& transfer) override;
  /// Bytes of a launch that has ended (Activity::order), once.
  [[nodiscard]] MovedBytes take(std::uint32_t order);

 private:
  struct Flow {
    NodeId tcm;
    NodeId memory;
    bool read = false;
    Held held = Held::other;
    friend bool operator==(const Flow&, const Flow&) = default;
  };
  struct Hash {
    std::size_t operator()(const Flow& flow) const;
  };
  using Flows = std::unordered_map<Flow, std::int64_t, Hash>;  // bytes
  struct Range {
    topology::PhysAddr end;
    Held held = Held::other;
  };

  void watch(hw::IMoveWatch* watch);
  [[nodiscard]] Held held_at(topology::PhysAddr at) const;

  host::Session& session_;
  const PackageSite& site_;
  topology::Routes routes_;
  std::map<topology::PhysAddr, Range> ranges_;  // of HBM, by their begin
  std::map<std::uint32_t, Flows> launches_;
};

}  // namespace kbsim::inference
