#include "engine/ddl/foreign/foreign_options.h"

#include <algorithm>

#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_foreign_data_wrapper = catalog::pg_foreign_data_wrapper;

Status validate(DdlContext& c, Oid validator, const ForeignOptions& options, Oid class_id) {
  if (validator == kInvalidOid) return {};
  const auto function = c.catalog.function(validator);
  if (function == nullptr) {
    return Error(sqlstate::kUndefinedFunction, "function " + std::to_string(validator) + " does not exist");
  }
  std::string list;
  for (const std::string& option : options) list += (list.empty() ? "" : ", ") + literal(option);
  const std::string sql = "select " + qualified(c.catalog.schema_name(function->schema), function->name) + "(array[" +
                          list + "]::pg_catalog.text[], '" + std::to_string(class_id) + "'::pg_catalog.oid)";
  return c.host.run_query(sql, [](const ResultShape&, const Chunk&) { return Status(); });
}

}  // namespace

Result<ForeignOptions> changed_options(DdlContext& c, ForeignOptions options, NodeList changes, Oid validator,
                                       Oid class_id) {
  struct Named {
    std::string name, value;
  };
  std::vector<Named> all;
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    all.push_back({option.substr(0, equals), equals == std::string::npos ? "" : option.substr(equals + 1)});
  }
  for (const PgQuery__Node* node : changes) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view name = d.defname;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
    const bool drop = d.defaction == PG_QUERY__DEF_ELEM_ACTION__DEFELEM_DROP;
    const bool set = d.defaction == PG_QUERY__DEF_ELEM_ACTION__DEFELEM_SET;
    if ((drop || set) && found == all.end())
      return Error(sqlstate::kUndefinedObject, "option " + quoted(name) + " not found");
    if (drop) {
      all.erase(found);
    } else if (set) {
      found->value = text_value(d.arg);
    } else if (found != all.end()) {
      return Error(sqlstate::kDuplicateObject, "option " + quoted(name) + " provided more than once");
    } else {
      all.push_back({std::string(name), text_value(d.arg)});
    }
  }
  options.clear();
  for (const Named& n : all) {
    // It would be read as another name and value.
    if (n.name.find('=') != std::string::npos) {
      return Error(sqlstate::kInvalidParameterValue,
                   "invalid option name " + quoted(n.name) + ": must not contain \"=\"");
    }
    options.push_back(n.name + "=" + n.value);
  }
  INDIGO_TRY(validate(c, validator, options, class_id));
  return options;
}

ForeignOptions read_options(const RowReader& row, int column) {
  return row.is_null(column) ? ForeignOptions() : read_texts(row.str(column));
}

void write_options(RowValues& row, int column, const ForeignOptions& options) {
  if (options.empty()) {
    row.set_null(column);
  } else {
    row.texts(column, options);
  }
}

Oid validator_of_wrapper(DdlContext& c, Oid wrapper) {
  std::string image;
  const SystemTable& t = table(c, pg_foreign_data_wrapper::kOid);
  if (!t.find_oid(c.txn, wrapper, image)) return kInvalidOid;
  return t.reader(image).oid(pg_foreign_data_wrapper::c_fdwvalidator);
}

Oid validator_of_server(DdlContext& c, Oid server) {
  namespace pg_foreign_server = catalog::pg_foreign_server;
  std::string image;
  const SystemTable& t = table(c, pg_foreign_server::kOid);
  if (!t.find_oid(c.txn, server, image)) return kInvalidOid;
  return validator_of_wrapper(c, t.reader(image).oid(pg_foreign_server::c_srvfdw));
}

}  // namespace indigo::engine::ddl
