#include "kbsim/evaluate/settings.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/field.hpp"
#include "kbsim/ccl/collective_table.hpp"
#include "kbsim/ccl/ranks.hpp"
#include "kbsim/hw/memory/hbm_spec.hpp"

namespace kbsim::evaluate {
namespace {

constexpr std::string_view kDefaults = "ccl.defaults.";
constexpr std::string_view kAlgorithms = "ccl.algorithms.";
constexpr std::string_view kHbm = "cube.hbm_ctrl.";

// Timings of a memory with banks that its other settings make useless.
struct IdleTiming {
  std::vector<std::string_view> names;
  bool (*idle)(const hw::HbmBanksSpec&);
  std::string_view why;
};
const std::vector<IdleTiming> kIdleTimings{
    {{"trfc_ns", "trfc_bank_ns", "trrefd_ns", "refresh"},
     [](const hw::HbmBanksSpec& spec) { return spec.trefi == Time{0}; },
     "nothing is refreshed (trefi_ns)"},
    {{"trfc_bank_ns", "trrefd_ns"},
     [](const hw::HbmBanksSpec& spec) { return spec.refresh == hw::HbmRefresh::all_bank; },
     "all banks are refreshed at once (refresh)"},
    {{"trfc_ns"},
     [](const hw::HbmBanksSpec& spec) { return spec.refresh == hw::HbmRefresh::per_bank; },
     "banks are refreshed one by one (refresh)"},
    {{"activate_nck", "precharge_nck"},
     [](const hw::HbmBanksSpec& spec) { return spec.tck == Time{0}; },
     "commands take no time (tck_ns)"},
    {{"tccd_r_ns"},
     [](const hw::HbmBanksSpec& spec) { return spec.stack_ids == 1; },
     "there is one stack ID (stack_ids)"},
};

std::vector<std::string> words(std::string_view key) {
  std::vector<std::string> all;
  for (const auto word : std::views::split(key, '.')) all.emplace_back(word.begin(), word.end());
  return all;
}

// "ccl.algorithms.NAME" is one section, so that "ccl.*.n_elem" is every n_elem there.
std::vector<std::string> sections(const std::string& key) {
  std::vector<std::string> all = words(key);
  if (key.starts_with(kAlgorithms)) all.erase(all.begin() + 1);
  return all;
}

bool begins_with(const std::vector<std::string>& given, const std::vector<std::string>& wanted) {
  if (given.size() < wanted.size()) return false;
  return std::ranges::equal(wanted, given | std::views::take(wanted.size()),
                            [](const std::string& a, const std::string& b) { return a == "*" || a == b; });
}

bool covers(const std::string& pattern, const std::string& key) {
  return begins_with(words(key), words(pattern)) || begins_with(sections(key), words(pattern));
}

Scalar value_of(const config::CclSettings& settings, const Field& field) { return field.get(&settings); }

// Whether the ranks' neighbours differ between a row and a column of packages.
bool looks_at_grid(const config::AlgorithmSpec& algorithm, config::MachineSpec machine) {
  const auto wiring = [&](int w, int h) {
    machine.system.sips.w = w;
    machine.system.sips.h = h;
    return ccl::wiring_of(algorithm, machine);
  };
  const int packages = machine.system.sips.count;
  return packages == 1 || wiring(packages, 1) != wiring(1, packages);
}

/// Why a setting has no effect; "" if it has one.
class Judge {
 public:
  Judge(const Uses& uses, const Chosen& chosen, const config::Configuration& configuration)
      : uses_{uses}, chosen_{chosen}, machine_{configuration.machine}, ccl_{configuration.ccl} {}

  [[nodiscard]] std::string of_key(const std::string& key) const {
    for (const UnusedKey& unused : uses_.unused) {
      if (covers(unused.key, key)) return unused.why;
    }
    if (key == "system.sips.w" || key == "system.sips.h") return of_grid();
    if (key == "cube.hbm_ctrl.burst_bytes" || key == "cube.hbm_ctrl.attrs.burst_bytes") return of_bursts();
    if (key.starts_with(kHbm)) return of_timing(words(key).back());
    return key.starts_with("ccl.") ? of_ccl(key) : "";
  }

  [[nodiscard]] std::string of_choice() const {
    return uses_.algorithms == Algorithms::none ? uses_.none_because : "";
  }

 private:
  // The ranks of a collective may be a grid where the packages are a ring.
  [[nodiscard]] std::string of_grid() const {
    const config::SipTopology joined = machine_.system.sips.topology;
    if (config::is_grid(joined)) return "";
    const bool looked_at = uses_.algorithms != Algorithms::none &&
                           std::ranges::any_of(that_may_run(), [&](const config::AlgorithmSpec& spec) {
                             return looks_at_grid(spec, machine_);
                           });
    if (looked_at) return "";
    if (joined == config::SipTopology::ring_1d) return "a ring (system.sips.topology) has no rows";
    return fmt::format("{} (system.sips.topology) has no rows", to_string(joined));
  }

  // Bursts alternate between pseudo-channels.
  [[nodiscard]] std::string of_bursts() const {
    const ComponentSpec& hbm = machine_.cube.hbm_ctrl;
    const auto channels = hbm.attrs.find("num_pcs");
    const bool one = channels == hbm.attrs.end() || channels->second == Scalar{std::int64_t{1}};
    return hbm.impl == "builtin.hbm_ctrl" && one ? "there is one pseudo-channel (num_pcs)" : "";
  }

  [[nodiscard]] std::string of_timing(const std::string& name) const {
    const ComponentSpec& hbm = machine_.cube.hbm_ctrl;
    if (hbm.impl != "builtin.hbm_banks") return "";
    const auto spec = spec_from<hw::HbmBanksSpec>(hbm.attrs);
    const auto idle = std::ranges::find_if(kIdleTimings, [&](const IdleTiming& timing) {
      return std::ranges::find(timing.names, name) != timing.names.end() && timing.idle(spec);
    });
    return idle == kIdleTimings.end() ? "" : std::string{idle->why};
  }

  [[nodiscard]] std::string of_ccl(const std::string& key) const {
    if (uses_.algorithms == Algorithms::none) return of_choice();
    const std::string name = words(key).back();
    if (chosen_.buffer_kind && name == "buffer_kind") return "--buffer-kind stands in its place";
    if (key.starts_with(kAlgorithms)) return of_algorithm(words(key).at(2), name, key);
    if (key.starts_with(kDefaults)) return of_default(name);
    return "";
  }

  // Whether a key says when an algorithm is picked.
  [[nodiscard]] static bool of_picks(const std::string& name, const std::string& key) {
    return name == "chosen_up_to" || name == "picked" || words(key).at(3) == "chosen";
  }

  [[nodiscard]] std::string of_algorithm(const std::string& algorithm, const std::string& name,
                                         const std::string& key) const {
    const config::AlgorithmSpec& spec = ccl_.resolve(algorithm);
    const std::vector<std::string> all = running_names();
    if (!all.empty() && std::ranges::find(all, algorithm) == all.end())
      return fmt::format("'{}' run{}, not '{}'", fmt::join(all, "', '"), all.size() == 1 ? "s" : "",
                         algorithm);
    if (of_picks(name, key) && uses_.algorithms == Algorithms::one)
      return fmt::format("'{}' runs, and none is picked", algorithm);
    if (!may_run(spec)) return fmt::format("'{}' is for {}", algorithm, to_string(spec.collective));
    if (name == "reduce_op" && !ccl::collective_of(spec).combines)
      return fmt::format("{} combines nothing", to_string(spec.collective));
    return name == "poll_ns" ? of_poll(spec) : "";
  }

  // A default counts if any algorithm that may run takes it.
  [[nodiscard]] std::string of_default(const std::string& name) const {
    if (name == "algorithm")
      return uses_.algorithms == Algorithms::one && !chosen_.algorithm.empty()
                 ? "--algorithm stands in its place"
                 : "";
    std::string why;
    for (const config::AlgorithmSpec& spec : that_may_run()) {
      why = of_default_for(spec, name);
      if (why.empty()) return why;
    }
    return why;
  }

  [[nodiscard]] std::string of_default_for(const config::AlgorithmSpec& spec, const std::string& name) const {
    const std::vector<Field>& fields = fields_of<config::CclSettings>();
    const auto field = std::ranges::find(fields, name, &Field::name);
    if (field == fields.end()) return "";
    if (spec.given.contains(name) || value_of(spec, *field) != value_of(ccl_.defaults, *field))
      return fmt::format("'{}' has its own, ccl.algorithms.{}.{}", spec.name, spec.name, name);
    return name == "poll_ns" ? of_poll(spec) : "";
  }

  [[nodiscard]] static std::string of_poll(const config::AlgorithmSpec& spec) {
    return spec.backpressure == config::Backpressure::poll
               ? ""
               : fmt::format("'{}' doesn't poll (backpressure)", spec.name);
  }

  [[nodiscard]] const config::AlgorithmSpec& running() const { return ccl_.resolve(chosen_.algorithm); }

  [[nodiscard]] bool may_run(const config::AlgorithmSpec& spec) const {
    return !uses_.collective || spec.collective == *uses_.collective;
  }

  // Empty: any may run.
  [[nodiscard]] std::vector<std::string> running_names() const {
    if (uses_.algorithms == Algorithms::one) return {running().name};
    if (uses_.runs) return runs_ ? *runs_ : runs_.emplace(uses_.runs(ccl_));
    std::vector<std::string> names = uses_.named;
    if (!names.empty() && !chosen_.algorithm.empty()) names.front() = chosen_.algorithm;
    return names;
  }

  [[nodiscard]] std::vector<config::AlgorithmSpec> that_may_run() const {
    std::vector<config::AlgorithmSpec> all;
    for (const std::string& name : running_names()) all.push_back(spec_of(name));
    if (!all.empty()) return all;
    for (const auto& [name, spec] : ccl_.algorithms) {
      if (may_run(spec)) all.push_back(spec);
    }
    return all;
  }

  // Queues that the ccl file doesn't name use its defaults.
  [[nodiscard]] config::AlgorithmSpec spec_of(const std::string& name) const {
    if (!uses_.runs || ccl_.algorithms.contains(name)) return ccl_.resolve(name);
    config::AlgorithmSpec queues;
    static_cast<config::CclSettings&>(queues) = ccl_.defaults;
    queues.name = name;
    return queues;
  }

  const Uses& uses_;
  const Chosen& chosen_;
  const config::MachineSpec& machine_;
  const config::CclSpec& ccl_;
  mutable std::optional<std::vector<std::string>> runs_;  // from uses_.runs, called once
};

}  // namespace

void require_effect(const Uses& uses, const Chosen& chosen, const config::Configuration& configuration) {
  const Judge judge{uses, chosen, configuration};
  std::vector<ConfigProblem> problems;
  const auto note = [&](const std::string& option, const std::string& key, const std::string& why) {
    if (why.empty()) return;
    problems.push_back({{.file = option}, key, fmt::format("has no effect on {}: {}", uses.name, why)});
  };
  if (!chosen.ccl.empty()) note("--ccl " + chosen.ccl, "", judge.of_choice());
  if (!chosen.algorithm.empty()) note("--algorithm " + chosen.algorithm, "", judge.of_choice());
  if (chosen.buffer_kind)
    note(fmt::format("--buffer-kind {}", to_string(*chosen.buffer_kind)), "", judge.of_choice());
  for (const std::string& option : chosen.set) {
    for (const std::string& key : config::overridden_keys(option))
      note("--set " + option, key, judge.of_key(key));
  }
  if (!problems.empty()) throw NoEffect{std::move(problems)};
}

void choose(const Uses& uses, const Chosen& chosen, config::Configuration& configuration) {
  require_effect(uses, chosen, configuration);
  if (uses.algorithms == Algorithms::any && uses.collective) return;
  config::CclSpec& ccl = configuration.ccl;
  ccl.defaults.algorithm = ccl.resolve(chosen.algorithm).name;
  if (!chosen.buffer_kind) return;
  for (auto& [name, algorithm] : ccl.algorithms) algorithm.buffer_kind = *chosen.buffer_kind;
}

}  // namespace kbsim::evaluate
