#include "base/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace indigo {

Error::Error(SqlState s, std::string m) : state(s), message(std::move(m)) {}
Error::Error(SqlState s, const char* m) : state(s), message(m) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

void Error::add_context(std::string_view line) {
  if (!where.empty()) where += '\n';
  where += line;
}

Error&& Error::with_detail(std::string d) && {
  detail = std::move(d);
  return std::move(*this);
}

Error&& Error::with_hint(std::string h) && {
  hint = std::move(h);
  return std::move(*this);
}

std::unique_ptr<Error> boxed(Error&& error) { return std::make_unique<Error>(std::move(error)); }

}  // namespace indigo
