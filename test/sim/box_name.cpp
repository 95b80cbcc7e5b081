// Name of a box: a literal, or a text that its owner keeps.
#include "kbsim/sim/box_name.hpp"

#include <type_traits>

#include <doctest/doctest.h>

using namespace kbsim;

// Nothing is copied: a text that may be gone or changed before it is read can't be a name.
static_assert(std::is_convertible_v<const char (&)[8], BoxName>);
static_assert(!std::is_constructible_v<BoxName, char (&)[8]>);
static_assert(!std::is_constructible_v<BoxName, std::string>);
static_assert(std::is_constructible_v<BoxName, const std::string&, const char (&)[8]>);
static_assert(!std::is_constructible_v<BoxName, const std::string&, char (&)[8]>);
static_assert(!std::is_constructible_v<BoxName, std::string, const char (&)[8]>);

TEST_CASE("BoxName: a literal, what an owner is called, or both") {
  const std::string owner = "sip0.cube1.pe2.pe_dma";
  CHECK(BoxName{"work"}.text() == "work");
  CHECK(BoxName{owner}.text() == owner);
  CHECK(BoxName{owner, "work"}.text() == "sip0.cube1.pe2.pe_dma work");
}
