// The XML constructs of the grammar: XMLELEMENT, XMLFOREST, XMLCONCAT, XMLPARSE, XMLPI, XMLROOT, IS DOCUMENT,
// XMLSERIALIZE. Each becomes a call of a function of our own (tools/own_catalog.py), which the deparser writes as the
// construct again (sql/deparse_xml.cpp).
#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/node.h"
#include "sql/xml_constructs.h"
#include "types/system/type_name.h"
#include "types/value/array_format.h"
#include "types/xml/xml_value.h"

namespace indigo::sql {

namespace {

Result<ExprPtr> call(Scope& scope, Oid function, ExprList arguments, int location) {
  const auto f = scope.catalog().function(function);
  if (f == nullptr) return scope.error(sqlstate::kInternalError, "an XML function is missing", location);
  const TypeRef result = type_with_collation(scope.catalog(), {f->result, -1, kInvalidOid});
  return make_call(scope.a, *f, std::move(arguments), result, CallExpr::Form::kSqlSyntax, kInvalidOid, location);
}

ExprPtr text_const(std::string_view text) {
  return make_const({oid::kText, -1, oid::kDefaultCollation}, Datum::of(Str(text)));
}
ExprPtr bool_const(bool value) { return make_const({oid::kBool, -1, kInvalidOid}, Datum::of(value)); }
ExprPtr names_const(const std::vector<std::string>& names) {
  std::vector<Datum> elements;
  for (const std::string& name : names) elements.push_back(Datum::of(Str(name)));
  const std::string array = make_array(oid::kText, Phys::kStr, elements);
  return make_const({oid::kTextArray, -1, oid::kDefaultCollation}, Datum::of(Str(array)));
}

// Values with their names: attributes, and what XMLFOREST is made of.
struct Named {
  std::vector<std::string> names;
  ExprList values;
};
Result<Named> named_values(Scope& scope, NodeList list, bool element) {
  Named out;
  for (const PgQuery__Node* node : list) {
    const PgQuery__ResTarget& target = *node->res_target;
    INDIGO_ASSIGN(ExprPtr value, transform(scope, target.val));
    std::string name;
    if (target.name != nullptr && *target.name != '\0') {
      name = types::xml_name_of(target.name, false, false);
    } else if (target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      name = types::xml_name_of(output_name(node), true, false);
    } else {
      return scope.error(sqlstate::kSyntaxError,
                         element ? "unnamed XML attribute value must be a column reference"
                                 : "unnamed XML element value must be a column reference",
                         target.location);
    }
    if (element && std::find(out.names.begin(), out.names.end(), name) != out.names.end()) {
      return scope.error(sqlstate::kSyntaxError, "XML attribute name \"" + name + "\" appears more than once",
                         target.location);
    }
    out.names.push_back(std::move(name));
    out.values.push_back(std::move(value));
  }
  return out;
}

Result<ExprPtr> element(Scope& scope, const PgQuery__XmlExpr& x) {
  INDIGO_ASSIGN(Named attributes, named_values(scope, nodes(x.n_named_args, x.named_args), true));
  ExprList arguments{text_const(types::xml_name_of(x.name, false, false)), names_const(attributes.names)};
  arguments.insert(arguments.end(), attributes.values.begin(), attributes.values.end());
  for (const PgQuery__Node* node : nodes(x.n_args, x.args)) {
    INDIGO_ASSIGN(ExprPtr value, transform(scope, node));
    arguments.push_back(std::move(value));
  }
  return call(scope, xml_construct::kElement, std::move(arguments), x.location);
}

Result<ExprPtr> forest(Scope& scope, const PgQuery__XmlExpr& x) {
  INDIGO_ASSIGN(Named elements, named_values(scope, nodes(x.n_named_args, x.named_args), false));
  ExprList arguments{names_const(elements.names)};
  arguments.insert(arguments.end(), elements.values.begin(), elements.values.end());
  return call(scope, xml_construct::kForest, std::move(arguments), x.location);
}

// The arguments, each of its type.
Result<ExprList> specific(Scope& scope, const PgQuery__XmlExpr& x, std::initializer_list<Oid> types, const char* name) {
  ExprList out;
  for (const PgQuery__Node* node : nodes(x.n_args, x.args)) {
    const Oid type = *(types.begin() + static_cast<std::ptrdiff_t>(std::min(out.size(), types.size() - 1)));
    INDIGO_ASSIGN(ExprPtr value, transform(scope, node));
    if (type == oid::kBool) {
      INDIGO_ASSIGN(value, coerce_to_boolean(scope.a, value, name));
    } else {
      INDIGO_ASSIGN(value, coerce_to_specific(scope.a, value, type, name));
    }
    out.push_back(std::move(value));
  }
  return out;
}

bool is_document(PgQuery__XmlOptionType option) { return option == PG_QUERY__XML_OPTION_TYPE__XMLOPTION_DOCUMENT; }

}  // namespace

Result<ExprPtr> transform_xml(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__XmlExpr& x = *node.xml_expr;
  switch (x.op) {
    case PG_QUERY__XML_EXPR_OP__IS_XMLELEMENT: return element(scope, x);
    case PG_QUERY__XML_EXPR_OP__IS_XMLFOREST: return forest(scope, x);
    case PG_QUERY__XML_EXPR_OP__IS_XMLCONCAT: {
      INDIGO_ASSIGN(ExprList arguments, specific(scope, x, {oid::kXml}, "XMLCONCAT"));
      return call(scope, xml_construct::kConcat, std::move(arguments), x.location);
    }
    case PG_QUERY__XML_EXPR_OP__IS_XMLPARSE: {
      INDIGO_ASSIGN(ExprList arguments, specific(scope, x, {oid::kText, oid::kBool}, "XMLPARSE"));
      arguments.insert(arguments.begin() + 1, bool_const(is_document(x.xmloption)));
      return call(scope, xml_construct::kParse, std::move(arguments), x.location);
    }
    case PG_QUERY__XML_EXPR_OP__IS_XMLPI: {
      INDIGO_ASSIGN(ExprList arguments, specific(scope, x, {oid::kText}, "XMLPI"));
      arguments.insert(arguments.begin(), text_const(types::xml_name_of(x.name, false, false)));
      return call(scope, xml_construct::kInstruction, std::move(arguments), x.location);
    }
    case PG_QUERY__XML_EXPR_OP__IS_XMLROOT: {
      INDIGO_ASSIGN(ExprList arguments, specific(scope, x, {oid::kXml, oid::kText, oid::kInt4}, "XMLROOT"));
      return call(scope, xml_construct::kRoot, std::move(arguments), x.location);
    }
    case PG_QUERY__XML_EXPR_OP__IS_DOCUMENT: {
      INDIGO_ASSIGN(ExprList arguments, specific(scope, x, {oid::kXml}, "IS DOCUMENT"));
      return call(scope, xml_construct::kIsDocument, std::move(arguments), x.location);
    }
    default: return scope.error(sqlstate::kFeatureNotSupported, "this XML construct is not supported", x.location);
  }
}

Result<ExprPtr> transform_xml_serialize(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__XmlSerialize& x = *node.xml_serialize;
  INDIGO_ASSIGN(ExprPtr value, transform(scope, x.expr));
  INDIGO_ASSIGN(value, coerce_to_specific(scope.a, value, oid::kXml, "XMLSERIALIZE"));
  INDIGO_ASSIGN(const TypeRef type, resolve_type_name(scope.a, x.type_name));
  // The type's name, for the text of the construct.
  ExprList arguments{value, bool_const(is_document(x.xmloption)), make_null(scope.catalog(), type)};
  INDIGO_ASSIGN(ExprPtr text, call(scope, xml_construct::kSerialize, std::move(arguments), x.location));
  INDIGO_ASSIGN(ExprPtr out,
                coerce_to_target(scope.a, text, type, Coercion::kImplicit, CallExpr::Form::kImplicitCast, x.location));
  if (out != nullptr) return out;
  return scope.error(sqlstate::kCannotCoerce,
                     "cannot cast XMLSERIALIZE result to " + types::format_type(scope.catalog(), type.oid, type.typmod),
                     x.location);
}

}  // namespace indigo::sql
