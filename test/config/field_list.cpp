#include <doctest/doctest.h>

#include "kbsim/base/field.hpp"

using namespace kbsim;

namespace {

struct Shared {
  int depth = 2;
  static void describe(FieldList<Shared>& f) { f.add("depth", &Shared::depth, at_least(1), "entries"); }
};

enum class Order { oldest, nearest };

struct QueueSpec : Shared {
  Time delay = 3_ns;
  Bandwidth rate = Bandwidth::gbs(64.0);
  std::int8_t level = 0;
  Order order = Order::oldest;
  std::vector<Order> turns{Order::nearest};
  static void describe(FieldList<QueueSpec>& f) {
    f.add("delay_ns", &QueueSpec::delay, kNotNegative, "delay");
    f.add("rate_gbs", &QueueSpec::rate, kPositive, "rate");
    f.add("level", &QueueSpec::level, "level");
    f.choice("order", &QueueSpec::order, {"oldest", "nearest"}, "which entry leaves first");
    f.choice("turns", &QueueSpec::turns, {"oldest", "nearest"}, "the same, turn by turn");
    f.base<Shared>();
  }
};

const Field& field(const std::string& name) {
  return *std::ranges::find(fields_of<QueueSpec>(), name, &Field::name);
}

}  // namespace

TEST_CASE("FieldList: ranges stay within what the member's type can hold") {
  CHECK(field("level").min == -128.0);
  CHECK(field("level").max == 127.0);
  CHECK(field("delay_ns").min == 0.0);
  CHECK(field("delay_ns").max == 1e9);  // a second
  CHECK(field("rate_gbs").min == 1e-3);
}

TEST_CASE("FieldList: the default is asked of a fresh Spec") {
  CHECK(std::get<double>(field("delay_ns").get(field("delay_ns").fresh().get())) == 3.0);
  CHECK(std::get<double>(field("rate_gbs").get(field("rate_gbs").fresh().get())) == 64.0);
}

TEST_CASE("FieldList: a choice is a text in the file and an enum's value in the Spec") {
  QueueSpec spec;
  CHECK(std::get<std::string>(field("order").get(&spec)) == "oldest");
  field("order").set(&spec, std::string{"nearest"});
  CHECK(spec.order == Order::nearest);
  CHECK(std::get<std::string>(field("order").get(&spec)) == "nearest");
  CHECK(field("order").choices == std::vector<std::string>{"oldest", "nearest"});
  CHECK_THROWS_AS(field("order").set(&spec, std::string{"newest"}), InternalError);
}

TEST_CASE("FieldList: a list of choices is a list of an enum's values in the Spec") {
  using Texts = std::vector<std::string>;
  QueueSpec spec;
  CHECK(std::get<Texts>(field("turns").get(&spec)) == Texts{"nearest"});
  field("turns").set(&spec, Texts{"nearest", "oldest"});
  CHECK(spec.turns == std::vector{Order::nearest, Order::oldest});
  CHECK(std::get<Texts>(field("turns").get(&spec)) == Texts{"nearest", "oldest"});
  CHECK(field("turns").type == FieldType::text_list);
  CHECK_THROWS_AS(field("turns").set(&spec, Texts{"newest"}), InternalError);
}

TEST_CASE("FieldList: a base class's fields read and fill the derived Spec") {
  QueueSpec spec;
  field("depth").set(&spec, std::int64_t{7});
  CHECK(spec.depth == 7);
  CHECK(std::get<std::int64_t>(field("depth").get(&spec)) == 7);
}

TEST_CASE("spec_from: fills what is given, in the member's units, and leaves the rest") {
  const auto spec = spec_from<QueueSpec>({{"delay_ns", 1.5}, {"depth", std::int64_t{4}}});
  CHECK(spec.delay == 1500_ps);
  CHECK(spec.depth == 4);
  CHECK(spec.rate == Bandwidth::gbs(64.0));
}
