#include "model_keys.hpp"

#include <algorithm>
#include <cmath>

#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/base/say.hpp"

#include "json_places.hpp"
#include "model_known_keys.hpp"

namespace kbsim::models {
namespace {

constexpr std::int64_t kMostSize = 1 << 20;
constexpr auto kTextParts = std::to_array<std::string_view>({"text_config", "llm_config", "language_config"});
// Keys that may stand beside the text part.
constexpr auto kOfAllParts =
    std::to_array<std::string_view>({"torch_dtype", "dtype", "tie_word_embeddings", "vocab_size"});

boost::json::value parsed_json(std::string_view text, const std::string& file) {
  boost::json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t at = parser.write_some(text.data(), text.size(), error);
  const auto refuse = [&](std::size_t where, const std::string& why) {
    throw UsageError{fmt::format("{}:{}: not JSON: {}", file, line_and_column(text, where), why)};
  };
  if (error) refuse(at, error.message());
  if (!parser.done()) refuse(text.size(), "it ends too early");
  const std::size_t more = text.find_first_not_of(" \t\r\n", at);
  if (more != std::string_view::npos) refuse(more, "something follows the JSON value");
  if (const auto repeated = json_repeated_key(text))
    throw UsageError{fmt::format("{}:{}: key '{}' is there twice", file, line_and_column(text, repeated->at),
                                 harmless(repeated->name))};
  return parser.release();
}

// A value from a foreign file: without control characters, and cut if it is long.
std::string shown(const boost::json::value& value) {
  constexpr std::size_t kMost = 60;
  std::string text = harmless(boost::json::serialize(value));
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

// 10000 and 10000.0 are one number.
bool is_same(const boost::json::value& a, const boost::json::value& b) {
  return a.is_number() && b.is_number() ? a.to_number<double>() == b.to_number<double>() : a == b;
}

bool is_size(const boost::json::value& value) {
  return value.is_int64() && value.as_int64() >= 1 && value.as_int64() <= kMostSize;
}

bool is_count(const boost::json::value& value) { return value.is_int64() && value.as_int64() >= -1; }

// A finite number from 0 on, or -1.
double finite_positive(const boost::json::value& value) {
  const double number = value.is_number() ? value.to_number<double>() : -1.0;
  return std::isfinite(number) && number >= 0.0 ? number : -1.0;
}

}  // namespace

ModelKeys::ModelKeys(const std::string& file) : file_{file} {
  constexpr std::size_t kMost = std::size_t{1} << 20U;  // a larger or endless file is no config.json
  text_ = without_byte_order_mark(read_input(file, file, kMost));
  boost::json::value parsed = parsed_json(text_, file);
  if (!parsed.is_object()) throw UsageError{fmt::format("{}: not an object of keys", file)};
  all_ = std::move(parsed.as_object());
  begin_ = json_root(text_);
  if (!has(called({"hidden_size", "n_embd", "n_embed", "d_model"}))) take_text_part();
}

void ModelKeys::take_text_part() {
  for (const std::string_view part : kTextParts) {
    if (!has(part)) continue;
    if (!find(part)->is_object()) refuse(part, "an object of keys");
    begin_ = offset(part);
    keys_ = &find(part)->as_object();
    return;
  }
}

const boost::json::value* ModelKeys::find(std::string_view key) const {
  const boost::json::value* found = keys_->if_contains(key);
  if (found == nullptr && std::ranges::find(kOfAllParts, key) != kOfAllParts.end())
    found = all_.if_contains(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string_view ModelKeys::called(const KeyNames& names) const {
  const auto found = std::ranges::find_if(names, [&](std::string_view name) { return has(name); });
  return found == names.end() ? names.front() : *found;
}

std::vector<std::string_view> ModelKeys::counts_with(std::string_view part) const {
  std::vector<std::string_view> found;
  for (const auto& member : *keys_) {
    const std::string_view name = member.key();
    const bool counts = member.value().is_int64() || member.value().is_array();
    if (counts && name.find(part) != std::string_view::npos) found.push_back(name);
  }
  return found;
}

// Names the key of the file that may be it.
std::string ModelKeys::remedy_for(std::string_view missing) const {
  std::vector<std::string> unknown;
  for (const auto& member : *keys_) {
    if (!is_known_key(member.key())) unknown.emplace_back(member.key());
  }
  const std::string near = nearest_name(missing, unknown);
  return near.empty() ? "add it" : fmt::format("'{}' may be a misspelling of it", harmless(near));
}

std::int64_t ModelKeys::size(std::string_view key, std::int64_t standard) const {
  if (!has(key) && standard > 0) return standard;
  if (!has(key))
    throw UsageError{
        fmt::format("{}: {} is missing, and no other key says it: {}", file_, key, remedy_for(key))};
  const boost::json::value& value = *find(key);
  if (is_size(value)) return value.as_int64();
  if (!value.is_array() || value.as_array().empty()) refuse(key, "a whole number from 1 to 1048576");
  const boost::json::array& all = value.as_array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_size(all[i])) refuse(key, i, "a whole number from 1 to 1048576");
    if (all[i] != all.front())
      throw Unsupported{
          fmt::format("{}: each layer has another {}; dense decoder layers of one kind are "
                      "simulated",
                      place(key), key)};
  }
  return all.front().as_int64();
}

std::int64_t ModelKeys::size(const KeyNames& names, std::int64_t standard) const {
  require_one_value(names);
  return size(called(names), standard);
}

void ModelKeys::require_one_value(const KeyNames& names) const {
  const std::string_view first = called(names);
  for (const std::string_view name : names) {
    if (has(name) && !is_same(*find(name), *find(first)))
      throw UsageError{fmt::format("{}: {} is {}, but {} is {}, which are names of one key", place(name),
                                   name, shown(*find(name)), first, shown(*find(first)))};
  }
}

std::int64_t ModelKeys::count(std::string_view key) const {
  if (!has(key)) return 0;
  const boost::json::value& value = *find(key);
  if (is_count(value)) return value.as_int64();
  if (!value.is_array() || value.as_array().empty()) refuse(key, "a whole number, or -1");
  std::int64_t most = 0;
  for (const std::int64_t one : counts(key)) most = std::max(most, one);
  return most;
}

std::vector<std::int64_t> ModelKeys::counts(std::string_view key) const {
  std::vector<std::int64_t> all;
  if (!has(key)) return all;
  for (const boost::json::value& one : list(key)) {
    if (!is_count(one)) refuse(key, all.size(), "a whole number, or -1");
    all.push_back(one.as_int64());
  }
  return all;
}

double ModelKeys::positive(std::string_view key) const {
  const double value = finite_positive(*find(key));
  if (value < 0.0) refuse(key, "a finite number that isn't negative");
  return value;
}

double ModelKeys::positive(std::string_view key, std::string_view inner) const {
  const double value = finite_positive(*find(key, inner));
  if (value < 0.0) refuse(key, inner, "a finite number that isn't negative");
  return value;
}

bool ModelKeys::truth(std::string_view key, bool standard) const {
  if (!has(key)) return standard;
  if (!find(key)->is_bool()) refuse(key, "true or false");
  return find(key)->as_bool();
}

std::string ModelKeys::text(std::string_view key) const {
  if (!has(key)) return {};
  if (!find(key)->is_string()) refuse(key, "a text");
  return std::string{find(key)->get_string()};
}

const boost::json::array& ModelKeys::list(std::string_view key) const {
  if (!find(key)->is_array()) refuse(key, "a list");
  return find(key)->as_array();
}

std::vector<std::string> ModelKeys::texts(std::string_view key) const {
  std::vector<std::string> all;
  if (!has(key)) return all;
  for (const boost::json::value& one : list(key)) {
    if (!one.is_string()) refuse(key, all.size(), "a text");
    all.emplace_back(one.get_string());
  }
  return all;
}

std::vector<std::string> ModelKeys::texts_within(std::string_view key) const {
  std::vector<std::string> all;
  const auto add = [&](const auto& self, const boost::json::value& one) -> void {
    if (one.is_string()) all.emplace_back(one.get_string());
    if (const boost::json::array* inner = one.if_array())
      std::ranges::for_each(*inner, [&](const auto& v) { self(self, v); });
  };
  if (has(key)) add(add, *find(key));
  return all;
}

std::size_t ModelKeys::elements(std::string_view key) const { return has(key) ? list(key).size() : 0; }

const boost::json::value* ModelKeys::find(std::string_view key, std::string_view inner) const {
  if (!has(key)) return nullptr;
  if (!find(key)->is_object()) refuse(key, "an object of keys");
  const boost::json::value* found = find(key)->as_object().if_contains(inner);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool ModelKeys::has_inner(std::string_view key, std::string_view inner) const {
  return find(key, inner) != nullptr;
}

std::vector<std::string_view> ModelKeys::inner_keys(std::string_view key) const {
  std::vector<std::string_view> all;
  if (!has(key)) return all;
  if (!find(key)->is_object()) refuse(key, "an object of keys");
  for (const auto& member : find(key)->as_object()) {
    if (!member.value().is_null()) all.push_back(member.key());
  }
  return all;
}

std::string ModelKeys::text(std::string_view key, std::string_view inner) const {
  const boost::json::value* found = find(key, inner);
  if (found == nullptr) return {};
  if (!found->is_string()) refuse(key, inner, "a text");
  return std::string{found->get_string()};
}

std::size_t ModelKeys::offset(std::string_view key) const {
  return json_member(text_, keys_->contains(key) ? begin_ : json_root(text_), key);
}

std::string ModelKeys::place(std::string_view key) const {
  return fmt::format("{}:{}", file_, line_and_column(text_, offset(key)));
}

std::string ModelKeys::place(std::string_view key, std::string_view inner) const {
  return fmt::format("{}:{}", file_, line_and_column(text_, json_member(text_, offset(key), inner)));
}

void ModelKeys::refuse(std::string_view key, std::string_view expected) const {
  throw UsageError{fmt::format("{}: {} is {}, expected {}", place(key), key, shown(*find(key)), expected)};
}

void ModelKeys::refuse_text(std::string_view key, std::string_view known) const {
  throw Unsupported{fmt::format("{}: {} is {}, which isn't simulated; those that are: {}", place(key), key,
                                shown(*find(key)), known)};
}

void ModelKeys::refuse(std::string_view key, std::size_t element, std::string_view expected) const {
  const std::size_t at = json_element(text_, offset(key), element);
  throw UsageError{fmt::format("{}:{}: {}[{}] is {}, expected {}", file_, line_and_column(text_, at), key,
                               element, shown(find(key)->as_array()[element]), expected)};
}

void ModelKeys::refuse(std::string_view key, std::string_view inner, std::string_view expected) const {
  throw UsageError{fmt::format("{}: {}.{} is {}, expected {}", place(key, inner), key, inner,
                               shown(*find(key, inner)), expected)};
}

}  // namespace kbsim::models
