#pragma once

#include <cstdint>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/base/digest.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/replay/replay.hpp"

namespace kbsim::app {

/// Size and checksums of a log: equal in the run that wrote it and in every replay of it.
struct LogChecksums {
  std::size_t operations = 0;
  std::size_t lanes = 0;
  Digest record;  // of the operations, their times and operands
  Digest values;  // of all values, executed afresh
};
[[nodiscard]] LogChecksums checksums(const oplog::OpLog& log, replay::Replay& replay);
[[nodiscard]] std::string to_text(const LogChecksums& log);  // one line
[[nodiscard]] boost::json::object to_json(const LogChecksums& log);

/// UsageError naming the file if it can't be written. The file is written whole or not at all.
void write_log(const std::string& file, const oplog::OpLog& log);

/// UsageError naming the file, and the place in it, if it can't be read or isn't a whole log.
[[nodiscard]] oplog::OpLog read_log(const std::string& file);

}  // namespace kbsim::app
