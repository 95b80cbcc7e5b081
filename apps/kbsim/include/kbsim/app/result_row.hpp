#pragma once

#include <memory>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace kbsim::app {

/// The keys and values of a bench's results. A file that sets them includes <boost/json/object.hpp>, which
/// other benches' files compile without.
class ResultRow {
 public:
  ResultRow();
  ResultRow(const ResultRow& other);
  ResultRow(ResultRow&& other) noexcept;
  ResultRow& operator=(const ResultRow& other);
  ResultRow& operator=(ResultRow&& other) noexcept;
  ResultRow& operator=(boost::json::object row);
  ~ResultRow();

  [[nodiscard]] boost::json::value& operator[](std::string_view key);
  [[nodiscard]] const boost::json::object& object() const { return *object_; }
  [[nodiscard]] bool empty() const;

 private:
  std::unique_ptr<boost::json::object> object_;  // never null
};

}  // namespace kbsim::app
