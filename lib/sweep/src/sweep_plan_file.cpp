// Plans as YAML.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "kbsim/base/input_file.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/tab_hint.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

class PlanReader {
 public:
  PlanReader(std::string name, Draft* draft) : name_{std::move(name)}, draft_{*draft} { draft_.file = name_; }

  void read(const YAML::Node& root) {
    if (!root.IsMap()) throw ConfigError{place(root), "", "expected keys, as bench: and axes:"};
    entries(root, "the plan",
            [&](const std::string& key, const YAML::Node& key_node, const YAML::Node& value) {
              for (const Key& each : kKeys) {
                if (each.name == key) return (this->*each.read)(value);
              }
              std::vector<std::string> known;
              for (const Key& each : kKeys) known.emplace_back(each.name);
              fail(key_node, key, "unknown key" + name_hint(key, known));
            });
  }

 private:
  struct Key {
    std::string_view name;
    void (PlanReader::*read)(const YAML::Node&);
  };
  static const std::array<Key, 10> kKeys;

  [[nodiscard]] Place place(const YAML::Node& node) const {
    const YAML::Mark mark = node.Mark();
    return {.file = name_, .line = mark.line + 1, .column = mark.column + 1};
  }
  void fail(const YAML::Node& at, const std::string& key, const std::string& text) {
    draft_.problems.push_back({place(at), key, text});
  }

  // Each key of a map once; reports a node that isn't a map.
  void entries(const YAML::Node& map, const std::string& what, const auto& each) {
    if (!map.IsMap()) return fail(map, what, "expected keys and values");
    std::vector<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) {
        fail(entry.first, what, "expected a name");
        continue;
      }
      const std::string key = entry.first.Scalar();
      if (std::ranges::find(seen, key) != seen.end()) fail(entry.first, key, "is there twice");
      seen.push_back(key);
      each(key, entry.first, entry.second);
    }
  }
  // The text of a node; "", with a report, if it has none.
  std::string scalar(const YAML::Node& node, const std::string& key) {
    if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    fail(node, key, "expected a value");
    return {};
  }
  std::vector<std::string> scalars(const YAML::Node& node, const std::string& key) {
    std::vector<std::string> all;
    if (!node.IsSequence()) return {scalar(node, key)};
    for (const YAML::Node& each : node) all.push_back(scalar(each, key));
    return all;
  }

  void bench(const YAML::Node& node) { draft_.bench = scalar(node, "bench"); }
  void topology(const YAML::Node& node) { add_word("--topology", scalar(node, "topology")); }
  void ccl(const YAML::Node& node) { add_word("--ccl", scalar(node, "ccl")); }
  void plugins(const YAML::Node& node) {
    for (const std::string& file : scalars(node, "plugins")) add_word("--plugin", file);
  }
  void add_word(const std::string& option, const std::string& value) {
    if (!value.empty()) draft_.words.insert(draft_.words.end(), {option, value});
  }

  // A switch is true or false.
  void arguments(const YAML::Node& node) {
    entries(node, "arguments", [&](const std::string& key, const YAML::Node&, const YAML::Node& value) {
      const std::string text = scalar(value, key);
      if (text.empty() || text == "false") return;
      draft_.words.push_back("--" + key);
      if (text != "true") draft_.words.push_back(text);
    });
  }
  void settings(const YAML::Node& node) {
    entries(node, "set", [&](const std::string& key, const YAML::Node&, const YAML::Node& value) {
      add_word("--set", fmt::format("{}={}", key, scalar(value, key)));
    });
  }
  void axes(const YAML::Node& node) {
    entries(node, "axes", [&](const std::string& key, const YAML::Node& at, const YAML::Node& value) {
      if (value.IsMap()) return configurations(key, at, value);
      if (value.IsSequence()) return list(key, at, value);
      draft_.vary(key, {.text = scalar(value, key), .at = place(at)});
    });
  }
  void list(const std::string& key, const YAML::Node& at, const YAML::Node& value) {
    std::vector<std::string> values;
    for (const std::string& text : scalars(value, key)) {
      if (std::ranges::find(values, text) != values.end())
        fail(value, key, fmt::format("the value {} is there twice", text));
      values.push_back(text);
    }
    draft_.axes.push_back(axis_of(key, values, place(at)));
  }
  // Names, each of several settings and options.
  void configurations(const std::string& key, const YAML::Node& at, const YAML::Node& value) {
    Axis axis{.name = key, .values = {}, .at = place(at)};
    entries(value, key, [&](const std::string& name, const YAML::Node&, const YAML::Node& settings_of) {
      AxisValue configuration{.text = name, .words = {}};
      entries(settings_of, name, [&](const std::string& what, const YAML::Node&, const YAML::Node& to) {
        const Axis one = axis_of(what, {scalar(to, what)});
        std::ranges::copy(one.values.front().words, std::back_inserter(configuration.words));
      });
      axis.values.push_back(std::move(configuration));
    });
    draft_.axes.push_back(std::move(axis));
  }
  void zip(const YAML::Node& node) {
    if (!node.IsSequence() || node.size() == 0) return fail(node, "zip", "expected names of axes, as [a, b]");
    if (!node[0].IsSequence()) return zip_of(node);
    for (const YAML::Node& each : node) zip_of(each);
  }
  void zip_of(const YAML::Node& node) {
    draft_.zips.push_back(
        {.text = fmt::format("{}", fmt::join(scalars(node, "zip"), ",")), .at = place(node)});
  }
  void where(const YAML::Node& node) {
    if (!node.IsSequence()) return draft_.where.push_back({.text = scalar(node, "where"), .at = place(node)});
    for (const YAML::Node& each : node)
      draft_.where.push_back({.text = scalar(each, "where"), .at = place(each)});
  }
  void random(const YAML::Node& node) {
    draft_.random = Placed{.text = scalar(node, "random"), .at = place(node)};
  }

  std::string name_;
  Draft& draft_;
};

const std::array<PlanReader::Key, 10> PlanReader::kKeys{{{"bench", &PlanReader::bench},
                                                         {"topology", &PlanReader::topology},
                                                         {"ccl", &PlanReader::ccl},
                                                         {"plugins", &PlanReader::plugins},
                                                         {"arguments", &PlanReader::arguments},
                                                         {"set", &PlanReader::settings},
                                                         {"axes", &PlanReader::axes},
                                                         {"zip", &PlanReader::zip},
                                                         {"where", &PlanReader::where},
                                                         {"random", &PlanReader::random}}};

}  // namespace

void parse_plan(const std::string& text, const std::string& name, Draft* draft) {
  try {
    PlanReader{name, draft}.read(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    throw ConfigError{{.file = name, .line = error.mark.line + 1, .column = error.mark.column + 1},
                      "",
                      "not valid YAML: " + error.msg + tab_hint(text, error.mark.line + 1)};
  }
}

void read_plan(const std::string& file, Draft* draft) {
  parse_plan(read_input(file, file, kMostBytes), file, draft);
}

}  // namespace kbsim::sweep
