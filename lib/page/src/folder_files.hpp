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

/// The files of a folder of results, none of which need be there. What is left out is noted.
class FolderFiles {
 public:
  explicit FolderFiles(std::filesystem::path path) : path_{std::move(path)} {}

  [[nodiscard]] bool has(const std::string& name) const;
  /// null if it isn't there, or has more than `most` bytes. UsageError if it isn't JSON. What it gives goes
  /// with these files, and takes its memory until then.
  [[nodiscard]] boost::json::value json(const std::string& name, std::size_t most);
  /// Its text, as many whole lines as `most` bytes take; no more than that is read.
  [[nodiscard]] std::optional<std::string> lines(const std::string& name, std::size_t most);
  /// Names without the suffix of files that have a .gp beside their .csv, in order.
  [[nodiscard]] std::vector<std::string> figures() const;

  /// Where that is.
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
