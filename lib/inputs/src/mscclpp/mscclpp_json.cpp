#include "mscclpp_json.hpp"

#include <algorithm>
#include <charconv>

#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "../msccl/shown.hpp"

namespace kbsim::inputs::mscclpp {
namespace {

constexpr std::ptrdiff_t kMostValues = 4'000'000;

// The index takes memory for each value.
void require_bounded_json(const Text& text) {
  const auto begins_one = [](char c) { return c == ',' || c == '[' || c == '{'; };
  if (std::ranges::count_if(text.content(), begins_one) > kMostValues)
    throw text.error(0, fmt::format("a plan of more than {} values isn't read", kMostValues));
}

void require_valid(const Text& text) {
  boost::json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t at = parser.write(text.content().data(), text.content().size(), error);
  if (error) throw text.error(at, "this isn't JSON: " + error.message());
  if (!parser.done()) throw text.error(text.content().size(), "this isn't JSON: it ends too early");
}

/// Notes the places of values, in a text that is valid JSON.
class Indexer {
 public:
  explicit Indexer(std::string_view text) : text_{text} {}

  std::vector<JsonNode> index() {
    value({});
    return std::move(nodes_);
  }

 private:
  void space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  // Moves past the string that begins here.
  void string() {
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  void value(JsonNode node) {
    space();
    const std::size_t number = nodes_.size();
    node.begin = static_cast<std::uint32_t>(at_);
    nodes_.push_back(node);
    const char first = text_[at_];
    if (first == '{' || first == '[') {
      members(first == '{');
    } else if (first == '"') {
      string();
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    }
    nodes_[number].end = static_cast<std::uint32_t>(at_);
    nodes_[number].after = static_cast<std::uint32_t>(nodes_.size());
  }

  void members(bool have_keys) {
    ++at_;
    for (space(); text_[at_] != '}' && text_[at_] != ']'; space()) {
      if (text_[at_] == ',') {
        ++at_;
        space();
      }
      value(have_keys ? key() : JsonNode{});
    }
    ++at_;
  }

  JsonNode key() {
    JsonNode node;
    node.key = static_cast<std::uint32_t>(at_ + 1);
    string();
    node.key_end = static_cast<std::uint32_t>(at_ - 1);
    space();
    ++at_;  // its ':'
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<JsonNode> nodes_;
};

}  // namespace

JsonFile::JsonFile(const Text& text) : text_{&text} {
  require_bounded_json(text);
  require_valid(text);
  nodes_ = Indexer{text.content()}.index();
}

void Json::require(char first, const char* what) const {
  if (letters().front() != first) throw error(fmt::format("expected {}", what));
}

std::optional<Json> Json::find(std::string_view key) const {
  require('{', "an object");
  const std::string_view all = file_->text().content();
  for (std::uint32_t at = number_ + 1; at < node().after; at = file_->nodes()[at].after) {
    const JsonNode& member = file_->nodes()[at];
    if (all.substr(member.key, member.key_end - member.key) == key) return Json{*file_, at};
  }
  return std::nullopt;
}

Json Json::at(std::string_view key) const {
  const std::optional<Json> found = find(key);
  if (!found) throw error(fmt::format("this has no {}", key));
  return *found;
}

int Json::number(int least, int most) const {
  const std::string_view value = letters();
  int found = 0;
  const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (wrong == std::errc{} && end == value.data() + value.size() && found >= least && found <= most)
    return found;
  throw error(fmt::format("expected a whole number from {} to {}, got {}", least, most, msccl::shown(value)));
}

std::string_view Json::string() const {
  require('"', "a text");
  return letters().substr(1, letters().size() - 2);
}

bool Json::boolean() const {
  if (letters() != "true" && letters() != "false") throw error("expected true or false");
  return letters() == "true";
}

}  // namespace kbsim::inputs::mscclpp
