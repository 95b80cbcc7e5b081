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

/// Name of the process that issues a kernel's commands when they wait for room in the TCM.
[[nodiscard]] std::string stalled_name(std::string_view kernel, PeCoord pe);

/// Gathers which process waits for which, by identity; a process without an identity gets one here. A report
/// names a process by its identity's text, and so a kernel by its PE.
class Waits {
 public:
  struct Process {
    Identity who;
    std::string name;
    Waiting waiting;
  };
  explicit Waits(const std::vector<Waiting>& waiting);

  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  /// Whether the process is there. If it is, it waits.
  [[nodiscard]] bool runs(const Identity& who) const { return by_id_.contains(who); }
  /// The identity that it awaits; none unless it runs.
  [[nodiscard]] Identity awaited(const Identity& who) const;
  /// Commands of the PE's kernel wait for room in the TCM, so that later commands aren't issued.
  [[nodiscard]] bool stalls(PeCoord pe) const { return runs(StalledOn{pe}); }
  /// Whether it waits for a process, or a process waits for it.
  [[nodiscard]] bool known(const Identity& who) const { return nodes_.contains(who); }

  /// `from` waits for an action of `to`.
  void add(const Identity& from, const Identity& to, std::string why);
  /// `from` waits for an action of an unknown process.
  void add_unknown(const Identity& from, std::string why);
  void add_counters(const Identity& of, WaitGraph::Counters counters);
  /// A host program that waits for a call of its own.
  void add_caller(const Identity& who) { graph_.nodes[node(who)].calls = true; }

  [[nodiscard]] WaitGraph take() { return std::move(graph_); }

 private:
  std::size_t node(const Identity& who);

  std::vector<Process> processes_;
  std::map<Identity, std::size_t> by_id_;  // index in processes_
  std::map<Identity, std::size_t> nodes_;
  WaitGraph graph_;
};

}  // namespace kbsim
