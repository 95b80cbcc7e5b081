#include "kbsim/sweep/records.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include <boost/crc.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/input_file.hpp"
#include "kbsim/base/unwritable.hpp"
#include "kbsim/base/utf8.hpp"

#include "host_name.hpp"

namespace kbsim::sweep {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kChecksum = 8;

std::string checksum(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{:08x}", crc.checksum());
}

std::string text_in(const json::object& all, const char* name) {
  const json::value* value = all.if_contains(name);
  return value != nullptr && value->is_string() ? std::string{value->get_string()} : std::string{};
}

template <class T>
T number_in(const json::object& all, const char* name) {
  const json::value* value = all.if_contains(name);
  return value != nullptr && value->is_number() ? value->to_number<T>() : T{};
}

json::object head_of(const Record& record) {
  json::object all{{"request", record.request}, {"key", record.key}};
  if (record.known) return all;
  all["end"] = static_cast<int>(record.end);
  all["exit"] = record.exit;
  all["digest"] = record.digest;
  if (!record.message.empty()) all["message"] = record.message;
  all["events"] = record.events;
  all["seconds"] = record.seconds;
  if (record.limit > 0.0) all["limit"] = record.limit;
  all["host"] = record.host;
  return all;
}

Record record_of(const json::object& head, std::string_view document) {
  return {.request = text_in(head, "request"),
          .key = text_in(head, "key"),
          .end = static_cast<End>(std::clamp(number_in<int>(head, "end"), 0, 3)),
          .exit = number_in<int>(head, "exit"),
          .digest = text_in(head, "digest"),
          .message = text_in(head, "message"),
          .events = number_in<std::uint64_t>(head, "events"),
          .seconds = number_in<double>(head, "seconds"),
          .limit = number_in<double>(head, "limit"),
          .host = text_in(head, "host"),
          .document = std::string{document},
          .known = !head.contains("end")};
}

// A done record counts before one that met a limit, and a higher limit before a lower one.
bool counts_before(const Record& a, const Record& b) {
  const auto rank = [](const Record& record) {
    return std::pair{record.end == End::done ? 1 : 0, record.limit};
  };
  return rank(a) > rank(b);
}

}  // namespace

std::string to_line(const Record& record) {
  const std::string text = json_as_utf8(json::serialize(head_of(record))) + "\t" + record.document;
  return fmt::format("{}\t{}\n", checksum(text), text);
}

std::optional<Record> record_in(std::string_view line) {
  if (line.size() < kChecksum + 1 || line[kChecksum] != '\t') return std::nullopt;
  const std::string_view text = line.substr(kChecksum + 1);
  if (checksum(text) != line.substr(0, kChecksum)) return std::nullopt;
  const std::size_t tab = text.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  boost::system::error_code error;
  const json::value head = json::parse({text.data(), tab}, error);
  if (error || !head.is_object()) return std::nullopt;
  return record_of(head.get_object(), text.substr(tab + 1));
}

RecordFile::~RecordFile() {
  if (descriptor_ >= 0) (void)close(descriptor_);
}

void RecordFile::append(const Record& record) {
  const auto fail = [&](int error) {
    const std::string why = why_unwritable(path_, {error, std::generic_category()});
    throw UsageError{fmt::format("can't write '{}': {}", path_.string(), why)};
  };
  if (descriptor_ < 0) descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
  const std::string line = to_line(record);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
}

void sync_file(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fdatasync(descriptor);
  (void)close(descriptor);
}

Cache::Cache(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{records_folder(folder), error}) {
    if (entry.path().extension() == ".records") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) read(file);
}

void Cache::read(const fs::path& file) {
  const std::string text = read_input(file, file.string());
  const std::string_view all = text;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\n', begin);
    if (end == std::string_view::npos) return;  // its process was killed
    if (std::optional<Record> record = record_in(all.substr(begin, end - begin)))
      add(std::move(*record));
    else
      ++damaged_;
    begin = end + 1;
  }
}

void Cache::add(Record record) {
  if (!record.request.empty()) keys_[record.request] = record.key;
  if (record.known) return;
  const auto [at, is_new] = by_key_.try_emplace(record.key, record);
  if (!is_new && counts_before(record, at->second)) at->second = std::move(record);
}

const Record* Cache::of_key(const std::string& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &found->second;
}

const Record* Cache::of_request(const std::string& request) const {
  const auto key = keys_.find(request);
  return key == keys_.end() ? nullptr : of_key(key->second);
}

fs::path records_folder(const fs::path& out) { return out / "records"; }

fs::path new_record_file(const fs::path& out) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return records_folder(out) / fmt::format("{}-{}-{}.records", host_name(), getpid(), now);
}

}  // namespace kbsim::sweep
