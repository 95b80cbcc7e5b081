#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "config_checks.hpp"

namespace kbsim::config {
namespace {

const std::string kKey = "system.sips.links";
const std::string kSwitch = "system.sips.switch";

std::string end_key(std::size_t link, const char* end) { return fmt::format("{}.{}.{}", kKey, link, end); }

// The number of "sip3"; none of other names.
std::optional<int> package_number(const std::string& name) {
  constexpr std::size_t kLongest = 7;
  if (!name.starts_with("sip") || name.size() < 4 || name.size() > kLongest) return std::nullopt;
  const std::string digits = name.substr(3);
  const bool number = std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return number ? std::optional{std::stoi(digits)} : std::nullopt;
}

bool is_switch_name(const std::string& name) {
  constexpr std::size_t kLongest = 32;
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && name.size() <= kLongest && name != "host" && name != "switch" &&
         !name.starts_with("sip") && std::ranges::all_of(name, fits);
}

void check_end(const SipsSpec& sips, const std::string& name, const std::string& key, Checker& checker) {
  const std::optional<int> number = package_number(name);
  checker.require(number || is_switch_name(name), {key},
                  fmt::format("'{}' names neither a package, like sip0, nor a switch: letters, digits and _, "
                              "not sip, host or switch",
                              printable(name)));
  checker.require(!number || *number < sips.count, {key},
                  fmt::format("there is no {}: the machine has {}", name, counted(sips.count, "package")));
}

// All members that can be reached from a package.
std::set<std::string> reached_from(const std::string& first, const SipsSpec& sips) {
  std::set<std::string> reached{first};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const ListedLinkSpec& link : sips.links) {
      if (reached.contains(link.a)) reached.insert(link.b);
      if (reached.contains(link.b)) reached.insert(link.a);
    }
  }
  return reached;
}

// A switch has somewhere to send what it gets, and joins packages.
void check_switches(const SipsSpec& sips, const std::set<std::string>& reached, Checker& checker) {
  std::map<std::string, int> links;
  for (const ListedLinkSpec& link : sips.links) ++links[link.a], ++links[link.b];
  for (std::size_t i = 0; i < sips.links.size(); ++i) {
    for (const auto& [end, name] : {std::pair{"a", sips.links[i].a}, {"b", sips.links[i].b}}) {
      checker.require(!is_switch_name(name) || (links[name] > 1 && reached.contains(name)), {end_key(i, end)},
                      fmt::format("'{}' is no package, like sip0, and as a switch it joins nothing", name));
    }
  }
  checker.require(sips.has_switches() || !checker.was_given(kSwitch), {kSwitch},
                  "has no effect: `links` names no switch");
}

}  // namespace

void check_sip_links(const SipsSpec& sips, Checker& checker) {
  if (!sips.is_listed()) {
    for (const std::string& key : {kKey, kSwitch})
      checker.require(!checker.was_given(key), {key}, "has no effect without system.sips.topology: links");
    return;
  }
  std::map<std::pair<std::string, std::string>, std::size_t> joined;
  for (std::size_t i = 0; i < sips.links.size(); ++i) {
    const ListedLinkSpec& link = sips.links[i];
    check_end(sips, link.a, end_key(i, "a"), checker);
    check_end(sips, link.b, end_key(i, "b"), checker);
    checker.require(link.a != link.b, {end_key(i, "b")},
                    fmt::format("the link joins {} to itself", printable(link.a)));
    const auto [first, is_first] = joined.try_emplace(std::minmax(link.a, link.b), i);
    checker.require(
        is_first, {end_key(i, "b")},
        fmt::format("links.{} joins {} and {}, too: a second link is never used; `channels` makes the "
                    "first one wider",
                    first->second, printable(link.a), printable(link.b)));
  }
  const std::set<std::string> reached = reached_from("sip0", sips);
  check_switches(sips, reached, checker);
  for (int sip = 1; sip < sips.count; ++sip) {
    const std::string name = fmt::format("sip{}", sip);
    checker.require(reached.contains(name), {kKey}, fmt::format("no links lead from sip0 to {}", name));
  }
}

}  // namespace kbsim::config
