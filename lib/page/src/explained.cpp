#include "explained.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace kbsim::page {
namespace {

namespace json = boost::json;

class Words {
 public:
  std::int64_t number(const json::object& row, std::string_view key) {
    const json::value* value = row.if_contains(key);
    if (value == nullptr || !value->is_string()) return -1;
    const std::string text{value->get_string()};
    const auto [known, added] = numbers_.try_emplace(text, static_cast<std::int64_t>(numbers_.size()));
    if (added) all_.emplace_back(text);
    return known->second;
  }
  [[nodiscard]] json::array take() { return std::move(all_); }

 private:
  std::map<std::string, std::int64_t> numbers_;
  json::array all_;
};

std::int64_t whole(const json::object& row, std::string_view key) {
  const json::value* value = row.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

// Each segment begins at the end of the previous one, so lengths are enough.
json::object columns(const json::array& segments, Words& words) {
  constexpr std::array kTexts{"reason", "kind", "place", "key", "line", "op"};
  std::array<json::array, kTexts.size()> texts;
  json::array length;
  json::array count;
  for (const json::value& value : segments) {
    if (!value.is_object()) continue;
    const json::object& row = value.get_object();
    length.emplace_back(whole(row, "to_ps") - whole(row, "from_ps"));
    count.emplace_back(whole(row, "count"));
    for (std::size_t i = 0; i < kTexts.size(); ++i) texts[i].emplace_back(words.number(row, kTexts[i]));
  }
  json::object all{{"length", std::move(length)}, {"count", std::move(count)}};
  for (std::size_t i = 0; i < kTexts.size(); ++i) all[kTexts[i]] = std::move(texts[i]);
  return all;
}

// Shortens the list of places to the longest: fewer of a path whose segments aren't there.
void shorten_places(json::object& path, bool whole) {
  json::value* const places = path.if_contains("places");
  const std::size_t most = whole ? 500 : 20;
  if (places != nullptr && places->is_array() && places->get_array().size() > most)
    places->get_array().resize(most);
}

// Shortens the lists of a path by operation to the rows that there is room for.
void shorten_ops(json::object& path, std::size_t& room) {
  constexpr std::size_t kMost = 500;
  for (const char* list : {"ops", "op_slack"}) {
    json::value* const rows = path.if_contains(list);
    if (rows == nullptr || !rows->is_array()) continue;
    const std::size_t most = std::min(kMost, room);
    if (rows->get_array().size() > most) {
      rows->get_array().resize(most);
      path["ops_left_out"] = true;
    }
    room -= rows->get_array().size();
  }
}

}  // namespace

json::value shortened_paths(json::value explained, std::uint64_t segments, std::size_t ops) {
  if (!explained.is_object()) return nullptr;
  json::object& all = explained.get_object();
  json::value* const paths = all.if_contains("paths");
  if (paths == nullptr || !paths->is_array()) return explained;
  Words words;
  std::uint64_t taken = 0;
  for (json::value& value : paths->get_array()) {
    if (!value.is_object()) continue;
    json::object& path = value.get_object();
    shorten_ops(path, ops);
    const json::value* const parts = path.if_contains("path");
    const bool has_parts = parts != nullptr && parts->is_array();
    const bool fits = has_parts && taken + parts->get_array().size() <= segments;
    shorten_places(path, fits);
    if (!has_parts) continue;
    const json::array& rows = parts->get_array();
    taken += fits ? rows.size() : 0;
    json::object kept = columns(fits ? rows : json::array{}, words);
    if (!fits) path["short"] = true;
    path["path"] = std::move(kept);
  }
  all["words"] = words.take();
  return explained;
}

}  // namespace kbsim::page
