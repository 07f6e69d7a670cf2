// Any bytes as COPY's input, in every format and in pieces of any size: rows, or an error, and nothing left behind.
// The first bytes choose the format, the piece size and the options.
#include <cstdint>

#include "tests/fuzz/embedded_session.h"

namespace {

constexpr const char* kSetup =
    "create table t (i int, t text, n numeric, at timestamptz, l int[], j jsonb, b bool, y bytea, v interval, f float8,"
    " r varchar(5))";

constexpr const char* kCopies[] = {
    "copy t from stdin",
    "copy t from stdin (format csv)",
    "copy t from stdin (format binary)",
    "copy t (t) from stdin",
    "copy t (t, y) from stdin (format csv, header, quote '''', escape '\\', delimiter '|', null 'none')",
    "copy t (t, y) from stdin (format binary)",
    "copy t (t, l) from stdin (delimiter ';', null '')",
    "copy t (t) from stdin (format csv, force_not_null (t))",
    "copy t (i, f) from stdin (format csv, force_null (i), header match)",
    "copy t (i, n, at, l, j, v) from stdin (format binary)",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* embedded = new indigo::fuzz::EmbeddedSession(kSetup);
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  embedded->run("begin");
  embedded->sink().set_copy_input(bytes, data[1] == 0 ? bytes.size() + 1 : data[1]);
  embedded->run(kCopies[data[0] % std::size(kCopies)]);
  embedded->run("select t.*, t::text from t");
  embedded->run("rollback");
  if (embedded->session().transaction_status() != 'I') abort();
  return 0;
}
