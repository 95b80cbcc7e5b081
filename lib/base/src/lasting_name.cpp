#include "kbsim/base/lasting_name.hpp"

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace kbsim {
namespace {

std::string_view lasting_copy(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> copies;
  const std::lock_guard lock{mutex};
  const auto found = copies.find(text);
  return found != copies.end() ? *found : *copies.emplace(text).first;
}

}  // namespace

LastingName::LastingName(std::string_view text) : text_{lasting_copy(text)} {}

}  // namespace kbsim
