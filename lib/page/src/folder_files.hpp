#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

namespace kbsim::page {

/// The files of a folder of results; each may be missing. Omissions are noted.
class FolderFiles {
 public:
  explicit FolderFiles(std::filesystem::path path) : path_{std::move(path)} {}

  [[nodiscard]] bool has(const std::string& name) const;
  /// Its bytes; 0 if it is missing.
  [[nodiscard]] std::size_t size(const std::string& name) const;
  /// null if it is missing, or has more than `most` bytes. UsageError if it isn't JSON. The value's memory
  /// belongs to this object.
  [[nodiscard]] boost::json::value json(const std::string& name, std::size_t most);
  /// Its whole lines within the first `most` bytes; no more is read.
  [[nodiscard]] std::optional<std::string> lines(const std::string& name, std::size_t most);
  /// Names without the suffix of files that have a .gp beside their .csv, in order.
  [[nodiscard]] std::vector<std::string> figures() const;

  /// The memory of the values.
  [[nodiscard]] boost::json::storage_ptr storage() { return &memory_; }

  void leave_out(const std::string& what) { left_out_.emplace_back(what); }
  [[nodiscard]] const boost::json::array& left_out() const { return left_out_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  boost::json::monotonic_resource memory_;
  boost::json::array left_out_;
};

}  // namespace kbsim::page
