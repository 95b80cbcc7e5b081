#include "kbsim/base/lasting_name.hpp"

#include <array>
#include <string>
#include <thread>
#include <type_traits>

#include <doctest/doctest.h>

using namespace kbsim;

// A text is never taken for one that lasts; a literal is.
static_assert(!std::is_convertible_v<std::string, LastingName>);
static_assert(!std::is_convertible_v<std::string_view, LastingName>);
static_assert(std::is_trivially_copyable_v<LastingName> && std::is_trivially_destructible_v<LastingName>);
static_assert(LastingName{"read"}.text() == "read");
static_assert(LastingName{}.text().empty());

TEST_CASE("LastingName: of a text that is gone it keeps the characters") {
  for (const std::size_t length : {0, 1, 15, 16, 1000}) {
    std::string text(length, 'q');
    const LastingName name{text};
    text.assign(length, 'x');
    CHECK(name.text() == std::string(length, 'q'));
    CHECK(name != LastingName{text + "x"});
  }
}

TEST_CASE("LastingName: names of equal texts are one, whatever makes them") {
  std::array<const char*, 4> at{};
  {
    std::array<std::jthread, at.size()> threads;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      threads[i] = std::jthread{[&at, i] {
        for (int n = 0; n < 1000; ++n) at[i] = LastingName{"name" + std::to_string(n)}.text().data();
      }};
    }
  }
  for (const char* place : at) CHECK(place == at.front());
  CHECK(LastingName{std::string{"literal"}} == LastingName{"literal"});
}
