#include "sql/parse/option_value.h"

#include "base/sqlstate.h"
#include "sql/parse/node.h"
#include "types/text/ascii.h"

namespace indigo::sql {

std::string option_text(const PgQuery__Node* value) {
  if (absent(value)) return {};
  switch (value->node_case) {
    case PG_QUERY__NODE__NODE_STRING: return value->string->sval;
    case PG_QUERY__NODE__NODE_INTEGER: return std::to_string(value->integer->ival);
    case PG_QUERY__NODE__NODE_FLOAT: return value->float_->fval;
    case PG_QUERY__NODE__NODE_BOOLEAN: return value->boolean->boolval ? "true" : "false";
    case PG_QUERY__NODE__NODE_TYPE_NAME:
      return name_list_text(nodes(value->type_name->n_names, value->type_name->names));
    default: return {};
  }
}

Result<bool> option_boolean(const PgQuery__DefElem& option) {
  if (absent(option.arg)) return true;
  const std::string text = types::to_lower(option_text(option.arg));
  if (text == "true" || text == "on" || text == "1") return true;
  if (text == "false" || text == "off" || text == "0") return false;
  return Error(sqlstate::kSyntaxError, std::string(option.defname) + " requires a Boolean value");
}

}  // namespace indigo::sql
