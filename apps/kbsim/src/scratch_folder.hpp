#pragma once

#include <filesystem>
#include <string>

namespace kbsim::app {

/// A new folder for temporary files. The destructor removes it with its contents.
class ScratchFolder {
 public:
  /// `purpose` is a part of its name. UsageError if it can't be made.
  explicit ScratchFolder(const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kbsim::app
