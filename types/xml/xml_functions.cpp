// Functions of xml: conversions, what is well-formed, comments, concatenation, and xmlagg.
#include "types/aggregate/aggregate.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/xml/xml_concat.h"
#include "types/xml/xml_document.h"
#include "types/xml/xml_families.h"
#include "types/xml/xml_states.h"

namespace indigo::types {

namespace {

std::optional<Str> checked(FuncContext& context, Str text, XmlOption option) {
  if (Status status = check_xml(context, text, option, true); !status.ok()) {
    context.fail(std::move(*status.take_error()));
    return {};
  }
  return text;
}
std::optional<Str> xml_of_text(FuncContext& context, Str text) { return checked(context, text, xml_option(context)); }
Str text_of_xml(Str xml) { return xml; }

bool is_well_formed(FuncContext& context, Str text) { return check_xml(context, text, xml_option(context), true).ok(); }
bool is_well_formed_document(FuncContext& context, Str text) {
  return check_xml(context, text, XmlOption::kDocument, true).ok();
}
bool is_well_formed_content(FuncContext& context, Str text) {
  return check_xml(context, text, XmlOption::kContent, true).ok();
}

std::string comment(FuncContext& context, Str text) {
  if (text.find("--") != Str::npos || text.ends_with("-")) {
    context.fail(sqlstate::kInvalidXmlComment, "invalid XML comment");
  }
  return "<!--" + std::string(text) + "-->";
}

std::optional<std::string> concat_two(std::optional<Str> a, std::optional<Str> b) {
  if (!a && !b) return {};
  XmlConcat all;
  if (a) all.add(*a);
  if (b) all.add(*b);
  return all.result();
}

bool validate(FuncContext& context, Str, Str) {
  context.fail(sqlstate::kFeatureNotSupported, "xmlvalidate is not implemented");
  return false;
}

struct XmlAggregate {
  struct State {
    XmlConcat* all;
  };
  static void add(FuncContext& context, State& s, std::optional<Str> value) {
    if (!value) return;
    if (s.all == nullptr) s.all = new XmlConcat();
    if (!check_text_bytes(context, s.all->bytes() + value->size())) return;
    s.all->add(*value);
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.all == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(s.all->result()));
  }
  static void destroy(State& s) { delete s.all; }
};

const ScalarEntry kXmlEntries[] = {
    {"texttoxml", kernel<xml_of_text>},
    {"xmltotext", kernel<text_of_xml>},
    {"xml_is_well_formed", kernel<is_well_formed>},
    {"xml_is_well_formed_document", kernel<is_well_formed_document>},
    {"xml_is_well_formed_content", kernel<is_well_formed_content>},
    {"xmlcomment", kernel<comment>},
    {"xmlconcat2", kernel<concat_two>},
    {"xmlvalidate", kernel<validate>},
};
const AggregateEntry kXmlAggregates[] = {{"xmlagg(xml)", aggregate<XmlAggregate>()}};

}  // namespace

std::span<const ScalarEntry> xml_functions() { return kXmlEntries; }
std::span<const AggregateEntry> xml_aggregates() { return kXmlAggregates; }

}  // namespace indigo::types
