// The argument of --of: its syntax, and the operations in a log that it names.
#include "kbsim/explain/path_question.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

namespace kbsim::explain::test {
namespace {

// Lanes a, b and c; a and b have an operation.
oplog::OpLog three_lanes() {
  oplog::OpLog log;
  for (const char* name : {"a", "b", "c"}) (void)log.add_lane(name);
  for (const std::uint32_t lane : {0U, 1U})
    log.record({.id = log.reserve(lane), .kind = oplog::OpKind::fill, .dtype = f16, .shape = {16, 8}});
  return log;
}

std::string refusal_of(const std::string& text) {
  try {
    (void)question_of(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_in(const oplog::OpLog& log, const std::string& text) {
  try {
    const PathQuestion asked = question_of(text);
    require_recorded(asked, op_of(asked, log), log);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A question about a path: every kind is read, and printed as it was asked") {
  for (const std::string text :
       {"run", "launch:2", "collective:1", "row:4294967296", "op:3:0", "op:sip0.cube0.pe3:17", "op:a:b:1"}) {
    CAPTURE(text);
    CHECK(as_asked(question_of(text)) == text);
  }
  CHECK(question_of("run").kind == PathQuestion::Kind::run);
  const PathQuestion op = question_of("op:sip0.cube0.pe3:17");
  CHECK(op.kind == PathQuestion::Kind::op);
  CHECK(op.lane == "sip0.cube0.pe3");
  CHECK(op.number == 17);
}

TEST_CASE("A question about a path: what is none is refused") {
  for (const std::string text :
       {"", ":", "run:", "run:1", "Run", "launch", "launch:", "launch:0", "launch:-1", "launch:1x",
        "row:18446744073709551616", "op", "op:", "op:1", "op::1", "op:a:", "op:a:4294967296", "path:1"}) {
    CAPTURE(text);
    CHECK(refusal_of(text).starts_with("--of " + text + ": expected run, launch:N"));
  }
}

TEST_CASE("A question about an operation: its lane goes by its name or its number") {
  const oplog::OpLog log = three_lanes();
  const oplog::ValueId first{.lane = 1, .seq = 0};
  CHECK(op_of(question_of("op:b:0"), log) == first);
  CHECK(op_of(question_of("op:1:0"), log) == first);
  CHECK(refusal_in(log, "op:b:0") == "");
}

TEST_CASE("A question about an operation: a missing one is refused with those that exist") {
  oplog::OpLog log = three_lanes();
  CHECK(refusal_in(log, "op:x:0")
            .starts_with("--of op:x:0: there is no such lane: the op log has 0 to 2, a to c"));
  CHECK(refusal_in(log, "op:3:0").starts_with("--of op:3:0: there is no such lane"));
  CHECK(refusal_in(log, "op:a:1") == "--of op:a:1: a has operations 0 to 0");
  CHECK(refusal_in(log, "op:c:0") == "--of op:c:0: c has no operations; 2 lanes have some: a, b");
  (void)log.reserve(0);
  CHECK(refusal_in(log, "op:a:1") == "--of op:a:1: that operation was issued and never ended");
  CHECK(refusal_in(oplog::OpLog{}, "op:0:0") == "--of op:0:0: the op log has no lanes");
}

}  // namespace kbsim::explain::test
