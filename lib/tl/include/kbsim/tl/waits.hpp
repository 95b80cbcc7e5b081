#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/sim/wait_graph.hpp"
#include "kbsim/tl/wait_ids.hpp"

namespace kbsim {

/// What the process is called that issues a kernel's commands which wait for room in the TCM.
[[nodiscard]] std::string stalled_name(std::string_view kernel, PeCoord pe);

/// Gathers who waits for whom, of processes by their identities; one that has none gets one here. A report
/// calls a process by its identity's text: a kernel by its PE.
class Waits {
 public:
  struct Process {
    Identity who;
    std::string name;
    Waiting waiting;
  };
  explicit Waits(const std::vector<Waiting>& waiting);

  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  /// It is there, and so it waits.
  [[nodiscard]] bool runs(const Identity& who) const { return by_id_.contains(who); }
  /// For what; none unless it runs.
  [[nodiscard]] Identity awaited(const Identity& who) const;
  /// Commands of its kernel wait for room in the TCM, so that those behind them aren't issued.
  [[nodiscard]] bool stalls(PeCoord pe) const { return runs(StalledOn{pe}); }
  /// It waits for somebody, or somebody for it.
  [[nodiscard]] bool known(const Identity& who) const { return nodes_.contains(who); }

  /// `from` waits for what `to` would have to do.
  void add(const Identity& from, const Identity& to, std::string why);
  /// `from` waits for what somebody would have to do of whom nothing is known.
  void add_unknown(const Identity& from, std::string why);
  void add_counters(const Identity& of, WaitGraph::Counters counters);
  /// A host program that waits for a call of its own.
  void add_caller(const Identity& who) { graph_.nodes[node(who)].calls = true; }

  [[nodiscard]] WaitGraph take() { return std::move(graph_); }

 private:
  std::size_t node(const Identity& who);

  std::vector<Process> processes_;
  std::map<Identity, std::size_t> by_id_;  // of processes
  std::map<Identity, std::size_t> nodes_;
  WaitGraph graph_;
};

}  // namespace kbsim
