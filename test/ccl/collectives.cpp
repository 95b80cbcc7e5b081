#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/ccl/collective_table.hpp"

using namespace kbsim;
using namespace kbsim::ccl;
using config::Collective;

namespace {

constexpr int kRanks = 3;

// Final contents of rank `rank`, with sums as the reduction; rank r begins with 100 r + i at element i.
std::vector<double> result(Collective which, int rank, std::int64_t n_elem) {
  const CollectiveInputs inputs{
      .ranks = kRanks,
      .n_elem = n_elem,
      .root = 1,
      .in = [](int r, std::int64_t i) { return 100.0 * r + static_cast<double>(i); },
      .combined = [](std::int64_t i) { return 300.0 + 3.0 * static_cast<double>(i); }};
  std::vector<double> all;
  for (std::int64_t i = 0; i < collective(which).out_elems(n_elem, kRanks); ++i)
    all.push_back(collective(which).reference(inputs, rank, i));
  return all;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("Collectives: each has a row with a sentence, a definition, and a call that is its own") {
  std::set<std::string_view> calls;
  for (const auto& [name, row] : collectives().entries()) {
    CAPTURE(name);
    CHECK(!row.doc.empty());
    CHECK(calls.insert(row.call).second);
    const bool has_reference = row.reference != nullptr;
    CHECK(has_reference);
    if (row.in_place) CHECK(row.in == row.out);
  }
}

TEST_CASE("Collectives: kbsim's own have rows of their names; another name is refused, with the nearest") {
  for (const Collective which :
       {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::broadcast,
        Collective::reduce, Collective::all_to_all, Collective::sendrecv})
    CHECK(collectives().has(to_string(which)));
  CHECK(Collective{std::string{"all_"} + "reduce"} == Collective::all_reduce);
  CHECK_THROWS_WITH_AS((void)collective("all_redcue"),
                       "unknown collective 'all_redcue', did you mean 'all_reduce'?", UsageError);
  CHECK_THROWS_AS((void)collective(Collective{"ALL_REDUCE"}), UsageError);
}

TEST_CASE("Collectives in place: what each of three ranks ends with") {
  for (const int rank : {0, 1, 2}) {
    CAPTURE(rank);
    CHECK(result(Collective::all_reduce, rank, 2) == Numbers{300, 303});
    CHECK(result(Collective::broadcast, rank, 2) == Numbers{100, 101});
  }
  CHECK(result(Collective::reduce, 0, 2) == Numbers{0, 1});
  CHECK(result(Collective::reduce, 1, 2) == Numbers{300, 303});
  CHECK(result(Collective::reduce, 2, 2) == Numbers{200, 201});
  CHECK(result(Collective::sendrecv, 0, 2) == Numbers{200, 201});
  CHECK(result(Collective::sendrecv, 1, 2) == Numbers{0, 1});
}

TEST_CASE("Collectives with an output: what each of three ranks ends with") {
  for (const int rank : {0, 1, 2})
    CHECK(result(Collective::all_gather, rank, 2) == Numbers{0, 1, 100, 101, 200, 201});
  CHECK(result(Collective::reduce_scatter, 0, 6) == Numbers{300, 303});
  CHECK(result(Collective::reduce_scatter, 2, 6) == Numbers{312, 315});
  CHECK(result(Collective::all_to_all, 0, 6) == Numbers{0, 1, 100, 101, 200, 201});
  CHECK(result(Collective::all_to_all, 2, 6) == Numbers{4, 5, 104, 105, 204, 205});
}

TEST_CASE("Collectives: bus factors are nccl-tests'") {
  for (const int n : {1, 2, 3, 16}) {
    CAPTURE(n);
    const auto factor = [n](Collective which) { return collective(which).bus_factor(n); };
    const double others = (n - 1.0) / n;
    CHECK(factor(Collective::all_reduce) == 2.0 * others);
    for (const Collective which :
         {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all})
      CHECK(factor(which) == others);
    for (const Collective which : {Collective::broadcast, Collective::reduce, Collective::sendrecv})
      CHECK(factor(which) == 1.0);
  }
}
