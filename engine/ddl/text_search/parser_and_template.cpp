// CREATE TEXT SEARCH PARSER and TEMPLATE: sets of functions under a name.
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_ts_parser = catalog::pg_ts_parser;
namespace pg_ts_template = catalog::pg_ts_template;

constexpr Oid kInternalType{2281}, kVoidType{2278};

// A function that a parser or template consists of.
struct Method {
  std::string_view option;
  int column;
  std::vector<Oid> arguments;
  Oid result;
  bool required;
};

Status check_superuser(DdlContext& c, const char* what) {
  if (c.catalog.is_superuser(c.catalog.user())) return {};
  return Error(sqlstate::kInsufficientPrivilege, std::string("must be superuser to create text search ") + what);
}

Status read_methods(DdlContext& c, const TextSearchType& type, const std::vector<Method>& methods,
                    const PgQuery__DefineStmt& s, RowValues& row, std::vector<Oid>& functions) {
  for (const Method& method : methods) row.oid(method.column, kInvalidOid);
  for (const PgQuery__Node* node : nodes(s.n_definition, s.definition)) {
    const PgQuery__DefElem& option = *node->def_elem;
    const Method* method = nullptr;
    for (const Method& m : methods)
      if (m.option == option.defname) method = &m;
    if (method == nullptr) {
      return Error(sqlstate::kSyntaxError,
                   std::string(type.words) + " parameter " + quoted(option.defname) + " not recognized");
    }
    const NodeList name = option_name(option);
    INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, name, method->arguments));
    if (function->result != method->result) {
      return Error(sqlstate::kInvalidObjectDefinition,
                   "function " + call_signature(c, sql::name_list_text(name), method->arguments) +
                       " should return type " + type_text(c, {method->result, -1, kInvalidOid}));
    }
    row.oid(method->column, function->oid);
    functions.push_back(function->oid);
  }
  for (const Method& method : methods) {
    if (!method.required || row.get(method.column).oid() != kInvalidOid) continue;
    return Error(sqlstate::kInvalidObjectDefinition,
                 std::string(type.words) + " " + std::string(method.option) + " method is required");
  }
  return {};
}

Status create_of_methods(DdlContext& c, const TextSearchType& type, const std::vector<Method>& methods,
                         const PgQuery__DefineStmt& s) {
  INDIGO_ASSIGN(const NewTextSearchName name, new_text_search_name(c, nodes(s.n_defnames, s.defnames)));
  RowValues row(table(c, type.table).definition());
  std::vector<Oid> functions;
  INDIGO_TRY(read_methods(c, type, methods, s, row, functions));
  const Oid oid = next_oid(c);
  row.oid(0, oid).str(type.name, name.name).oid(type.schema, name.schema);
  INDIGO_TRY(insert_text_search(c, type, row, oid, name.schema));
  for (const Oid function : functions) {
    INDIGO_TRY(record_dependency(c, {type.table, oid, 0}, {pg_proc::kOid, function, 0}, 'n'));
  }
  return {};
}

}  // namespace

Status execute_create_text_search_parser(DdlContext& c, const PgQuery__DefineStmt& s) {
  INDIGO_TRY(check_superuser(c, "parsers"));
  const std::vector<Method> methods = {
      {"start", pg_ts_parser::c_prsstart, {kInternalType, oid::kInt4}, kInternalType, true},
      {"gettoken", pg_ts_parser::c_prstoken, {kInternalType, kInternalType, kInternalType}, kInternalType, true},
      {"end", pg_ts_parser::c_prsend, {kInternalType}, kVoidType, true},
      {"headline", pg_ts_parser::c_prsheadline, {kInternalType, kInternalType, oid::kTsQuery}, kInternalType, false},
      {"lextypes", pg_ts_parser::c_prslextype, {kInternalType}, kInternalType, true},
  };
  return create_of_methods(c, text_search_type(types::TextSearchKind::kParser), methods, s);
}

Status execute_create_text_search_template(DdlContext& c, const PgQuery__DefineStmt& s) {
  INDIGO_TRY(check_superuser(c, "templates"));
  const std::vector<Method> methods = {
      {"init", pg_ts_template::c_tmplinit, {kInternalType}, kInternalType, false},
      {"lexize",
       pg_ts_template::c_tmpllexize,
       {kInternalType, kInternalType, kInternalType, kInternalType},
       kInternalType,
       true},
  };
  return create_of_methods(c, text_search_type(types::TextSearchKind::kTemplate), methods, s);
}

}  // namespace indigo::engine::ddl
