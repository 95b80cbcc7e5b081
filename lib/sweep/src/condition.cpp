#include "kbsim/sweep/condition.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/names.hpp"
#include "kbsim/sweep/axis.hpp"

namespace kbsim::sweep {
namespace {

using Evaluate = Condition::Evaluate;
using Values = std::vector<Term>;

double number_of(const Term& term) {
  if (const double* number = std::get_if<double>(&term)) return *number;
  throw UsageError{fmt::format("'{}' is no number", std::get<std::string>(term))};
}

double divisor_of(const Term& term) {
  const double number = number_of(term);
  if (number == 0.0) throw UsageError{"division by 0; what must not be 0 is asked before, by `and`"};
  return number;
}

Term truth(bool holds) { return holds ? 1.0 : 0.0; }
bool is_true(const Term& term) { return number_of(term) != 0.0; }

using Operation = Term (*)(const Term&, const Term&);
struct Operator {
  std::string_view sign;
  Operation apply;
};

// Longer operators come before their own prefixes.
constexpr std::array<Operator, 6> kComparisons{
    {{"==", [](const Term& a, const Term& b) { return truth(a == b); }},
     {"!=", [](const Term& a, const Term& b) { return truth(a != b); }},
     {"<=", [](const Term& a, const Term& b) { return truth(number_of(a) <= number_of(b)); }},
     {">=", [](const Term& a, const Term& b) { return truth(number_of(a) >= number_of(b)); }},
     {"<", [](const Term& a, const Term& b) { return truth(number_of(a) < number_of(b)); }},
     {">", [](const Term& a, const Term& b) { return truth(number_of(a) > number_of(b)); }}}};
constexpr std::array<Operator, 2> kSums{
    {{"+", [](const Term& a, const Term& b) -> Term { return number_of(a) + number_of(b); }},
     {"-", [](const Term& a, const Term& b) -> Term { return number_of(a) - number_of(b); }}}};
constexpr std::array<Operator, 3> kProducts{
    {{"*", [](const Term& a, const Term& b) -> Term { return number_of(a) * number_of(b); }},
     {"/", [](const Term& a, const Term& b) -> Term { return number_of(a) / divisor_of(b); }},
     {"%", [](const Term& a, const Term& b) -> Term { return std::fmod(number_of(a), divisor_of(b)); }}}};

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Recursive descent; each level binds tighter than the one that calls it.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& axes)
      : whole_{text}, rest_{text}, axes_{axes} {}

  Evaluate parse() {
    if (whole_.size() > kLongest)
      throw UsageError{fmt::format("a condition of more than {} characters", kLongest)};
    Evaluate all = either();
    skip();
    if (rest_.starts_with('=')) fail("unexpected '=', expected ==, which compares");
    if (!rest_.empty()) fail(fmt::format("unexpected '{}'", rest_));
    if (!names_axis_) fail("it names no axis, and holds for all points or none");
    return all;
  }

 private:
  static constexpr int kDeepest = 200;
  static constexpr std::size_t kLongest = 4096;

  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError{fmt::format("'{}': {}", whole_, why)};
  }

  void skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    const bool word = std::isalpha(static_cast<unsigned char>(sign.front())) != 0;
    if (word && rest_.size() > sign.size() && is_of_name(rest_[sign.size()])) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  Evaluate either() {
    Evaluate left = both();
    while (take("or") || take("||")) {
      left = [left, right = both()](const Values& v) { return truth(is_true(left(v)) || is_true(right(v))); };
    }
    return left;
  }
  Evaluate both() {
    Evaluate left = negation();
    while (take("and") || take("&&")) {
      left = [left, right = negation()](const Values& v) {
        return truth(is_true(left(v)) && is_true(right(v)));
      };
    }
    return left;
  }
  Evaluate negation() {
    skip();
    const bool sign = rest_.starts_with('!') && !rest_.starts_with("!=");
    if (!take("not") && !(sign && take("!"))) return comparison();
    const Depth deeper{*this};
    return [inner = negation()](const Values& v) { return truth(!is_true(inner(v))); };
  }
  Evaluate comparison() {
    Evaluate left = sum();
    for (const Operator& each : kComparisons) {
      if (take(each.sign)) return joined(left, each.apply, sum());
    }
    return left;
  }
  Evaluate sum() {
    Evaluate left = product();
    for (const Operator* op = taken(kSums); op != nullptr; op = taken(kSums))
      left = joined(left, op->apply, product());
    return left;
  }
  Evaluate product() {
    Evaluate left = atom();
    for (const Operator* op = taken(kProducts); op != nullptr; op = taken(kProducts))
      left = joined(left, op->apply, atom());
    return left;
  }
  Evaluate atom() {
    const Depth deeper{*this};
    if (take("(")) {
      Evaluate inner = either();
      if (!take(")")) fail("a ')' is missing");
      return inner;
    }
    if (take("-")) {
      return [inner = atom()](const Values& v) -> Term { return -number_of(inner(v)); };
    }
    skip();
    if (rest_.starts_with('\'') || rest_.starts_with('"')) return quoted();
    return name_or_number();
  }

  Evaluate quoted() {
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("a quote isn't closed");
    std::string text{rest_.substr(1, end - 1)};
    rest_.remove_prefix(end + 1);
    return [term = term_of(text)](const Values&) { return term; };
  }
  // Names of options have dashes: the longest axis that the text begins with is meant.
  Evaluate name_or_number() {
    const std::string* longest = nullptr;
    for (const std::string& axis : axes_) {
      const bool whole =
          rest_.size() == axis.size() || (rest_.size() > axis.size() && !is_of_name(rest_[axis.size()]));
      if (rest_.starts_with(axis) && whole && (longest == nullptr || axis.size() > longest->size()))
        longest = &axis;
    }
    if (longest != nullptr) {
      names_axis_ = true;
      rest_.remove_prefix(longest->size());
      return [i = static_cast<std::size_t>(longest - axes_.data())](const Values& v) { return v[i]; };
    }
    const auto* end = std::ranges::find_if_not(rest_, is_of_name);
    const std::string word{rest_.begin(), end};
    if (word.empty()) fail(rest_.empty() ? "it ends too early" : fmt::format("unexpected '{}'", rest_));
    double number = 0.0;
    if (!read_number(word, &number))
      fail(fmt::format("no axis is called '{}'{}; a text has quotes", word, name_hint(word, axes_)));
    rest_.remove_prefix(word.size());
    return [number](const Values&) -> Term { return number; };
  }

  template <std::size_t N>
  const Operator* taken(const std::array<Operator, N>& operators) {
    const auto* found = std::ranges::find_if(operators, [this](const Operator& op) { return take(op.sign); });
    return found == operators.end() ? nullptr : found;
  }
  static Evaluate joined(Evaluate left, Operation apply, Evaluate right) {
    return [left = std::move(left), apply, right = std::move(right)](const Values& v) {
      return apply(left(v), right(v));
    };
  }

  struct Depth {
    explicit Depth(Parser& parser) : parser_{parser} {
      if (++parser_.depth_ > kDeepest) parser_.fail("it is nested too deeply");
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser_;
  };

  std::string_view whole_;
  std::string_view rest_;
  const std::vector<std::string>& axes_;
  bool names_axis_ = false;
  int depth_ = 0;
};

}  // namespace

Term term_of(const std::string& value) {
  double number = 0.0;
  if (read_number(value, &number)) return number;
  return value;
}

Condition::Condition(std::string text, const std::vector<std::string>& axes)
    : text_{std::move(text)}, evaluate_{Parser{text_, axes}.parse()} {}

bool Condition::holds(const std::vector<Term>& values) const {
  try {
    return is_true(evaluate_(values));
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("'{}': {}", text_, error.what())};
  }
}

}  // namespace kbsim::sweep
