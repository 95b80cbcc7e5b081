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
  std::string key;      // of everything that it depends on; the request if the configuration can't be read
  End end = End::done;
  int exit = 0;
  std::string digest = {};
  std::string message = {};
  std::uint64_t events = 0;
  double seconds = 0.0;  // of its simulation
  double limit = 0.0;    // seconds of a timeout, bytes of a memory limit
  std::string host = {};
  std::string document = {};  // JSON of its results; "" if it failed, or if another record has it
  bool known = false;         // another record has the result of this key
};

/// A record as a line with its checksum, and back; none for an incomplete line.
[[nodiscard]] std::string to_line(const Record& record);
[[nodiscard]] std::optional<Record> record_in(std::string_view line);

/// A file that one process appends to. It is made with the first record; UsageError if the folder refuses it,
/// as on a full disk.
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

/// Forces a file to the disk. Does nothing if it can't be opened.
void sync_file(const std::filesystem::path& file);

/// Everything that was finished in a folder of results.
class Cache {
 public:
  Cache() = default;
  /// Incomplete lines count as damaged, except a file's last one: its process was killed.
  explicit Cache(const std::filesystem::path& folder);

  void add(Record record);
  /// The record of a request's key; nullptr if there is none.
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

/// Folder below --out that a sweep's processes write their records to.
[[nodiscard]] std::filesystem::path records_folder(const std::filesystem::path& out);
/// A file name that no other process has.
[[nodiscard]] std::filesystem::path new_record_file(const std::filesystem::path& out);

}  // namespace kbsim::sweep
