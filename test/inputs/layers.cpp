#include "kbsim/inputs/layers/layers.hpp"

#include <filesystem>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::inputs::layers_test {
namespace {

std::vector<Layer> layers(std::string content) { return read_layers(Text{"net.csv", std::move(content)}); }

}  // namespace

TEST_CASE("Layers: products by name, with trailing commas, blanks and columns in any order") {
  const auto found = layers("Layer, K , N,M,\nfirst, 64,32,16,\n\n  second,1,2,3\r\n,,,\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "first");
  CHECK(found[0].m == 16);
  CHECK(found[0].n == 32);
  CHECK(found[0].k == 64);
  CHECK(found[0].macs() == 16 * 32 * 64);
  CHECK(found[0].elements() == 16 * 64 + 64 * 32 + 16 * 32);
  CHECK(found[1].name == "second");
  CHECK(found[1].line == 4);
  CHECK(layers("\xef\xbb\xbfLayer,M,N,K\na,1,2,3\n").front().m == 1);  // after a byte order mark
}

TEST_CASE("Layers: a list without names goes by its lines; a byte order mark is no part of a name") {
  const auto found = layers("M,N,K\n1,2,3\n\n4,5,6\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "line 2");
  CHECK(found[1].name == "line 4");
  CHECK(found[1].k == 6);
  CHECK(layers("\xef\xbb\xbfM,N,K\r\n1,2,3\r\n").front().n == 2);
}

TEST_CASE("Layers: cells may stand between semicolons or tabs") {
  CHECK(layers("Layer;M;N;K;\nfc1;2;3;4;\n").at(0).k == 4);
  CHECK(layers("Layer\tM\tN\tK\nfc1\t2\t3\t4\n").at(0).name == "fc1");
  CHECK(layers("Layer,\t\tM,\t\tN,\t\tK,\nfc1,\t\t2,\t3,\t4,\n").at(0).k == 4);
}

TEST_CASE("Layers: a convolution is a product by im2col") {
  const auto found = layers(
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
      "conv,7,9,3,2,4,5,2,\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].m == 3 * 4);  // (7 - 3) / 2 + 1, (9 - 2) / 2 + 1
  CHECK(found[0].n == 5);
  CHECK(found[0].k == 3 * 2 * 4);
  CHECK(found[0].convolution->stride_width == 2);
}

TEST_CASE("Layers: a depthwise convolution, with DP in its name, is a layer a channel") {
  const std::string head =
      "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,Strides,\n";
  const auto found = layers(head + "conv1,6,6,3,3,3,8,1,\nconv2_DP,6,6,3,3,4,2,1,\n");
  REQUIRE(found.size() == 5);
  CHECK(found[0].k == 27);
  CHECK(found[1].name == "conv2_DPChannel_0");
  CHECK(found[4].name == "conv2_DPChannel_3");
  for (std::size_t i = 1; i < 5; ++i) {
    CHECK(found[i].m == 16);
    CHECK(found[i].n == 2);
    CHECK(found[i].k == 9);
    CHECK(found[i].line == 3);
  }
  CHECK(layers("Layer,M,N,K\nDP,1,2,3\n").size() == 1);
  CHECK_THROWS_WITH_AS((void)layers(head + "a_DP,3,3,3,3,1048576,1,1,\nb,3,3,3,3,1,1,1,\n"),
                       doctest::Contains("net.csv:3:1: more than 1048576 layers"), InputError);
}

TEST_CASE("Layers: strides of both axes, and none") {
  const auto both = layers(
      "Layer,IFMAP height,IFMAP width,Filter height,Filter width,Channel,Num filters,Stride height,Stride "
      "width\nconv,9,9,3,3,1,1,3,2\n");
  CHECK(both[0].m == 3 * 4);
  const auto none = layers("l,ifmap_h,ifmap_w,filter_h,filter_w,channels,filters\nconv,9,9,3,3,1,1\n");
  CHECK(none[0].m == 7 * 7);
}

TEST_CASE("Layers: columns that would make a layer another one are refused unless they say nothing") {
  CHECK(layers("Layer,M,N,K,Sparsity,\na,1,2,3,1:1,\nb,1,2,3,\n").size() == 2);
  CHECK(layers("Layer,Batch,M,N,K\na,1,1,2,3\n").size() == 1);
  CHECK_THROWS_WITH_AS((void)layers("Layer,M,N,K,Sparsity\na,1,2,3,2:4\n"),
                       "net.csv:2:9: a sparse layer (sparsity: 2:4) isn't simulated", Unsupported);
  CHECK_THROWS_WITH_AS((void)layers("Layer,Batch,M,N,K\na,4,1,2,3\n"),
                       "net.csv:2:3: a batch of several inputs (batch: 4) isn't simulated", Unsupported);
}

TEST_CASE("Layers: padding and dilation change the positions of a filter, of one axis or of both") {
  const std::string head =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, ";
  const auto m = [&](const std::string& columns, const std::string& cells) {
    return layers(head + columns + ",\nc1, 16, 12, 3, 3, 4, 8, " + cells + ",\n").at(0).m;
  };
  CHECK(m("Strides", "1") == 14 * 10);
  CHECK(m("Strides, Padding", "1, 1") == 16 * 12);
  CHECK(m("Strides, Padding", "1,") == 14 * 10);
  CHECK(m("Strides, Pad H, Pad_W", "1, 1, 2") == 16 * 14);
  CHECK(m("Strides, Dilation", "1, 2") == 12 * 8);
  CHECK(m("Strides, Hdilation, Wdilation", "1, 1, 3") == 14 * 6);
  CHECK(m("Strides, Padding, Dilation", "2, 2, 2") == 8 * 6);  // (16 + 4 - 5) / 2 + 1, (12 + 4 - 5) / 2 + 1
  CHECK(m("Strides, Padding H", "1, 1") == 16 * 10);
  CHECK(m("Strides, Padding W", "1, 1") == 14 * 12);
  CHECK(m("Strides, Padding H, Padding W", "1, 1,") == 16 * 10);
  CHECK(m("Strides, Dilation H", "1, 2") == 12 * 10);
  CHECK(m("Stride H", "2") == 7 * 10);
  CHECK(m("Strides, Stride H", "1, 2") == 7 * 10);
  CHECK(m("Strides, Stride W", "2, 1") == 7 * 10);
  CHECK_THROWS_WITH_AS((void)m("Strides, Padding", ", 1"),
                       "net.csv:2:25: '', expected a whole number from 1 to 1048576", InputError);
  CHECK_THROWS_WITH_AS((void)m("Padding", "-1"),
                       "net.csv:2:25: '-1', expected a whole number from 0 to 1048576", InputError);
  CHECK_THROWS_WITH_AS((void)m("Dilation", "9"), doctest::Contains("a filter of 19 x 19 doesn't fit"),
                       InputError);
}

TEST_CASE("Layers: a row without its stride is an error") {
  const std::string head =
      "Layer name, IFMAP H, IFMAP W, Filter H, Filter W, Channels, Num Filter, Strides\n";
  CHECK_THROWS_WITH_AS((void)layers(head + "c1, 8, 8, 3, 3, 1, 1\n"),
                       "net.csv:2:1: 7 cells, expected 8 or more", InputError);
}

TEST_CASE("Layers: a column that isn't known is refused with its place, unless its cells are empty") {
  const auto refuses = [](const char* content, const char* text) {
    CHECK_THROWS_WITH_AS((void)layers(content), doctest::Contains(text), Unsupported);
  };
  refuses("Layer,M,N,K,Quux\na,1,2,3,7\n",
          "net.csv:2:9: the meaning of column 'Quux' isn't known (its cell is 7)");
  refuses("Repeats,M,N,K\n3,1,2,3\n", "net.csv:2:1: a layer that repeats (repeats: 3)");
  refuses("Quux,M,N,K\n3,1,2,3\n", "net.csv:2:1: the meaning of column 'Quux'");
  refuses("Layer,M,N,K,Padding\na,1,2,3,1\n",
          "net.csv:1:13: the meaning of column 'Padding' isn't known in this list");
  refuses("Layer,N,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters\nc,4,8,8,3,3,1,1\n",
          "net.csv:1:7: the meaning of column 'N'");
  refuses("L,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters,Groups\nc,8,8,3,3,4,4,2\n",
          "several groups (groups: 2)");
  refuses("L,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters,Type\nc,8,8,3,3,4,4,dwconv\n",
          "(type: dwconv)");
  CHECK(layers("Layer,M,N,K,Quux,,\na,1,2,3,,,\n").size() == 1);
  CHECK(layers("Block,M,N,K,Comment\na,1,2,3,the first one\n").at(0).name == "a");
  CHECK(layers("L,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters,Groups,Type\nc,8,8,3,3,4,4,1,Conv\n")
            .size() == 1);
  CHECK_THROWS_WITH_AS((void)layers("Layer,M,N,K\na,1,2,3,4\n"), "net.csv:2:9: '4' has no name in the header",
                       InputError);
}

TEST_CASE("Layers: a header that names one column twice is read by position, as SCALE-Sim does") {
  const auto found = layers(
      "Layer, IFMAP Width, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
      "A,700,161,20,5,1,32,2,\n");
  CHECK(found.at(0).m == 341 * 79);
  CHECK(found.at(0).k == 100);
  const auto strides = layers(
      "Layer,IFMAP Height,IFMAP Width,Filter Height,Filter Height,Channels,Num Filter,Strides,Strides,\n"
      "A,9,9,3,1,1,1,3,2,\n");
  CHECK(strides.at(0).m == 3 * 5);
  CHECK_THROWS_WITH_AS(
      (void)layers("Layer,IFMAP Width,IFMAP Height,IFMAP Width,Filter Height,Channels,Num Filter\n"),
      doctest::Contains("a second column 'IFMAP Width'"), InputError);
}

TEST_CASE("Layers: no-break spaces, byte order marks within, quotes and any line end are no part of a cell") {
  CHECK(layers("Layer,\u00a0M\u00a0,N,K,\ra,\u20031,2,\u00a03,\r").at(0).k == 3);
  CHECK(layers("\ufeff\ufeffLayer,M,N,K\r\n\"a, b\",\"1\",2,3\r\n").at(0).name == "a, b");
  CHECK(is_layer_list("Layer,\u00a0M\u00a0,N,K\n"));
}

TEST_CASE("Layers: mistakes are reported with line and column") {
  const auto says = [](const char* content, const char* text) {
    CHECK_THROWS_WITH_AS((void)layers(content), doctest::Contains(text), InputError);
  };
  says("", "net.csv:1:1: no layers");
  says("Layer,M,N,K\n", "net.csv:2:1: no layers");
  says("Layer,M,N\n", "net.csv:1:1: expected a header 'Layer, M, N, K,'");
  says("Layer,M,N,K,M\n", "net.csv:1:13: a second column 'M'");
  says("Layer,M,N,K\na,1,x,3\n", "net.csv:2:5: 'x', expected a whole number");
  says("Layer,M,N,K\na,1, -2,3\n", "net.csv:2:6: '-2', expected a whole number");
  says("Layer,M,N,K\na,1,2\n", "net.csv:2:1: 3 cells, expected 4 or more");
  says("Layer,M,N,K\na,1048576,1048576,1048577\n", "expected a whole number from 1 to 1048576");
  says("L,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters\nc,2,2,3,3,1,1\n",
       "a filter of 3 x 3 doesn't fit");
  says(
      "L,IFMAP H,IFMAP W,Filter H,Filter W,Channels,Filters\n"
      "c,1048576,1048576,1,1,1048576,1\n",
      "more than any memory");
}

TEST_CASE("Layers: lists of SCALE-Sim, where they are there") {
  const std::filesystem::path folder = std::filesystem::path{KBSIM_SOURCE_DIR} / "../shared/inputs/layers";
  if (!std::filesystem::exists(folder)) return;
  const auto gpt = read_layers(Text::read(folder / "gpt2.csv"));
  CHECK(gpt.size() == 6);
  CHECK(gpt[0].macs() == 1024LL * 1024 * 64);
  const auto resnet = read_layers(Text::read(folder / "Resnet18.csv"));
  CHECK(resnet[0].m == 109 * 109);
  CHECK(resnet[0].k == 7 * 7 * 3);
}

}  // namespace kbsim::inputs::layers_test
