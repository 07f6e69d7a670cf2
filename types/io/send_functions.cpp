// The types' binary send functions, called by name: int4send(1), array_send(ARRAY[1]).
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

std::string send(FuncContext& context, const CallInfo& call, Datum value) {
  std::string out;
  type_send(context, call.arguments[0], value, out);
  return out;
}

const ScalarEntry kSendEntries[] = {
    {"array_send", kernel<send>},        {"bit_send", kernel<send>},
    {"boolsend", kernel<send>},          {"bpcharsend", kernel<send>},
    {"byteasend", kernel<send>},         {"cash_send", kernel<send>},
    {"charsend", kernel<send>},          {"cidr_send", kernel<send>},
    {"cidsend", kernel<send>},           {"date_send", kernel<send>},
    {"enum_send", kernel<send>},         {"float4send", kernel<send>},
    {"float8send", kernel<send>},        {"inet_send", kernel<send>},
    {"int2send", kernel<send>},          {"int2vectorsend", kernel<send>},
    {"int4send", kernel<send>},          {"int8send", kernel<send>},
    {"interval_send", kernel<send>},     {"json_send", kernel<send>},
    {"jsonb_send", kernel<send>},        {"jsonpath_send", kernel<send>},
    {"macaddr8_send", kernel<send>},     {"macaddr_send", kernel<send>},
    {"namesend", kernel<send>},          {"numeric_send", kernel<send>},
    {"oidsend", kernel<send>},           {"oidvectorsend", kernel<send>},
    {"pg_lsn_send", kernel<send>},       {"pg_snapshot_send", kernel<send>},
    {"record_send", kernel<send>},       {"regclasssend", kernel<send>},
    {"regcollationsend", kernel<send>},  {"regconfigsend", kernel<send>},
    {"regdictionarysend", kernel<send>}, {"regnamespacesend", kernel<send>},
    {"regoperatorsend", kernel<send>},   {"regopersend", kernel<send>},
    {"regproceduresend", kernel<send>},  {"regprocsend", kernel<send>},
    {"regrolesend", kernel<send>},       {"regtypesend", kernel<send>},
    {"textsend", kernel<send>},          {"tidsend", kernel<send>},
    {"time_send", kernel<send>},         {"xml_send", kernel<send>},
    {"timestamp_send", kernel<send>},    {"timestamptz_send", kernel<send>},
    {"timetz_send", kernel<send>},       {"unknownsend", kernel<send>},
    {"uuid_send", kernel<send>},         {"varbit_send", kernel<send>},
    {"varcharsend", kernel<send>},       {"xid8send", kernel<send>},
    {"xidsend", kernel<send>},           {"void_send", kernel<send>},
    {"anyarray_send", kernel<send>},     {"anycompatiblearray_send", kernel<send>},
    {"range_send", kernel<send>},        {"multirange_send", kernel<send>},
    {"tsvectorsend", kernel<send>},      {"tsquerysend", kernel<send>},
    {"point_send", kernel<send>},        {"lseg_send", kernel<send>},
    {"line_send", kernel<send>},         {"box_send", kernel<send>},
    {"path_send", kernel<send>},         {"poly_send", kernel<send>},
    {"circle_send", kernel<send>},
};

}  // namespace

std::span<const ScalarEntry> send_functions() { return kSendEntries; }

}  // namespace indigo::types
