// Tables, queries, cursors, schemas and the database as XML, and their XML Schema: table_to_xml and its kin.
#include <optional>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/programs/nested_statement.h"
#include "engine/session/portal/portal.h"
#include "engine/session/portal/portals.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_runner.h"
#include "engine/system/families.h"
#include "engine/system/xml_schema.h"
#include "types/function/context.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_value.h"

namespace indigo::engine {

namespace {

using namespace xml_mapping;  // NOLINT(google-build-using-namespace): this is its other half
using Arguments = std::span<const Datum>;
using Answer = Result<OwnedDatum>;
using Row = std::function<Status(std::span<const Datum>)>;

Form form_of(Arguments arguments) {
  const size_t n = arguments.size();
  return {arguments[n - 3].b, arguments[n - 2].b, std::string(arguments[n - 1].str)};
}

Error in_query(Error error, std::string_view text) {
  if (error.position > 0 && error.internal_query.empty()) {
    error.internal_query = text;
    error.internal_position = std::exchange(error.position, 0);
  }
  return error;
}

// ---- queries

Columns columns_of(SessionParts& session, programs::NestedStatement& statement) {
  const auto& known = statement.columns(session);
  return {{known->types.begin(), known->types.end()}, known->names};
}

// The last statement of the text; the others run before it.
struct Query {
  std::vector<std::shared_ptr<const ParsedStatement>> statements;
  std::string text;
};
Result<Query> parse(std::string text) {
  auto parsed = programs::parse_statements(text, nullptr);
  if (!parsed) return in_query(parsed.error(), text);
  return Query{std::move(*parsed), std::move(text)};
}

Status run_rows(SessionParts& session, programs::NestedStatement& statement, const Row& row, bool may_change = false) {
  INDIGO_TRY(statement.run(session, {}, may_change, 0, [&](const Chunk& chunk) -> Result<bool> {
    std::vector<Datum> values(chunk.columns.size());
    for (uint32_t i = 0; i < chunk.rows(); i++) {
      for (size_t c = 0; c < values.size(); c++) values[c] = chunk.columns[c].datum(chunk.selection[i]);
      INDIGO_TRY(row(values));
    }
    return true;
  }));
  return {};
}

enum class Rights : uint8_t { kNone, kOfQuery };

// The columns of a query that is not run, but with `kOfQuery` might be.
Result<Columns> describe(SessionParts& session, std::string text, Rights needed) {
  INDIGO_ASSIGN(const Query query, parse(std::move(text)));
  if (query.statements.size() != 1) {
    return Error(SqlState("42P11"), "cannot open multi-query plan as cursor");
  }
  programs::NestedStatement statement(query.statements[0]);
  if (const Status status = statement.prepare(session); !status.ok()) return in_query(status.error(), query.text);
  if (!statement.returns_rows()) return Error(SqlState("42P11"), "cannot open this query as cursor");
  if (needed == Rights::kOfQuery) INDIGO_TRY(session.runner().check_rights(statement.prepared()));
  return columns_of(session, statement);
}

// Rows of a query of the catalog's: its first column, as text.
Result<std::vector<std::string>> names(SessionParts& session, const std::string& text) {
  INDIGO_ASSIGN(const Query query, parse(text));
  std::vector<std::string> out;
  programs::NestedStatement statement(query.statements[0]);
  INDIGO_TRY(statement.prepare(session));
  INDIGO_TRY(run_rows(session, statement, [&](std::span<const Datum> values) -> Status {
    out.emplace_back(values[0].str);
    return {};
  }));
  return out;
}

constexpr const char* kSchemas =
    "select nspname::text from pg_catalog.pg_namespace where pg_catalog.has_schema_privilege(oid, 'USAGE')"
    " and nspname !~ '^pg_' and nspname <> 'information_schema' order by nspname";

Result<std::vector<std::string>> tables_of(SessionParts& session, const std::string& schema) {
  return names(
      session,
      "select relname::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace"
      " where nspname = " +
          types::quote_literal(schema) +
          " and relkind in ('r', 'm', 'v') and pg_catalog.has_table_privilege(c.oid, 'SELECT') order by relname");
}

std::string all_of(const TableName& name) {
  return "select * from " + types::quote_identifier(name.schema) + "." + types::quote_identifier(name.table);
}

// ---- rows as elements

class Writer {
 public:
  Writer(SessionParts& session, const Form& form, bool top) : context_(session.context()), form_(form), top_(top) {}

  void begin(const std::string& name, const std::string* schema = nullptr) {
    out_ += "<" + name;
    note_work(4 * form_.space.size());
    if (top_) {
      out_ += " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
      if (!form_.space.empty()) out_ += " xmlns=\"" + form_.space + "\"";
    }
    if (schema != nullptr) {
      out_ += form_.space.empty() ? " xsi:noNamespaceSchemaLocation=\"#\""
                                  : " xsi:schemaLocation=\"" + form_.space + " #\"";
    }
    out_ += ">\n";
  }
  void end(const std::string& name) { out_ += "</" + name + ">\n"; }
  void text(std::string_view text) { out_ += text; }

  // `name`: of the element around it, in a forest.
  Status row(const Columns& columns, std::span<const Datum> values, const std::string& name) {
    Arena arena;
    context_.set_arena(&arena);
    if (form_.forest) {
      begin(name);
    } else {
      out_ += "<row>\n";
    }
    for (size_t i = 0; i < values.size(); i++) {
      const std::string column = types::xml_name_of(columns.names[i], true, false);
      if (values[i].null) {
        if (form_.nulls) out_ += "  <" + column + " xsi:nil=\"true\"/>\n";
        continue;
      }
      out_ += "  <" + column + ">";
      types::append_xml_value(context_, columns.types[i], values[i], true, out_);
      if (context_.failed()) return context_.take_error();
      out_ += "</" + column + ">\n";
    }
    if (form_.forest) {
      end(name);
      out_ += "\n";
    } else {
      out_ += "</row>\n\n";
    }
    return types::check_xml_memory(out_.size());
  }

  const std::string& out() const { return out_; }

 private:
  types::FuncContext context_;
  const Form& form_;
  const bool top_;  // whether what it writes stands alone
  std::string out_;
};

// `table`: empty for queries. `schema`: null for none.
Result<std::string> query_rows(SessionParts& session, std::string text, const std::string& table,
                               const std::string* schema, const Form& form, bool top) {
  INDIGO_ASSIGN(const Query query, parse(std::move(text)));
  Writer writer(session, form, top);
  const std::string around = table.empty() ? "table" : types::xml_name_of(table, true, false);
  const std::string each = table.empty() ? "row" : around;
  bool selected = false;
  std::optional<Writer> rows;
  for (const auto& one : query.statements) {
    programs::NestedStatement statement(one);
    if (const Status status = statement.prepare(session); !status.ok()) return in_query(status.error(), query.text);
    selected = !statement.is_utility() && statement.returns_rows();
    rows.emplace(session, form, top);
    const Columns columns = selected ? columns_of(session, statement) : Columns();
    INDIGO_TRY(run_rows(session, statement, [&](std::span<const Datum> values) -> Status {
      return selected ? rows->row(columns, values, each) : Status();
    }));
  }
  if (!selected) return Error(sqlstate::kDataException, "invalid query");
  if (!form.forest) {
    writer.begin(around, schema);
    writer.text("\n");
  }
  if (schema != nullptr) writer.text(*schema + "\n\n");
  writer.text(rows->out());
  if (!form.forest) writer.end(around);
  return writer.out();
}

// ---- the functions

// The relation that a regclass stands for; an error when it is gone.
Result<TableName> table_named(SessionParts& session, Oid relation) {
  INDIGO_ASSIGN(const auto schema,
                names(session,
                      "select nspname::text from pg_catalog.pg_class c join pg_catalog.pg_namespace n"
                      " on n.oid = relnamespace where c.oid = " +
                          std::to_string(relation)));
  INDIGO_ASSIGN(const auto table, names(session, "select relname::text from pg_catalog.pg_class where oid = " +
                                                     std::to_string(relation)));
  if (schema.empty() || table.empty()) {
    return Error(sqlstate::kUndefinedTable, "could not open relation with OID " + std::to_string(relation));
  }
  return TableName{schema[0], table[0]};
}

Answer answer(Result<std::string> text) {
  if (!text.ok()) return text.take_error();
  return OwnedDatum(text_datum(*text));
}

enum class What : uint8_t { kRows, kSchema, kBoth };

template <What what>
Answer table_to_xml(SessionParts& session, Arguments arguments) {
  const Form form = form_of(arguments);
  const Oid relation = arguments[0].oid();
  const auto found = table_named(session, relation);
  if (!found.ok()) {
    if constexpr (what != What::kRows) return found.error();
    // What PostgreSQL runs, too: a regclass without a relation is no name.
    return answer(query_rows(session, "SELECT * FROM " + (relation == 0 ? "-" : std::to_string(relation)), {}, nullptr,
                             form, true));
  }
  const TableName& name = *found;
  std::string schema;
  if constexpr (what != What::kRows) {
    INDIGO_ASSIGN(const Columns columns, describe(session, all_of(name), Rights::kNone));
    schema = table_schema(session, columns, name, form);
  }
  if constexpr (what == What::kSchema) return answer(schema);
  return answer(query_rows(session, all_of(name), name.table, what == What::kBoth ? &schema : nullptr, form, true));
}

template <What what>
Answer query_to_xml(SessionParts& session, Arguments arguments) {
  const Form form = form_of(arguments);
  std::string schema;
  if constexpr (what != What::kRows) {
    INDIGO_ASSIGN(const Columns columns, describe(session, std::string(arguments[0].str), Rights::kOfQuery));
    schema = table_schema(session, columns, {}, form);
  }
  if constexpr (what == What::kSchema) return answer(schema);
  return answer(
      query_rows(session, std::string(arguments[0].str), {}, what == What::kBoth ? &schema : nullptr, form, true));
}

Result<Columns> cursor_columns(SessionParts& session, std::string_view name) {
  Portal* const portal = session.portals().find(name);
  if (portal == nullptr) {
    return Error(sqlstate::kInvalidCursorName, "cursor \"" + std::string(name) + "\" does not exist");
  }
  Columns out;
  if (portal->prepared != nullptr && portal->prepared->plan != nullptr) {
    const sql::PlannedStatement& plan = *portal->prepared->plan;
    for (size_t i = 0; i < plan.targets.size(); i++) {
      out.types.push_back(plan.root->columns[i].type);
      out.names.push_back(plan.targets[i].name);
    }
  } else if (portal->shape == nullptr) {
    return Error(SqlState("24000"), "portal \"" + std::string(name) + "\" does not return tuples");
  }
  return out;
}

Answer cursor_to_xml(SessionParts& session, Arguments arguments) {
  const Form form = form_of(arguments);
  const std::string name(arguments[0].str);
  INDIGO_ASSIGN(const Columns columns, cursor_columns(session, name));
  const int32_t count = arguments[1].i32;
  Writer writer(session, form, true);
  if (!form.forest) {
    writer.begin("table");
    writer.text("\n");
  }
  INDIGO_ASSIGN(const Query query,
                parse("fetch forward " + std::to_string(count) + " from " + types::quote_identifier(name)));
  programs::NestedStatement statement(query.statements[0]);
  INDIGO_TRY(statement.prepare(session));
  INDIGO_TRY(run_rows(
      session, statement, [&](std::span<const Datum> values) { return writer.row(columns, values, "row"); }, true));
  if (!form.forest) writer.end("table");
  return answer(writer.out());
}

Answer cursor_to_xmlschema(SessionParts& session, Arguments arguments) {
  INDIGO_ASSIGN(const Columns columns, cursor_columns(session, arguments[0].str));
  return answer(table_schema(session, columns, {}, form_of(arguments)));
}

// A schema's tables as elements.
Result<std::string> schema_rows(SessionParts& session, const std::string& name, const std::string* schema,
                                const Form& form, bool top) {
  INDIGO_ASSIGN(const auto tables, tables_of(session, name));
  Writer writer(session, form, top);
  const std::string around = types::xml_name_of(name, true, false);
  writer.begin(around, schema);
  writer.text("\n");
  if (schema != nullptr) writer.text(*schema + "\n\n");
  for (const std::string& table : tables) {
    INDIGO_ASSIGN(const std::string rows, query_rows(session, all_of({name, table}), table, nullptr, form, false));
    writer.text(rows);
    writer.text("\n");
    INDIGO_TRY(types::check_xml_memory(writer.out().size()));
  }
  writer.end(around);
  return writer.out();
}

Status add_columns(SessionParts& session, const std::string& schema, const std::vector<std::string>& tables,
                   std::vector<Columns>& out) {
  for (const std::string& table : tables) {
    INDIGO_ASSIGN(Columns columns, describe(session, all_of({schema, table}), Rights::kNone));
    out.push_back(std::move(columns));
  }
  return {};
}

Result<std::string> schema_of_schema(SessionParts& session, const std::string& name, const Form& form) {
  INDIGO_ASSIGN(const auto tables, tables_of(session, name));
  std::vector<Columns> columns;
  INDIGO_TRY(add_columns(session, name, tables, columns));
  return schema_begin(form) + types_text(session, columns) + schema_element(session, name, tables, form) +
         std::string(kSchemaEnd);
}

template <What what>
Answer schema_to_xml(SessionParts& session, Arguments arguments) {
  const Form form = form_of(arguments);
  const std::string name(arguments[0].str);
  catalog::SessionCatalog& catalog = session.session_catalog();
  const Oid oid = catalog.schema_named(name);
  if (oid == kInvalidOid) return Error(sqlstate::kInvalidSchemaName, "schema \"" + name + "\" does not exist");
  if (!catalog.may_use_schema(oid)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + name);
  }
  std::string schema;
  if constexpr (what != What::kRows) {
    INDIGO_ASSIGN(schema, schema_of_schema(session, name, form));
  }
  if constexpr (what == What::kSchema) return answer(schema);
  return answer(schema_rows(session, name, what == What::kBoth ? &schema : nullptr, form, true));
}

Result<std::string> schema_of_database(SessionParts& session, const Form& form) {
  INDIGO_ASSIGN(const auto schemas, names(session, kSchemas));
  std::vector<Columns> columns;
  for (const std::string& name : schemas) {
    INDIGO_ASSIGN(const auto tables, tables_of(session, name));
    INDIGO_TRY(add_columns(session, name, tables, columns));
  }
  return schema_begin(form) + types_text(session, columns) + database_element(session, schemas) +
         std::string(kSchemaEnd);
}

template <What what>
Answer database_to_xml(SessionParts& session, Arguments arguments) {
  const Form form = form_of(arguments);
  std::string schema;
  if constexpr (what != What::kRows) {
    INDIGO_ASSIGN(schema, schema_of_database(session, form));
  }
  if constexpr (what == What::kSchema) return answer(schema);
  INDIGO_ASSIGN(const auto schemas, names(session, kSchemas));
  Writer writer(session, form, true);
  const std::string around = types::xml_name_of(session.session_catalog().database_name(), true, false);
  writer.begin(around, what == What::kBoth ? &schema : nullptr);
  writer.text("\n");
  if (what == What::kBoth) writer.text(schema + "\n\n");
  for (const std::string& name : schemas) {
    INDIGO_ASSIGN(const std::string rows, schema_rows(session, name, nullptr, form, false));
    writer.text(rows);
    writer.text("\n");
    INDIGO_TRY(types::check_xml_memory(writer.out().size()));
  }
  writer.end(around);
  return answer(writer.out());
}

constexpr SystemValue kXmlMappingValues[] = {
    {"table_to_xml", table_to_xml<What::kRows>},
    {"table_to_xmlschema", table_to_xml<What::kSchema>},
    {"table_to_xml_and_xmlschema", table_to_xml<What::kBoth>},
    {"query_to_xml", query_to_xml<What::kRows>},
    {"query_to_xmlschema", query_to_xml<What::kSchema>},
    {"query_to_xml_and_xmlschema", query_to_xml<What::kBoth>},
    {"cursor_to_xml", cursor_to_xml},
    {"cursor_to_xmlschema", cursor_to_xmlschema},
    {"schema_to_xml", schema_to_xml<What::kRows>},
    {"schema_to_xmlschema", schema_to_xml<What::kSchema>},
    {"schema_to_xml_and_xmlschema", schema_to_xml<What::kBoth>},
    {"database_to_xml", database_to_xml<What::kRows>},
    {"database_to_xmlschema", database_to_xml<What::kSchema>},
    {"database_to_xml_and_xmlschema", database_to_xml<What::kBoth>},
};

}  // namespace

std::span<const SystemValue> xml_mapping_values() { return kXmlMappingValues; }

}  // namespace indigo::engine
