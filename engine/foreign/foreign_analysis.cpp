#include "engine/foreign/foreign_analysis.h"

#include <sys/stat.h>

#include <charconv>
#include <string>

#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/foreign/file_table.h"
#include "engine/foreign/foreign_options.h"
#include "engine/foreign/remote_relation.h"
#include "engine/foreign/remote_table.h"
#include "engine/session/session_parts.h"
#include "types/function/context.h"
#include "types/io/record.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

enum class Wrapper : uint8_t { kFile, kRemote, kOther };

Wrapper wrapper_of(SessionParts& session, const catalog::RelationInfo& relation) {
  const auto handler = session.session_catalog().function(relation.foreign->handler);
  if (handler == nullptr || handler->language != "c") return Wrapper::kOther;
  if (handler->source == "file_fdw_handler") return Wrapper::kFile;
  return handler->source == "postgres_fdw_handler" ? Wrapper::kRemote : Wrapper::kOther;
}

Result<std::unique_ptr<types::SetProducer>> open_rows(SessionParts& session,
                                                      const std::shared_ptr<const catalog::RelationInfo>& relation) {
  if (wrapper_of(session, *relation) == Wrapper::kFile) return open_file_table(session, relation);
  RemoteQuery query;
  query.role = relation->owner;
  return open_remote_table(session, relation, query);
}

}  // namespace

Result<bool> analyzes_foreign_table(SessionParts& session, const catalog::RelationInfo& relation) {
  INDIGO_TRY(catalog::check_reachable(relation));
  const Wrapper wrapper = wrapper_of(session, relation);
  if (wrapper == Wrapper::kRemote) return true;
  return wrapper == Wrapper::kFile && find_option(split_options(relation.foreign->options), "filename") != nullptr;
}

Status read_foreign_table(SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation,
                          const std::function<Status(Bytes image)>& visit) {
  constexpr uint32_t kRowsAtOnce = 256;
  INDIGO_ASSIGN(const auto rows, open_rows(session, relation));
  std::string image;
  for (uint32_t n = kRowsAtOnce; n > 0;) {
    types::FuncContext context(session.context());
    Arena arena;
    context.set_arena(&arena);
    Vector records(Phys::kStr, kRowsAtOnce);
    n = rows->next(context, {&records, 1}, kRowsAtOnce);
    if (context.failed()) return context.take_error();
    for (uint32_t r = 0; r < n; r++) {
      const types::RecordFields fields = types::read_record(records.datum(r).str);
      std::vector<Datum> values;
      for (size_t c = 0, live = 0; c < relation->columns.size(); c++) {
        const bool dropped = relation->columns[c].dropped || live == fields.values.size();
        values.push_back(dropped ? Datum::make_null(relation->layout.phys(c)) : fields.values[live++]);
      }
      relation->layout.encode(values, image);
      INDIGO_TRY(visit(image));
    }
  }
  return {};
}

Result<uint64_t> foreign_table_size(SessionParts& session,
                                    const std::shared_ptr<const catalog::RelationInfo>& relation) {
  if (wrapper_of(session, *relation) == Wrapper::kFile) {
    const auto options = split_options(relation->foreign->options);
    const std::string* name = find_option(options, "filename");
    struct stat file = {};
    const bool known = name != nullptr && stat(name->c_str(), &file) == 0;
    return known ? static_cast<uint64_t>(file.st_size) : 0;
  }
  const std::string table = RemoteRelation(session, relation).table();
  INDIGO_ASSIGN(const auto rows, ask_foreign_server(session, relation->foreign->server, relation->owner,
                                                    "SELECT pg_catalog.pg_relation_size(" +
                                                        types::quote_literal(table) + "::pg_catalog.regclass)"));
  uint64_t bytes = 0;
  if (rows.empty() || rows[0].empty() || !rows[0][0]) return bytes;
  const std::string& text = *rows[0][0];
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  return bytes;
}

}  // namespace indigo::engine
