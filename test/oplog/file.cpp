#include "kbsim/oplog/file.hpp"

#include <cmath>
#include <random>
#include <sstream>

#include <doctest/doctest.h>

#include "files.hpp"
#include "random_log.hpp"
#include "sealed.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

bool starts_with(const std::string& text, const std::string& begin) { return text.rfind(begin, 0) == 0; }

oplog::Op copy_of(oplog::ValueId id, const oplog::Slice& slice) {
  return {.id = id,
          .kind = oplog::OpKind::copy,
          .dtype = DType::u8,
          .shape = Shape{slice.bytes},
          .inputs = {{.slices = {slice}, .shape = Shape{slice.bytes}, .dtype = DType::u8}}};
}

std::string document() { return kbsim::test::contents(KBSIM_SOURCE_DIR "/docs/reference/oplog-format.md"); }

// The hex digits of the example: the text before the bars of its block.
std::string example(const std::string& text) {
  std::istringstream block{text.substr(text.find("```text") + 8)};
  std::string hex;
  for (std::string line; std::getline(block, line) && line != "```";) {
    for (const char c : line.substr(0, line.find('|'))) {
      if (c != ' ') hex += c;
    }
  }
  return hex;
}

}  // namespace

TEST_CASE("Op log file: logs of all kinds of operations come back equal, and are written alike again") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const oplog::OpLog log = random_log(seed, 40);
    const std::string file = oplog::encode(log);
    const oplog::OpLog back = oplog::decode(std::as_bytes(std::span{file}), "f.oplog");
    REQUIRE(back.digest().value() == log.digest().value());
    CHECK(back.size() == log.size());
    CHECK(back.lane_name(0) == "sip0.cube0.pe0");
    CHECK(oplog::encode(back) == file);
    for (std::uint32_t lane = 0; lane < log.lanes(); ++lane) CHECK(back.ranges(lane) == log.ranges(lane));
  }
}

TEST_CASE("Op log file: what prints and checks say comes back") {
  oplog::OpLog log;
  (void)log.add_lane("pe");
  const oplog::ValueId one = log.reserve(0);
  log.record({.id = one, .kind = oplog::OpKind::fill, .dtype = DType::u8, .shape = Shape{3}});
  for (const oplog::OpKind kind : {oplog::OpKind::print, oplog::OpKind::check}) {
    oplog::Op op = copy_of(log.reserve(0), {one, 0, 3});
    op.kind = kind;
    const auto text = std::as_bytes(std::span{to_string(kind)});
    op.data = std::make_shared<const std::vector<std::byte>>(text.begin(), text.end());
    log.record(std::move(op));
  }
  const std::string file = oplog::encode(log);
  const oplog::OpLog back = oplog::decode(std::as_bytes(std::span{file}), "f.oplog");
  for (std::uint32_t seq : {1U, 2U})
    CHECK(*back.find({0, seq})->data.all() == *log.find({0, seq})->data.all());
}

TEST_CASE("Op log file: a fill with -0 comes back as one") {
  oplog::OpLog log;
  (void)log.add_lane("pe");
  const oplog::ValueId id = log.reserve(0);
  log.record(
      {.id = id, .kind = oplog::OpKind::fill, .params = {.scalar = -0.0}, .dtype = f32, .shape = Shape{3}});
  const std::string file = oplog::encode(log);
  const oplog::OpLog back = oplog::decode(std::as_bytes(std::span{file}), "f.oplog");
  CHECK(std::signbit(back.find(id)->params.scalar));
  CHECK(back.digest().value() == log.digest().value());
}

TEST_CASE("Op log file: an empty log comes back empty") {
  const std::string file = oplog::encode(oplog::OpLog{});
  const oplog::OpLog back = oplog::decode(std::as_bytes(std::span{file}), "f.oplog");
  CHECK(back.lanes() == 0);
}

TEST_CASE("Op log file: cut anywhere, it is refused with its name and the place") {
  const std::string file = oplog::encode(random_log(1, 20));
  for (std::size_t n = 0; n < file.size(); ++n) {
    CAPTURE(n);
    const Decoded found = decoded(file.substr(0, n));
    REQUIRE(starts_with(found.error, "f.oplog: at byte "));
    CHECK(found.error.find("truncated") != std::string::npos);
  }
  CHECK(decoded(file + "x").error.find("1 byte after the end") != std::string::npos);
}

TEST_CASE("Op log file: with any bit flipped, it is refused with the place") {
  const std::string file = oplog::encode(random_log(2, 20));
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    CAPTURE(bit);
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE(starts_with(decoded(damaged).error, "f.oplog: at byte "));
  }
}

TEST_CASE("Op log file: one of a version to come is refused by its number, be its checksums right") {
  std::string file = oplog::encode(random_log(3, 5));
  put_fixed(file, 8, 7, 4);
  CHECK(decoded(sealed(file)).error ==
        "f.oplog: at byte 8: an op log of version 7; this kbsim reads version 2");
  CHECK(decoded("something else altogether").error ==
        "f.oplog: at byte 0: not an op log: it doesn't begin with KBSIMLOG");
}

TEST_CASE("Op log file: forged with right checksums, it gives a log or is refused, and takes no memory") {
  std::mt19937 random{4};
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const std::string file = oplog::encode(random_log(seed, 12));
    for (int i = 0; i < 500; ++i) {
      std::string forged = file;
      for (int n = std::uniform_int_distribution{1, 4}(random); n > 0; --n) {
        const auto at = std::uniform_int_distribution<std::size_t>{16, file.size() - 1}(random);
        forged[at] = static_cast<char>(std::uniform_int_distribution{0, 255}(random));
      }
      CAPTURE(seed);
      CAPTURE(i);
      const Decoded found = decoded(sealed(forged));  // any other exception fails the test
      CHECK(found.digest.empty() != found.error.empty());
    }
  }
}

TEST_CASE("Op log file: a section that claims to be longer than the file is refused at its place") {
  std::string file = oplog::encode(random_log(5, 3));
  put_fixed(file, 20, std::uint64_t{1} << 60, 8);
  CHECK(starts_with(decoded(sealed(file)).error,
                    "f.oplog: at byte 16: a section of 1152921504606846976 bytes"));
}

TEST_CASE("Op log file: operations that read what isn't there, or themselves, are refused") {
  oplog::OpLog unrecorded;
  (void)unrecorded.add_lane("a");
  const oplog::ValueId first = unrecorded.reserve(0);
  unrecorded.record(copy_of(unrecorded.reserve(0), {first, 0, 4}));
  CHECK(decoded(oplog::encode(unrecorded)).error.find("value 0:0 isn't recorded") != std::string::npos);

  unrecorded.record(copy_of(first, {{}, 0, 2}));
  CHECK(decoded(oplog::encode(unrecorded)).error.find("4 bytes at 0 of value 0:0, which has 2") !=
        std::string::npos);

  oplog::OpLog circle;
  (void)circle.add_lane("a");
  const oplog::ValueId one = circle.reserve(0);
  const oplog::ValueId two = circle.reserve(0);
  circle.record(copy_of(one, {two, 0, 4}));
  circle.record(copy_of(two, {one, 0, 4}));
  CHECK(decoded(oplog::encode(circle)).error.find("a, operation 0 (copy, u8 [4]) needs its own result") !=
        std::string::npos);
}

TEST_CASE("Op log file: the bytes are those of docs/reference/oplog-format.md") {
  oplog::OpLog log;
  (void)log.add_lane("pe");
  const oplog::ValueId one = log.reserve(0);
  log.record({.id = one,
              .kind = oplog::OpKind::fill,
              .params = {.scalar = 1.0},
              .dtype = f16,
              .shape = Shape{300},
              .unit = NodeId{4},
              .start = 1_ns,
              .end = 3_ns});
  log.record(copy_of(log.reserve(0), {one, 2, 3}));
  log.add_range(0, {.name = "go", .begin = 500_ps, .end = 3_ns});
  std::string hex;
  for (const char c : oplog::encode(log)) {
    constexpr const char* kDigits = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(c);
    hex += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  CHECK(hex == example(document()));
}

TEST_CASE("Op log file: the codes are those of docs/reference/oplog-format.md") {
  const std::string text = document();
  const auto check = [&](auto last) {
    for (int code = 0; code <= static_cast<int>(last); ++code) {
      const std::string name{to_string(static_cast<decltype(last)>(code))};
      CAPTURE(name);
      CHECK(text.find(" " + std::to_string(code) + " " + name) != std::string::npos);
    }
  };
  check(static_cast<oplog::OpKind>(oplog::kOpKinds - 1));
  check(DType::f8e5m2);
  check(oplog::kUnaryOps.back().op);
  check(oplog::kBinaryOps.back().op);
  check(oplog::kTernaryOps.back().op);
  check(oplog::kReduceOps.back().op);
}
