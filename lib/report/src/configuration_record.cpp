#include "kbsim/report/configuration_record.hpp"

#include <algorithm>
#include <cstdint>

#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/digest.hpp"
#include "kbsim/base/error.hpp"

namespace kbsim::report {
namespace {

constexpr const char* kRecord = "configuration";

std::int64_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

// Null for an earlier version.
const boost::json::object* record_in(const boost::json::object& run) {
  const boost::json::value* record = run.if_contains(kRecord);
  return record == nullptr ? nullptr : record->if_object();
}

}  // namespace

boost::json::object record_of_configuration(const std::string& text) {
  return {{"lines", lines_of(text)}, {"digest", to_string(Digest{}.add(text))}};
}

void require_whole(const boost::json::object& run, const std::string& text, const std::string& file) {
  const boost::json::object* record = record_in(run);
  const boost::json::value* known = record == nullptr ? nullptr : record->if_contains("lines");
  if (known == nullptr || !known->is_int64()) return;
  const std::int64_t lines = lines_of(text);
  if (lines >= known->get_int64()) return;
  const bool within_line = !text.empty() && !text.ends_with('\n');
  throw UsageError{fmt::format("{}:{}: ends here, and is cut off: its run wrote {}", file,
                               std::max<std::int64_t>(1, lines + (within_line ? 1 : 0)),
                               counted(known->get_int64(), "line"))};
}

void require_unchanged(const boost::json::object& run, const std::string& text, const std::string& file) {
  require_whole(run, text, file);
  const boost::json::object* record = record_in(run);
  if (record == nullptr || record_of_configuration(text) == *record) return;
  throw UsageError{fmt::format("{}: was changed since its run wrote it; kbsim check runs it as it is", file)};
}

}  // namespace kbsim::report
