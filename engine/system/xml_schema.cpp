#include "engine/system/xml_schema.h"

#include <algorithm>

#include <climits>

#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "types/oids.h"
#include "types/xml/xml_value.h"

namespace indigo::engine::xml_mapping {

namespace {

using types::TypeRef;

std::string element_name(std::string_view identifier) { return types::xml_name_of(identifier, true, false); }

// Names of one thing within another, in which a period is escaped.
std::string dotted(std::string_view first, std::initializer_list<std::string_view> names) {
  std::string out(first);
  for (const std::string_view name : names) out.append(".").append(types::xml_name_of(name, true, true));
  return out;
}

struct NamedType {
  Oid oid;
  const char* name;
};
constexpr NamedType kNamedTypes[] = {
    {oid::kBpchar, "CHAR"},     {oid::kVarchar, "VARCHAR"},
    {oid::kNumeric, "NUMERIC"}, {oid::kInt4, "INTEGER"},
    {oid::kInt2, "SMALLINT"},   {oid::kInt8, "BIGINT"},
    {oid::kFloat4, "REAL"},     {oid::kFloat8, "DOUBLE"},
    {oid::kBool, "BOOLEAN"},    {oid::kTime, "TIME"},
    {oid::kTimeTz, "TIME_WTZ"}, {oid::kTimestamp, "TIMESTAMP"},
    {oid::kDate, "DATE"},       {oid::kTimestampTz, "TIMESTAMP_WTZ"},
    {oid::kXml, "XML"},
};

// A modifier as it stands in a type's name: of numeric precision and scale, of character types a length.
std::string modifier_text(const TypeRef& type) {
  constexpr int kHeaderBytes = 4;
  if (type.typmod < 0) return {};
  switch (type.oid) {
    case oid::kBpchar:
    case oid::kVarchar: return "_" + std::to_string(type.typmod - kHeaderBytes);
    case oid::kNumeric: {
      const int both = type.typmod - kHeaderBytes;
      return "_" + std::to_string(both >> 16 & 0xffff) + "_" + std::to_string(both & 0xffff);
    }
    case oid::kTime:
    case oid::kTimeTz:
    case oid::kTimestamp:
    case oid::kTimestampTz: return "_" + std::to_string(type.typmod);
    default: return {};
  }
}

std::string type_name(SessionParts& session, const TypeRef& type) {
  for (const NamedType& known : kNamedTypes)
    if (known.oid == type.oid) return known.name + modifier_text(type);
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto info = catalog.type(type.oid);
  if (info == nullptr) return {};
  return dotted(info->kind == 'd' ? "Domain" : "UDT",
                {catalog.database_name(), catalog.schema_name(info->schema), info->name});
}

// The type below all domains.
TypeRef base_of(SessionParts& session, Oid oid) {
  TypeRef type{oid, -1, kInvalidOid};
  for (auto info = session.session_catalog().type(oid); info != nullptr && info->base != kInvalidOid;
       info = session.session_catalog().type(type.oid)) {
    type = {info->base, info->base_typmod, kInvalidOid};
  }
  return type;
}

std::string bounds(const char* base, int64_t most, int64_t least) {
  return std::string("  <xsd:restriction base=\"xsd:") + base + "\">\n    <xsd:maxInclusive value=\"" +
         std::to_string(most) + "\"/>\n    <xsd:minInclusive value=\"" + std::to_string(least) +
         "\"/>\n  </xsd:restriction>\n";
}
std::string pattern(const char* base, const std::string& text) {
  return std::string("  <xsd:restriction base=\"xsd:") + base + "\">\n    <xsd:pattern value=\"" + text +
         "\"/>\n  </xsd:restriction>\n";
}

std::string restriction(SessionParts& session, Oid type) {
  const std::string date = "\\p{Nd}{4}-\\p{Nd}{2}-\\p{Nd}{2}";
  const std::string time = "\\p{Nd}{2}:\\p{Nd}{2}:\\p{Nd}{2}(.\\p{Nd}+)?";
  const std::string zone = "(\\+|-)\\p{Nd}{2}:\\p{Nd}{2}";
  switch (type) {
    case oid::kBpchar:
    case oid::kVarchar:
    case oid::kText: return "  <xsd:restriction base=\"xsd:string\">\n  </xsd:restriction>\n";
    case oid::kBytea: {
      std::string binary;
      session.context().setting("xmlbinary", binary);
      return std::string("  <xsd:restriction base=\"xsd:") + (binary == "hex" ? "hexBinary" : "base64Binary") +
             "\">\n  </xsd:restriction>\n";
    }
    case oid::kInt2: return bounds("short", INT16_MAX, INT16_MIN);
    case oid::kInt4: return bounds("int", INT32_MAX, INT32_MIN);
    case oid::kInt8: return bounds("long", INT64_MAX, INT64_MIN);
    case oid::kFloat4: return "  <xsd:restriction base=\"xsd:float\"></xsd:restriction>\n";
    case oid::kFloat8: return "  <xsd:restriction base=\"xsd:double\"></xsd:restriction>\n";
    case oid::kBool: return "  <xsd:restriction base=\"xsd:boolean\"></xsd:restriction>\n";
    case oid::kTime: return pattern("time", time);
    case oid::kTimeTz: return pattern("time", time + zone);
    case oid::kTimestamp: return pattern("dateTime", date + "T" + time);
    case oid::kTimestampTz: return pattern("dateTime", date + "T" + time + zone);
    case oid::kDate: return pattern("date", date);
    default: break;
  }
  const TypeRef base = base_of(session, type);
  if (base.oid == type) return {};
  return "  <xsd:restriction base=\"" + type_name(session, base) + "\"/>\n";
}

std::string type_text(SessionParts& session, Oid type) {
  if (type == oid::kXml) {
    return "<xsd:complexType mixed=\"true\">\n"
           "  <xsd:sequence>\n"
           "    <xsd:any name=\"element\" minOccurs=\"0\" maxOccurs=\"unbounded\" processContents=\"skip\"/>\n"
           "  </xsd:sequence>\n"
           "</xsd:complexType>\n";
  }
  return "<xsd:simpleType name=\"" + type_name(session, {type, -1, kInvalidOid}) + "\">\n" +
         restriction(session, type) + "</xsd:simpleType>\n";
}

std::string element(std::string_view indent, const std::string& name, const std::string& type,
                    const char* occurs = "") {
  return std::string(indent) + "<xsd:element name=\"" + name + "\" type=\"" + type + "\"" + occurs + "/>\n";
}

constexpr const char* kMany = " minOccurs=\"0\" maxOccurs=\"unbounded\"";

}  // namespace

std::string schema_begin(const Form& form) {
  std::string out = "<xsd:schema\n    xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"";
  if (!form.space.empty()) {
    out += "\n    targetNamespace=\"" + form.space + "\"\n    elementFormDefault=\"qualified\"";
  }
  return out + ">\n\n";
}

std::string types_text(SessionParts& session, const std::vector<Columns>& tables) {
  std::vector<Oid> all;
  const auto note = [&](Oid type) {
    if (std::find(all.begin(), all.end(), type) == all.end()) all.push_back(type);
  };
  for (const Columns& columns : tables)
    for (const TypeRef& type : columns.types) note(type.oid);
  for (size_t i = 0; i < all.size(); i++) note(base_of(session, all[i]).oid);
  std::string out;
  for (const Oid type : all) out += type_text(session, type) + "\n";
  return out;
}

std::string table_schema(SessionParts& session, const Columns& columns, const TableName& name, const Form& form) {
  const bool of_query = name.table.empty();
  const std::string_view database = session.session_catalog().database_name();
  const std::string table_type = of_query ? "TableType" : dotted("TableType", {database, name.schema, name.table});
  const std::string row_type = of_query ? "RowType" : dotted("RowType", {database, name.schema, name.table});
  const std::string top = of_query ? form.forest ? "row" : "table" : element_name(name.table);
  std::string out = schema_begin(form) + types_text(session, {columns});
  out += "<xsd:complexType name=\"" + row_type + "\">\n  <xsd:sequence>\n";
  for (size_t i = 0; i < columns.types.size(); i++) {
    out += "    <xsd:element name=\"" + element_name(columns.names[i]) + "\" type=\"" +
           type_name(session, {columns.types[i].oid, -1, kInvalidOid}) + "\"" +
           (form.nulls ? " nillable=\"true\"" : " minOccurs=\"0\"") + "></xsd:element>\n";
  }
  out += "  </xsd:sequence>\n</xsd:complexType>\n\n";
  if (!form.forest) {
    out += "<xsd:complexType name=\"" + table_type + "\">\n  <xsd:sequence>\n" +
           element("    ", "row", row_type, kMany) + "  </xsd:sequence>\n</xsd:complexType>\n\n";
  }
  out += element("", top, form.forest ? row_type : table_type) + "\n";
  return out.append(kSchemaEnd);
}

std::string schema_element(SessionParts& session, const std::string& schema, const std::vector<std::string>& tables,
                           const Form& form) {
  const std::string_view database = session.session_catalog().database_name();
  const std::string type = dotted("SchemaType", {database, schema});
  const std::string group = form.forest ? "xsd:sequence" : "xsd:all";
  std::string out = "<xsd:complexType name=\"" + type + "\">\n  <" + group + ">\n";
  for (const std::string& table : tables) {
    out += element("    ", element_name(table),
                   dotted(form.forest ? "RowType" : "TableType", {database, schema, table}), form.forest ? kMany : "");
  }
  return out + "  </" + group + ">\n</xsd:complexType>\n\n" + element("", element_name(schema), type) + "\n";
}

std::string database_element(SessionParts& session, const std::vector<std::string>& schemas) {
  const std::string_view database = session.session_catalog().database_name();
  const std::string type = dotted("CatalogType", {database});
  std::string out = "<xsd:complexType name=\"" + type + "\">\n  <xsd:all>\n";
  for (const std::string& schema : schemas) {
    out += element("    ", element_name(schema), dotted("SchemaType", {database, schema}));
  }
  return out + "  </xsd:all>\n</xsd:complexType>\n\n" + element("", element_name(database), type) + "\n";
}

}  // namespace indigo::engine::xml_mapping
