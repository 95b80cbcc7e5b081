// A part that kbsim's machine doesn't have: it reads a memory of its cube stretch by stretch, as a scrubber
// looks for bits that have flipped, and takes bandwidth from all other users of the memory.
#include <algorithm>

#include <kbsim/hw/fabric/component.hpp>
#include <kbsim/hw/fabric/reasons.hpp>
#include <kbsim/hw/memory/memory_messages.hpp>

namespace mine {
namespace {

namespace hw = kbsim::hw;
using namespace kbsim;

struct ScrubberSpec {
  int slice = 0;
  Bytes stretch{4096};
  Time period = 100_ns;
  int reads = 16;

  static void describe(auto& f) {
    f.add("slice", &ScrubberSpec::slice, between(0, 15), "which of the cube's HBM slices");
    f.add("stretch_bytes", &ScrubberSpec::stretch, between(1_B, 1_MiB), "bytes of a read");
    f.add("period_ns", &ScrubberSpec::period, kPositive, "from one read to the next");
    f.add("reads", &ScrubberSpec::reads, between(0, 1'000'000), "reads in all");
  }
};

class Scrubber final : public hw::Component {
 public:
  Scrubber(hw::Fabric& fabric, NodeId id, ScrubberSpec spec) : Component{fabric, id}, spec_{spec} {}

  void start(hw::Machine& machine) override {
    Component::start(machine);
    (void)sim().spawn(name(), scrub());
  }

  // The memory's answers: the data is dropped.
  [[nodiscard]] Task<> run() override {
    for (;;) co_await in().receive();
  }

 private:
  Task<> scrub() {
    const topology::Graph& graph = fabric().graph();
    if (node().at.cube < 0) throw ConfigError{node().model->at, name(), "it is no part of a cube"};
    const auto& slices = graph.cube(node().at.sip, node().at.cube).hbm;
    const NodeId memory = slices[static_cast<std::size_t>(spec_.slice) % slices.size()];
    const Bytes control = graph.spec().system.control_bytes;
    const std::int64_t stretches =
        std::max<std::int64_t>(1, graph.spec().cube.memory.hbm_per_pe / spec_.stretch);
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(spec_.reads); ++i) {
      const std::int64_t address = i % stretches * spec_.stretch.count();
      send_message(memory, control, hw::TrafficClass::request,
                   hw::ReadRequest{.address = address, .bytes = spec_.stretch, .reply_to = id(), .token = i});
      say_why(sim().now() + spec_.period);
      co_await sim().delay(spec_.period);
    }
  }

  // For kbsim explain: a component that waits for a time records why, if causes are recorded.
  void say_why(Time at) {
    if (Causes* causes = sim().causes())
      causes->because(causes->make(at, causes->current(), hw::why(hw::Reason::given, id())));
  }

  ScrubberSpec spec_;
};
KBSIM_COMPONENT("mine.scrubber", NodeKind::part, Scrubber, ScrubberSpec,
                "reads an HBM slice from end to end");

}  // namespace
}  // namespace mine
