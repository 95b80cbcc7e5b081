// Files as public bug reports have them, with their right values.
#include <doctest/doctest.h>

#include "kbsim/inputs/layers/layers.hpp"
#include "kbsim/inputs/logs/measurements.hpp"

namespace kbsim::inputs::reports_test {
namespace {

Measurements log(const char* content, Buffers buffers = Buffers::out_of_place) {
  return read_measurements(Text{"run.log", content}, buffers);
}

Layer only_layer(const char* content) {
  const std::vector<Layer> layers = read_layers(Text{"layers.csv", content});
  REQUIRE(layers.size() == 1);
  return layers.front();
}

constexpr const char* kInPlaceFirst =
    "#\n"
    "#                                    in-place                       out-of-place          \n"
    "#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
    "#        (B)    (elements)     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
    "  1048576      33554432    10.0  149.42  130.74      0      20.0  149.42  130.74      0\n";

constexpr const char* kOneGroupFilled =
    "#                                    in-place                       out-of-place          \n"
    "#       size         count     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n"
    "#        (B)    (elements)     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
    "  1073741824      33554432                                    7000.0  149.42  130.74      0\n"
    "   536870912      16777216                                    3500.0  149.42  130.74      0\n";

}  // namespace

TEST_CASE("Reports: a log whose header names in-place first") {
  CHECK(log(kInPlaceFirst).rows.at(0).at("time") == "20.0");
  CHECK(log(kInPlaceFirst, Buffers::in_place).rows.at(0).at("time") == "10.0");
}

TEST_CASE("Reports: a log whose columns in place are blank") {
  const Measurements found = log(kOneGroupFilled);
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].at("time") == "7000.0");
  CHECK(found.rows[1].at("time") == "3500.0");
  CHECK(found.skipped.empty());
  CHECK_THROWS_WITH_AS((void)log(kOneGroupFilled, Buffers::in_place), "run.log:4:3: no time in place",
                       UsageError);
}

TEST_CASE("Reports: layers with a padding, with a dilation, and with one name for two columns") {
  CHECK(
      only_layer("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
                 "Strides, Padding,\nconv, 16, 16, 3, 3, 8, 16, 1, 1,\n")
          .m == 16 * 16);
  CHECK(
      only_layer("Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
                 "Strides, Dilation,\nconv, 16, 16, 3, 3, 8, 16, 1, 2,\n")
          .m == 12 * 12);
  const Layer doubled = only_layer(
      "Layer name, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
      "Conv1, 700, 161, 20, 5, 1, 32, 2,\n");
  CHECK(doubled.m == 341 * 79);
  CHECK(doubled.convolution->height == 700);
  CHECK(doubled.convolution->width == 161);
}

}  // namespace kbsim::inputs::reports_test
