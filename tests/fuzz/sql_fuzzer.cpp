// Any bytes as SQL: parsed, analyzed and described as a prepared statement, and planned by EXPLAIN. Nothing is executed.
#include <cstdint>

#include "tests/fuzz/embedded_session.h"

namespace {

constexpr const char* kSetup =
    "create table t (a int primary key, b text not null, c numeric(10,2)[], d jsonb, e timestamptz default now());"
    "create table u (a int references t, b varchar(5), f float8, unique (a, b));"
    "create index on u (f desc);"
    "create view v as select t.a, count(*) as n from t left join u using (a) group by t.a;"
    "create type mood as enum ('sad', 'happy');"
    "create sequence s";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* embedded = new indigo::fuzz::EmbeddedSession(kSetup);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('\0') != text.npos) return 0;  // the protocol ends a text there
  auto& session = embedded->session();
  auto& sink = embedded->sink();
  indigo::Status parsed = session.parse("p", text, {}, sink);
  if (parsed.ok()) parsed = session.describe_statement("p", sink);
  if (!parsed.ok()) {
    sink.error(parsed.error());
    session.fail_transaction();
  }
  if (!session.close_statement("p").ok()) abort();
  (void)session.sync(sink);
  // EXPLAIN takes one statement; another behind it would be executed.
  if (text.find(';') == text.npos && text.find("ANALYZE") == text.npos && text.find("analyze") == text.npos &&
      text.find("Analyze") == text.npos)
    embedded->run("explain (verbose, costs off) " + std::string(text));
  if (session.transaction_status() != 'I') abort();
  return 0;
}
