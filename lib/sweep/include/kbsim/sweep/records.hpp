#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kbsim::sweep {

/// How a point ended.
enum class End {
  done,       // the simulation itself ended, in whichever way: equal keys end equally
  crashed,    // its process did
  timed_out,  // --timeout
  too_large   // --memory
};

/// One finished point. Equal keys that are `done` have equal exit, digest, message, events and document.
struct Record {
  std::string request;  // of its words
  std::string key;      // of all that it depends on; of a point whose configuration can't be read its request
  End end = End::done;
  int exit = 0;
  std::string digest = {};
  std::string message = {};
  std::uint64_t events = 0;
  double seconds = 0.0;  // its simulation took
  double limit = 0.0;    // seconds of a timeout, bytes of a memory limit
  std::string host = {};
  std::string document = {};  // JSON of what it found; "" of one that failed, or that another record has
  bool known = false;         // another record has the result of this key
};

/// A line with its checksum, and back; none of a line that isn't whole.
[[nodiscard]] std::string to_line(const Record& record);
[[nodiscard]] std::optional<Record> record_in(std::string_view line);

/// A file to which one process appends. It is made with the first record; UsageError if the folder takes
/// none, as on a full disk.
class RecordFile {
 public:
  explicit RecordFile(std::filesystem::path path) : path_{std::move(path)} {}
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  void append(const Record& record);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// What processes wrote into a folder is on the disk.
void sync_file(const std::filesystem::path& file);

/// All that was finished in a folder of results.
class Cache {
 public:
  Cache() = default;
  /// Lines that aren't whole count as damaged, but for a file's last one: its process was killed.
  explicit Cache(const std::filesystem::path& folder);

  void add(Record record);
  /// Of a request: what its key has, if anything.
  [[nodiscard]] const Record* of_request(const std::string& request) const;
  [[nodiscard]] const Record* of_key(const std::string& key) const;
  [[nodiscard]] std::size_t damaged() const { return damaged_; }
  [[nodiscard]] const std::unordered_map<std::string, Record>& records() const { return by_key_; }

 private:
  void read(const std::filesystem::path& file);
  std::unordered_map<std::string, std::string> keys_;  // by request
  std::unordered_map<std::string, Record> by_key_;
  std::size_t damaged_ = 0;
};

/// The records that processes of a sweep write lie here, below --out.
[[nodiscard]] std::filesystem::path records_folder(const std::filesystem::path& out);
/// A name that no other process has.
[[nodiscard]] std::filesystem::path new_record_file(const std::filesystem::path& out);

}  // namespace kbsim::sweep
