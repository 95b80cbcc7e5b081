#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs::mscclpp {

/// A JSON value and its place in its file.
struct JsonNode {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t key = 0;      // of a member: where the key's letters begin
  std::uint32_t key_end = 0;  // 0: it is no member
  std::uint32_t after = 0;    // the number of the next node outside this one
};

/// All values of a file, in its order. InputError, with the place, if it isn't JSON or has more values than a
/// plan may have.
class JsonFile {
 public:
  explicit JsonFile(const Text& text);

  [[nodiscard]] const Text& text() const { return *text_; }
  [[nodiscard]] const std::vector<JsonNode>& nodes() const { return nodes_; }

 private:
  const Text* text_;
  std::vector<JsonNode> nodes_;
};

/// One value of it; errors are at its place.
class Json {
 public:
  explicit Json(const JsonFile& file, std::uint32_t number = 0) : file_{&file}, number_{number} {}

  /// The place of a member's key.
  [[nodiscard]] Place key_place() const { return file_->text().place(node().key - 1); }
  [[nodiscard]] Place place() const { return file_->text().place(node().begin); }
  [[nodiscard]] InputError error(const std::string& what) const {
    return file_->text().error(node().begin, what);
  }

  /// The values of an array. InputError if it isn't one.
  template <class Action>
  void each(const Action& action) const {
    require('[', "an array");
    for (std::uint32_t at = number_ + 1; at < node().after; at = file_->nodes()[at].after)
      action(Json{*file_, at});
  }
  /// The members of an object: their keys as they stand in the file, and their values. InputError if it isn't
  /// one.
  template <class Action>
  void each_member(const Action& action) const {
    require('{', "an object");
    const std::string_view all = file_->text().content();
    for (std::uint32_t at = number_ + 1; at < node().after; at = file_->nodes()[at].after) {
      const JsonNode& member = file_->nodes()[at];
      action(all.substr(member.key, member.key_end - member.key), Json{*file_, at});
    }
  }
  /// A member of an object. InputError if it isn't an object; at(), if it has no such member.
  [[nodiscard]] std::optional<Json> find(std::string_view key) const;
  [[nodiscard]] Json at(std::string_view key) const;

  /// A whole number from `least` to `most`. InputError otherwise.
  [[nodiscard]] int number(int least, int most) const;
  /// The letters of a string, as they stand in the file. InputError otherwise.
  [[nodiscard]] std::string_view string() const;
  [[nodiscard]] bool boolean() const;

 private:
  [[nodiscard]] const JsonNode& node() const { return file_->nodes()[number_]; }
  [[nodiscard]] std::string_view letters() const {
    return file_->text().content().substr(node().begin, node().end - node().begin);
  }
  void require(char first, const char* what) const;

  const JsonFile* file_;
  std::uint32_t number_;
};

}  // namespace kbsim::inputs::mscclpp
