#include "kbsim/app/result_row.hpp"

#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace kbsim::app {

ResultRow::ResultRow() : object_{std::make_unique<boost::json::object>()} {}
ResultRow::ResultRow(const ResultRow& other)
    : object_{std::make_unique<boost::json::object>(*other.object_)} {}
ResultRow::ResultRow(ResultRow&& other) noexcept : ResultRow{} { object_.swap(other.object_); }
ResultRow& ResultRow::operator=(const ResultRow& other) {
  *object_ = *other.object_;
  return *this;
}
ResultRow& ResultRow::operator=(ResultRow&& other) noexcept {
  object_.swap(other.object_);
  return *this;
}
ResultRow& ResultRow::operator=(boost::json::object row) {
  *object_ = std::move(row);
  return *this;
}
ResultRow::~ResultRow() = default;

boost::json::value& ResultRow::operator[](std::string_view key) { return (*object_)[key]; }
bool ResultRow::empty() const { return object_->empty(); }

}  // namespace kbsim::app
