#include "oplog_file.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/memory.hpp"
#include "kbsim/oplog/file.hpp"
#include "kbsim/report/output_file.hpp"

namespace kbsim::app {

LogChecksums checksums(const oplog::OpLog& log, replay::Replay& replay) {
  return {.operations = log.size(), .lanes = log.lanes(), .record = log.digest(), .values = replay.run()};
}

std::string to_text(const LogChecksums& log) {
  return fmt::format("op log: {} operations on {} lanes, record {}, values {}", log.operations, log.lanes,
                     to_string(log.record), to_string(log.values));
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
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw UsageError{file + ": is a folder, not an op log"};
  std::ifstream in{file, std::ios::binary};
  if (!in) throw UsageError{file + ": can't be opened"};
  constexpr std::size_t kAtOnce = std::size_t{16} << 20;  // a device may have no end
  std::string contents;
  for (std::size_t size = 0; in; size = contents.size()) {
    contents.resize(size + kAtOnce);
    in.read(contents.data() + size, static_cast<std::streamsize>(kAtOnce));
    contents.resize(size + static_cast<std::size_t>(in.gcount()));
    require_memory("reading " + file);
  }
  if (in.bad()) throw UsageError{file + ": can't be read"};
  return oplog::decode(std::as_bytes(std::span{contents}), file);
}

}  // namespace kbsim::app
