#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kbsim::sweep {

/// 32 hex digits of a text: equal for equal texts, and in practice different for others.
[[nodiscard]] std::string fingerprint(std::string_view text);

/// Fingerprint of this program: its build ID, or its whole file if the linker made none.
[[nodiscard]] std::string program_fingerprint();

/// Keys of points before their configuration is read: from the words, the contents of the files that they
/// name, and the program. Equal requests have equal keys. Files are also looked for in `folders`; every point
/// reads `always`.
class Requests {
 public:
  Requests(std::vector<std::filesystem::path> folders, const std::vector<std::string>& always);
  [[nodiscard]] std::string of(const std::vector<std::string>& words);

  /// The first of these files that has changed since it was read; "" if none has.
  [[nodiscard]] std::string changed() const;

 private:
  struct State {
    std::filesystem::path file;
    std::int64_t written_ns = 0;
    std::uint64_t size = 0;
    std::uint64_t inode = 0;
    bool operator==(const State&) const = default;
  };
  [[nodiscard]] static State state_of(const std::filesystem::path& file);
  [[nodiscard]] const std::string& contents_of(const std::string& word);
  std::vector<std::filesystem::path> folders_;
  std::string program_;
  std::map<std::string, std::string, std::less<>> files_;  // by word; "" of one that names no file
  std::vector<State> states_;
};

}  // namespace kbsim::sweep
