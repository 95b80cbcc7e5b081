#include "exact_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include <boost/json/parse.hpp>
#include <range/v3/view/zip.hpp>

namespace kbsim::evaluate {
namespace {

namespace json = boost::json;

// Position after the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// The numbers of a valid document, in its order.
std::vector<std::string_view> numbers_of(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (text[at] == '"') {
      at = end_of_string(text, at);
    } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
      at = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
      all.push_back(text.substr(begin, at - begin));
    } else {
      ++at;
    }
  }
  return all;
}

// The numbers of a value, in the order of the document.
void collect(json::value& value, std::vector<json::value*>& all) {
  if (value.is_number()) all.push_back(&value);
  if (json::array* array = value.if_array(); array != nullptr) {
    for (json::value& item : *array) collect(item, all);
  }
  if (json::object* object = value.if_object(); object != nullptr) {
    for (auto& member : *object) collect(member.value(), all);
  }
}

}  // namespace

json::value parse_exactly(std::string_view text, boost::system::error_code& error) {
  json::value all = json::parse(text, error);
  if (error) return all;
  const std::vector<std::string_view> written = numbers_of(text);
  std::vector<json::value*> read;
  collect(all, read);
  if (written.size() != read.size()) return all;  // a key that is given twice, which no run writes
  for (const auto& [value, text_of_value] : ranges::views::zip(read, written)) {
    if (double* number = value->if_double(); number != nullptr)
      std::from_chars(text_of_value.data(), text_of_value.data() + text_of_value.size(), *number);
  }
  return all;
}

}  // namespace kbsim::evaluate
