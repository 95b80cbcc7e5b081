#include "oplog_file.hpp"

#include <span>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/oplog/file.hpp"
#include "kbsim/report/output_file.hpp"

namespace kbsim::app {

LogChecksums checksums(const oplog::OpLog& log, replay::Replay& replay) {
  return {.operations = log.size(), .lanes = log.lanes(), .record = log.digest(), .values = replay.run()};
}

std::string to_text(const LogChecksums& log) {
  return fmt::format("op log: {} on {}, record {}, values {}", counted(log.operations, "operation"),
                     counted(log.lanes, "lane"), to_string(log.record), to_string(log.values));
}

boost::json::object to_json(const LogChecksums& log) {
  return {{"operations", log.operations},
          {"lanes", log.lanes},
          {"record_digest", to_string(log.record)},
          {"values_digest", to_string(log.values)}};
}

void write_log(const std::string& file, const oplog::OpLog& log) {
  report::write_file(file, oplog::encode(log));
}

oplog::OpLog read_log(const std::string& file) {
  const std::string contents = read_input(file, file);
  return oplog::decode(std::as_bytes(std::span{contents}), file);
}

}  // namespace kbsim::app
