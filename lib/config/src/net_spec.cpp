#include "kbsim/config/net_spec.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/names.hpp"

#include "config_file.hpp"
#include "file_kinds.hpp"
#include "net_ways.hpp"
#include "reader.hpp"
#include "yaml_tree.hpp"

namespace kbsim::config {
namespace {

constexpr std::size_t kLongestNode = 20;

class NetHasNoComponents : public ComponentCatalog {
 public:
  [[nodiscard]] const std::vector<Field>* fields(std::string_view) const override { return nullptr; }
  [[nodiscard]] std::vector<std::string> impls() const override { return {}; }
  [[nodiscard]] bool has_kind(std::string_view) const override { return false; }
};

bool is_node_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kLongestNode && std::ranges::all_of(name, fits);
}

struct Ends {
  std::string from;
  std::string to;
  bool both = false;
};

// "A<>B" or "A>B".
std::optional<Ends> ends_in(const std::string& key) {
  const std::size_t end = key.find('>');
  if (end == std::string::npos) return std::nullopt;
  const bool both = end > 0 && key[end - 1] == '<';
  return Ends{.from = key.substr(0, both ? end - 1 : end), .to = key.substr(end + 1), .both = both};
}

// Replaces names by numbers.
class NetReader {
 public:
  NetReader(const Tree& root, Problems& problems) : root_{root}, problems_{problems} {}

  Net read() {
    const NetHasNoComponents none;
    Reader{none, problems_}.section(root_, fields_of<NetSpec>(), &spec_);
    if (!problems_.empty()) return {};
    net_.nodes = spec_.nodes;
    net_.routing = spec_.routing;
    net_.wraps = spec_.wraps;
    net_.endpoint = spec_.endpoint;
    read_nodes();
    if (problems_.empty()) read_endpoints();
    if (problems_.empty()) each_of("links", [this](const TreeEntry& entry) { read_link(entry); });
    if (problems_.empty()) each_of("routes", [this](const TreeEntry& entry) { read_way(entry); });
    return std::move(net_);
  }

 private:
  void report(const Place& at, const std::string& key, const std::string& text) {
    problems_.push_back({at, key, text});
  }
  [[nodiscard]] Place place(const char* key) const {
    const TreeEntry* entry = root_.find(key);
    return entry == nullptr ? root_.at : entry->at;
  }
  template <class Read>
  void each_of(const char* key, Read read) {
    if (const TreeEntry* map = root_.find(key))
      for (const TreeEntry& entry : map->value.entries) read(entry);
  }

  void read_nodes() {
    const Place at = place("nodes");
    if (net_.nodes.empty() || net_.nodes.size() > kMostNetNodes)
      return report(at, "nodes", fmt::format("expected 1 to {} names", kMostNetNodes));
    for (const std::string& name : net_.nodes) {
      if (!is_node_name(name))
        report(at, "nodes",
               fmt::format("'{}' is no name, expected 1 to {} letters, digits, _ and -", printable(name),
                           kLongestNode));
      else if (!numbers_.emplace(name, static_cast<int>(numbers_.size())).second)
        report(at, "nodes", fmt::format("'{}' is there twice", name));
    }
    const int nodes = static_cast<int>(net_.nodes.size());
    net_.w = spec_.columns == 0 ? nodes : spec_.columns;
    net_.h = nodes / net_.w;
    if (net_.w * net_.h != nodes)
      report(place("columns"), "columns",
             fmt::format("{} fill rows of {}", counted(nodes, "node doesn't", "nodes don't"), spec_.columns));
  }

  void read_endpoints() {
    const Place at = place("endpoints");
    for (const std::string& name : spec_.endpoints.empty() ? net_.nodes : spec_.endpoints) {
      const std::optional<int> node = number(name, at, "endpoints");
      if (!node) continue;
      if (std::ranges::find(net_.endpoints, *node) != net_.endpoints.end())
        report(at, "endpoints", fmt::format("'{}' is there twice", name));
      net_.endpoints.push_back(*node);
    }
  }

  std::optional<int> number(const std::string& name, const Place& at, const std::string& key) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    report(at, key, fmt::format("'{}' is no node{}", printable(name), name_hint(name, net_.nodes)));
    return std::nullopt;
  }

  void read_link(const TreeEntry& entry) {
    const std::string key = join_key("links", printable(entry.key));
    const std::optional<Ends> ends = ends_in(entry.key);
    if (!ends) return report(entry.at, key, "expected A<>B, a link each way, or A>B, one way");
    const std::optional<int> from = number(ends->from, entry.at, key);
    const std::optional<int> to = number(ends->to, entry.at, key);
    if (!from || !to) return;
    if (from == to) return report(entry.at, key, "joins a node to itself");
    add_wire(*from, *to, *from, entry, key);
    if (ends->both) add_wire(*to, *from, *from, entry, key);
  }

  void add_wire(int from, int to, int owner, const TreeEntry& entry, const std::string& key) {
    if (!joined_.emplace(from, to).second)
      return report(entry.at, key, fmt::format("{} is there already", arrow(net_, from, to)));
    const NetLinkSpec& link = spec_.links.at(entry.key);
    net_.wires.push_back({.from = from,
                          .to = to,
                          .bandwidth = link.bandwidth,
                          .length_mm = link.length_mm,
                          .owner = owner,
                          .at = entry.at});
  }

  void read_way(const TreeEntry& entry) {
    const std::string key = join_key("routes", printable(entry.key));
    if (net_.routing != NetRouting::table)
      return report(entry.at, key, "has no effect without routing: table");
    const std::optional<Ends> ends = ends_in(entry.key);
    if (!ends || ends->both) return report(entry.at, key, "expected A>B");
    std::vector<std::string> names = spec_.routes.at(entry.key).via;
    names.insert(names.begin(), ends->from);
    names.push_back(ends->to);
    std::vector<int> way;
    for (const std::string& name : names) {
      const std::optional<int> node = number(name, entry.at, key);
      if (!node) return;
      if (std::ranges::find(way, *node) != way.end())
        return report(entry.at, key, fmt::format("passes '{}' twice", name));
      if (!way.empty() && !joined_.contains({way.back(), *node}))
        return report(entry.at, key, fmt::format("there is no link {}", arrow(net_, way.back(), *node)));
      way.push_back(*node);
    }
    for (const int end : {way.front(), way.back()}) {
      if (std::ranges::find(net_.endpoints, end) == net_.endpoints.end())
        return report(entry.at, key,
                      fmt::format("'{}' is no endpoint", net_.nodes[static_cast<std::size_t>(end)]));
    }
    const std::pair pair{way.front(), way.back()};
    way.erase(way.begin());
    net_.ways.emplace(pair, std::move(way));
  }

  const Tree& root_;
  Problems& problems_;
  NetSpec spec_;
  Net net_;
  std::map<std::string, int> numbers_;
  std::set<std::pair<int, int>> joined_;
};

}  // namespace

Net parse_net(std::string_view text, const std::string& file_name) {
  Problems problems;
  const Tree root = parse_yaml(text, {.name = file_name}, problems);
  if (root.kind == Tree::Kind::null) throw ConfigError{{.file = file_name}, "", "the file is empty"};
  require_kind(root, ConfigFile::network, file_name);
  Net net = NetReader{root, problems}.read();
  if (problems.empty()) complete_ways(net, {.file = file_name}, problems);
  if (!problems.empty()) throw ConfigError{std::move(problems)};
  return net;
}

Net load_net(const std::filesystem::path& file, const Folders& folders) {
  return parse_net(read_file(file, folders), file.string());
}

}  // namespace kbsim::config
