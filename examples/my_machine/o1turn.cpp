// A routing: half of the pairs of routers go along rows first, the other half along columns, so that uniform
// traffic finds both alike (O1TURN, Seo et al., ISCA 2005). Routers with finite queues need two channels for
// it, one a half; output-queued routers need none.
#include <kbsim/topology/i_routing.hpp>

namespace mine {
namespace {

namespace topology = kbsim::topology;

struct O1TurnSpec {
  int seed = 0;
  static void describe(auto& f) { f.add("seed", &O1TurnSpec::seed, "another choice of halves"); }
};

class O1Turn final : public topology::IRouting {
 public:
  explicit O1Turn(const O1TurnSpec& spec) : seed_{static_cast<std::uint32_t>(spec.seed)} {}

  void walk(const topology::Graph& graph, kbsim::NodeId from, kbsim::NodeId to,
            std::vector<kbsim::NodeId>& path) const override {
    const std::uint32_t mixed = ((from.value() ^ seed_) * 2654435761U) ^ (to.value() * 2246822519U);
    ((mixed >> 15U) % 2 == 0 ? *xy_ : *yx_).walk(graph, from, to, path);
  }

 private:
  using Routing = std::shared_ptr<const topology::IRouting>;
  std::uint32_t seed_;
  Routing xy_ = topology::routings().at("builtin.xy").make({});
  Routing yx_ = topology::routings().at("builtin.yx").make({});
};
KBSIM_ROUTING("mine.o1turn", O1Turn, O1TurnSpec, "half of the pairs X first, half of them Y first");

}  // namespace
}  // namespace mine
