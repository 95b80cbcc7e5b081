#include "elements.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "shown.hpp"

namespace kbsim::inputs::msccl {
namespace {

// The memory of the file's tree grows with these counts.
void require_bounded(const Text& text) {
  constexpr std::ptrdiff_t kMostElements = 1'500'000;
  constexpr std::ptrdiff_t kMostAttributes = 15'000'000;
  const std::string_view content = text.content();
  if (std::ranges::count(content, '<') > kMostElements || std::ranges::count(content, '=') > kMostAttributes)
    throw text.error(0, fmt::format("a plan of more than {} elements isn't read", kMostElements));
}

}  // namespace

std::size_t Element::offset() const {
  const std::ptrdiff_t at = node_.offset_debug();
  return at > 0 ? static_cast<std::size_t>(at) - 1 : 0;  // of its '<'
}

std::size_t Element::offset(const char* attribute) const {
  const std::string_view content = text_->content();
  const std::size_t begin = offset();
  const std::size_t end = std::min(content.find('>', begin), content.size());
  const std::string wanted = std::string{attribute} + "=";
  for (std::size_t at = content.find(wanted, begin); at < end; at = content.find(wanted, at + 1)) {
    const char before = at == 0 ? ' ' : content[at - 1];
    if (before == ' ' || before == '\t' || before == '\n' || before == '\r') return at;
  }
  return begin;
}

InputError Element::error(const char* attribute, const std::string& what) const {
  return text_->error(offset(attribute), what);
}

void Element::require_name(std::string_view wanted, std::string_view parent) const {
  if (node_.type() == pugi::node_element && name() == wanted) return;
  throw error(fmt::format("expected <{}>{}, found {}", wanted,
                          parent.empty() ? "" : fmt::format(" in <{}>", parent),
                          name().empty() ? "text" : fmt::format("<{}>", shown(name()))));
}

std::string_view Element::text(const char* attribute) const {
  if (!has(attribute)) throw error(fmt::format("<{}> has no {}", name(), attribute));
  return node_.attribute(attribute).value();
}

int Element::number(const char* attribute, int least, int most) const {
  const std::string_view value = text(attribute);
  int found = 0;
  const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (wrong == std::errc{} && end == value.data() + value.size() && found >= least && found <= most)
    return found;
  throw error(attribute, fmt::format("{} must be a whole number from {} to {}, got '{}'", attribute, least,
                                     most, shown(value)));
}

Element parsed(const Text& text, pugi::xml_document& document) {
  require_bounded(text);
  const pugi::xml_parse_result result = document.load_buffer(text.content().data(), text.content().size(),
                                                             pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    throw text.error(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                     fmt::format("this isn't XML: {}", result.description()));
  return {text, document.document_element()};
}

}  // namespace kbsim::inputs::msccl
