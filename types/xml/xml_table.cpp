// XMLTABLE's rows: indigo_xmltable(document, row path, names and URIs of namespaces, shape, flags, path and default of
// each column). The shape is a record of nulls with the columns' types; flags has a letter for each column: 'o' FOR
// ORDINALITY, else a digit whose first bit is NOT NULL (the others tell the deparser what was written: 2 DEFAULT, 4 PATH).
#include <libxml/xpath.h>

#include <optional>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "types/function/context.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/value/array_format.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_families.h"
#include "types/xml/xml_session.h"
#include "types/xml/xml_states.h"
#include "types/xml/xml_value.h"
#include "types/xml/xpath.h"

namespace indigo::types {

namespace {

enum class As : uint8_t { kText, kNumber, kXml };

struct Column {
  std::string name, path;
  TypeRef type;
  As as = As::kText;
  bool ordinal = false, not_null = false;
  Datum otherwise;
};

struct Table {
  std::string document, row_path;
  std::vector<std::string> namespaces;  // names and URIs in turn
  std::vector<Column> columns;
};

using Cells = std::vector<std::optional<std::string>>;

const char* chars(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

Status nodes_text(const xmlNodeSet& nodes, As as, std::string& out) {
  if (as == As::kXml) {
    for (int i = 0; i < nodes.nodeNr; i++) {
      INDIGO_ASSIGN(const std::string text, xml_of_node(nodes.nodeTab[i]));
      out.append(text);
      INDIGO_TRY(check_xml_memory(out.size()));
    }
    return {};
  }
  if (nodes.nodeNr > 1) {
    return Error(sqlstate::kCardinalityViolation, "more than one value returned by column XPath expression");
  }
  const xmlChar* text = libxml([&] { return xmlXPathCastNodeSetToString(const_cast<xmlNodeSet*>(&nodes)); });
  if (text != nullptr) out = chars(text);
  return {};
}

Status cell_of(const xmlXPathObject& object, As as, std::optional<std::string>& out) {
  switch (object.type) {
    case XPATH_NODESET:
      if (object.nodesetval == nullptr || object.nodesetval->nodeNr == 0) return {};
      return nodes_text(*object.nodesetval, as, out.emplace());
    case XPATH_STRING: {
      const auto* text = reinterpret_cast<const char*>(object.stringval);
      if (as == As::kXml) {
        append_xml_escaped(text, out.emplace());
      } else {
        out = text;
      }
      return {};
    }
    case XPATH_BOOLEAN:
      if (as == As::kNumber) {
        out = object.boolval != 0 ? "1" : "0";
      } else {
        out = object.boolval != 0 ? "true" : "false";
      }
      return {};
    case XPATH_NUMBER: out = chars(libxml([&] { return xmlXPathCastNumberToString(object.floatval); })); return {};
    default: return Error(sqlstate::kInternalError, "unexpected XPath object type " + std::to_string(object.type));
  }
}

// The cells of all rows as texts.
Status read(const Table& table, std::vector<Cells>& out, std::vector<std::string>& warnings) {
  const XmlErrors errors(true, warnings);
  XPathDocument document(errors);
  INDIGO_TRY(document.open(table.document));
  for (size_t i = 0; i + 1 < table.namespaces.size(); i += 2) {
    INDIGO_TRY(document.add_namespace(table.namespaces[i], table.namespaces[i + 1]));
  }
  if (table.row_path.empty()) return Error(sqlstate::kDataException, "row path filter must not be empty string");
  INDIGO_ASSIGN(xmlXPathCompExpr* const row_path, document.compile(table.row_path, sqlstate::kSyntaxError));
  std::vector<xmlXPathCompExpr*> paths(table.columns.size());
  for (size_t c = 0; c < paths.size(); c++) {
    const Column& column = table.columns[c];
    if (column.ordinal) continue;
    if (column.path.empty()) return Error(sqlstate::kDataException, "column path filter must not be empty string");
    INDIGO_ASSIGN(paths[c], document.compile(column.path, sqlstate::kDataException));
  }
  INDIGO_ASSIGN(xmlXPathObject* const rows, document.evaluate(*row_path, nullptr));
  if (rows->type != XPATH_NODESET || rows->nodesetval == nullptr) return {};
  size_t total = 0;
  for (int r = 0; r < rows->nodesetval->nodeNr; r++) {
    Cells& cells = out.emplace_back(paths.size());
    for (size_t c = 0; c < paths.size(); c++) {
      if (table.columns[c].ordinal) continue;
      INDIGO_ASSIGN(xmlXPathObject* const value, document.evaluate(*paths[c], rows->nodesetval->nodeTab[r]));
      INDIGO_TRY(cell_of(*value, table.columns[c].as, cells[c]));
      libxml([&] { xmlXPathFreeObject(value); });
      total += sizeof(cells[c]) + (cells[c] ? cells[c]->size() : 0);
    }
    INDIGO_TRY(check_xml_memory(total));
  }
  return {};
}

bool table_may_take_long(const Table& table) {
  std::string paths = table.row_path;
  for (const Column& column : table.columns) paths += column.path;
  return may_take_long(paths, table.document.size());
}

// ---- the call's arguments
enum : size_t { kDocument, kRowPath, kNamespaces, kShape, kFlags, kFirstColumn };

bool fail(FuncContext& context, SqlState state, std::string message) {
  context.fail(state, std::move(message));
  return false;
}

bool read_namespaces(FuncContext& context, const Datum& given, std::vector<std::string>& out) {
  const ArrayView array(given.str);
  for (int32_t i = 0; i < array.count(); i++) {
    const Datum part = array.element(i);
    if (part.null) return fail(context, sqlstate::kNullValueNotAllowed, "namespace URI must not be null");
    out.emplace_back(part.str);
    // An empty name is the default one.
    if (i % 2 == 0 && part.str.empty()) {
      return fail(context, sqlstate::kFeatureNotSupported, "DEFAULT namespace is not supported");
    }
  }
  return true;
}

bool read_columns(FuncContext& context, std::span<const Datum> arguments, std::vector<Column>& out) {
  const RecordFields shape = read_record(arguments[kShape].str);
  const Str flags = arguments[kFlags].str;
  for (size_t c = 0; c < shape.types.size(); c++) {
    Column column;
    column.name = c < shape.names.size() ? std::string(shape.names[c]) : std::string();
    column.type = shape.types[c];
    column.ordinal = flags[c] == 'o';
    column.not_null = !column.ordinal && ((flags[c] - '0') & 1) != 0;
    const auto info = context.session().catalog().type(column.type.oid);
    column.as = column.type.oid == oid::kXml               ? As::kXml
                : info != nullptr && info->category == 'N' ? As::kNumber
                                                           : As::kText;
    const Datum& path = arguments[kFirstColumn + 2 * c];
    if (path.null && !column.ordinal) {
      context.fail(Error(sqlstate::kNullValueNotAllowed, "column filter expression must not be null")
                       .with_detail("Filter for column \"" + column.name + "\" is null."));
      return false;
    }
    if (!path.null) column.path = path.str;
    column.otherwise = arguments[kFirstColumn + 2 * c + 1];
    out.push_back(std::move(column));
  }
  return true;
}

// It has a name, by which it can be called with anything.
bool is_sound(const CallInfo& call, std::span<const Datum> arguments) {
  if (arguments.size() < kFirstColumn || arguments[kNamespaces].null || arguments[kShape].null ||
      arguments[kFlags].null) {
    return false;
  }
  const RecordFields shape = read_record(arguments[kShape].str);
  const size_t columns = shape.types.size();
  if (arguments[kFlags].str.size() != columns || arguments.size() != kFirstColumn + 2 * columns) return false;
  for (size_t c = 0; c < columns; c++) {
    const size_t path = kFirstColumn + 2 * c;
    if (call.arguments[path].oid != oid::kText || call.arguments[path + 1].oid != shape.types[c].oid) return false;
  }
  return true;
}

bool read_call(FuncContext& context, std::span<const Datum> arguments, Table& out) {
  out.document = arguments[kDocument].str;
  if (!read_namespaces(context, arguments[kNamespaces], out.namespaces)) return false;
  if (arguments[kRowPath].null) {
    return fail(context, sqlstate::kNullValueNotAllowed, "row filter expression must not be null");
  }
  out.row_path = arguments[kRowPath].str;
  return read_columns(context, arguments, out.columns);
}

Datum value_of(FuncContext& context, const Column& column, const std::optional<std::string>& cell, int32_t row) {
  if (column.ordinal) return Datum::of(row);
  Datum value = cell ? type_input(context, column.type, *cell) : column.otherwise;
  if (value.null && column.not_null && !context.failed()) {
    fail(context, sqlstate::kNullValueNotAllowed, "null is not allowed in column \"" + column.name + "\"");
  }
  return value;
}

std::unique_ptr<SetProducer> open(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  auto out = std::make_unique<RowSet>();
  Table table;
  if (!is_sound(call, arguments)) {
    context.fail(sqlstate::kFeatureNotSupported, "functions of XML constructs cannot be called by name");
    return out;
  }
  if (arguments[kDocument].null || !read_call(context, arguments, table)) return out;
  std::vector<Cells> rows;
  std::vector<std::string> warnings;
  Status status = with_libxml([&] { return read(table, rows, warnings); }, table_may_take_long(table));
  report_xml_warnings(context, warnings);
  if (!status.ok()) {
    context.fail(std::move(*status.take_error()));
    return out;
  }
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    types.push_back(column.type);
    names.push_back(column.name);
  }
  for (size_t r = 0; r < rows.size(); r++) {
    std::vector<Datum> values;
    for (size_t c = 0; c < table.columns.size(); c++) {
      values.push_back(value_of(context, table.columns[c], rows[r][c], static_cast<int32_t>(r) + 1));
      if (context.failed()) return out;
    }
    out->add({out->text(make_record(oid::kRecord, types, values, names))});
    rows[r].clear();
  }
  return out;
}

const SetEntry kXmlSets[] = {{"indigo_xmltable", open}};

}  // namespace

std::span<const SetEntry> xml_sets() { return kXmlSets; }

}  // namespace indigo::types
