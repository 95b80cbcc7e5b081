#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim {

/// What the process is called that issues a kernel's commands which wait for room in the TCM.
[[nodiscard]] std::string stalled_name(std::string_view kernel, PeCoord pe);

/// Gathers who waits for whom, of processes by the names that a report gives them: a kernel, whose process is
/// called "... on sip0.cube0.pe0", by its PE, any other by its own.
class Waits {
 public:
  struct Process {
    std::string name;
    Waiting waiting;
  };
  explicit Waits(const std::vector<Waiting>& waiting);

  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  /// It is there, and so it waits.
  [[nodiscard]] bool runs(const std::string& name) const { return by_name_.contains(name); }
  /// For what: "event recv W"; empty unless it runs.
  [[nodiscard]] std::string_view awaited(const std::string& name) const;
  /// Commands of its kernel wait for room in the TCM, so that those behind them aren't issued.
  [[nodiscard]] bool stalls(const std::string& pe) const { return stalled_.contains(pe); }
  /// It waits for somebody, or somebody for it.
  [[nodiscard]] bool known(const std::string& name) const { return nodes_.contains(name); }

  /// `from` waits for what `to` would have to do.
  void add(const std::string& from, const std::string& to, std::string why);
  /// `from` waits for what somebody would have to do of whom nothing is known.
  void add_unknown(const std::string& from, std::string why);
  void add_counters(const std::string& of, WaitGraph::Counters counters);

  [[nodiscard]] WaitGraph take() { return std::move(graph_); }

 private:
  std::size_t node(const std::string& name);

  std::vector<Process> processes_;
  std::map<std::string, std::size_t> by_name_;  // of processes
  std::set<std::string> stalled_;               // PEs
  std::map<std::string, std::size_t> nodes_;    // by name
  WaitGraph graph_;
};

}  // namespace kbsim
