#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kbsim/host/call_watch.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/inputs/chakra/chakra_trace.hpp"

namespace kbsim::app {

/// Records the calls of a run's host programs as execution traces. A node is a call that a rank's program
/// makes itself: a collective, a barrier, a message, a launch or a tensor transfer. Launches and transfers
/// become compute nodes of their duration. A node depends on the calls that its program had awaited before,
/// except those that another dependency implies.
class ChakraRecorder final : public host::ICallWatch {
 public:
  explicit ChakraRecorder(host::Session& session) : session_{session} {}

  void begins(const void* call, const host::WorkId& what, const Process& as) override;
  void carries(const void* call, const host::CallFacts& facts) override;
  void ends(const void* call) override;
  void awaited(const void* call) override;
  void forks(const Process& program) override;
  void joins(const Process& program) override;

  /// By rank.
  [[nodiscard]] std::vector<inputs::chakra::Trace> traces() const;
  /// Makes the folder and writes DIR/NAME.RANK.et. Removes files of higher ranks that an earlier run left.
  void write(const std::string& folder, const std::string& name) const;

 private:
  using Calls = std::set<std::size_t>;
  struct Call {
    int rank = 0;
    std::string name;
    Time start{};
    Time end{};
    Calls after;
    std::vector<host::CallFacts> facts;
  };
  /// Calls that a process of the host knows to have ended.
  struct Strand {
    Process process;  // keeps its id from being reused
    Calls ended;
    bool of_call = false;
  };

  [[nodiscard]] static inputs::chakra::Node node_of(const Call& call, std::uint64_t id);
  [[nodiscard]] Strand& running();
  [[nodiscard]] Strand& strand_of(const Process& process);

  host::Session& session_;
  std::vector<Call> calls_;
  std::map<const void*, std::size_t> open_;  // by the address of its state
  std::map<const void*, Strand> strands_;
};

}  // namespace kbsim::app
