// seg 1.4.
#include "types/extension/extension.h"

#include <vector>

#include "types/extension/index_entry.h"
#include "types/extension/script.h"
#include "types/extension/seg/seg.h"

namespace indigo::types {

namespace {

constexpr std::string_view kType = R"sql(
create type seg;
create function seg_in(cstring) returns seg as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function seg_out(seg) returns cstring as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create type seg (internallength = 12, input = seg_in, output = seg_out);
comment on type seg is 'floating point interval ''FLOAT .. FLOAT'', ''.. FLOAT'', ''FLOAT ..'' or ''FLOAT''';
)sql";

constexpr ScriptFunction kFunctions[] = {
    {"seg_over_left(seg, seg)", "bool"},
    {"seg_over_right(seg, seg)", "bool"},
    {"seg_left(seg, seg)", "bool"},
    {"seg_right(seg, seg)", "bool"},
    {"seg_lt(seg, seg)", "bool"},
    {"seg_le(seg, seg)", "bool"},
    {"seg_gt(seg, seg)", "bool"},
    {"seg_ge(seg, seg)", "bool"},
    {"seg_contains(seg, seg)", "bool"},
    {"seg_contained(seg, seg)", "bool"},
    {"seg_overlap(seg, seg)", "bool"},
    {"seg_same(seg, seg)", "bool"},
    {"seg_different(seg, seg)", "bool"},
    {"seg_cmp(seg, seg)", "int4"},
    {"seg_union(seg, seg)", "seg"},
    {"seg_inter(seg, seg)", "seg"},
    {"seg_size(seg)", "float4"},
    {"seg_center(seg)", "float4"},
    {"seg_upper(seg)", "float4"},
    {"seg_lower(seg)", "float4"},
    {"gseg_consistent(internal, seg, smallint, oid, internal)", "bool"},
    {"gseg_penalty(internal, internal, internal)", "internal"},
    {"gseg_picksplit(internal, internal)", "internal"},
    {"gseg_union(internal, internal)", "seg"},
    {"gseg_same(seg, seg, internal)", "internal"},
};

constexpr std::string_view kComments = R"sql(
comment on function seg_over_left(seg, seg) is 'overlaps or is left of';
comment on function seg_over_right(seg, seg) is 'overlaps or is right of';
comment on function seg_left(seg, seg) is 'is left of';
comment on function seg_right(seg, seg) is 'is right of';
comment on function seg_lt(seg, seg) is 'less than';
comment on function seg_le(seg, seg) is 'less than or equal';
comment on function seg_gt(seg, seg) is 'greater than';
comment on function seg_ge(seg, seg) is 'greater than or equal';
comment on function seg_contains(seg, seg) is 'contains';
comment on function seg_contained(seg, seg) is 'contained in';
comment on function seg_overlap(seg, seg) is 'overlaps';
comment on function seg_same(seg, seg) is 'same as';
comment on function seg_different(seg, seg) is 'different';
comment on function seg_cmp(seg, seg) is 'btree comparison function';
)sql";

constexpr std::string_view kPlace = ", restrict = positionsel, join = positionjoinsel";
constexpr ScriptOperator kOperators[] = {
    {"<", "seg", "seg", "seg_lt", ", commutator = >, negator = >=, restrict = scalarltsel, join = scalarltjoinsel"},
    {"<=", "seg", "seg", "seg_le", ", commutator = >=, negator = >, restrict = scalarlesel, join = scalarlejoinsel"},
    {">", "seg", "seg", "seg_gt", ", commutator = <, negator = <=, restrict = scalargtsel, join = scalargtjoinsel"},
    {">=", "seg", "seg", "seg_ge", ", commutator = <=, negator = <, restrict = scalargesel, join = scalargejoinsel"},
    {"<<", "seg", "seg", "seg_left", ", commutator = >>, restrict = positionsel, join = positionjoinsel"},
    {"&<", "seg", "seg", "seg_over_left", kPlace},
    {"&&", "seg", "seg", "seg_overlap", ", commutator = &&, restrict = areasel, join = areajoinsel"},
    {"&>", "seg", "seg", "seg_over_right", kPlace},
    {">>", "seg", "seg", "seg_right", ", commutator = <<, restrict = positionsel, join = positionjoinsel"},
    {"=", "seg", "seg", "seg_same", ", commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel, merges"},
    {"<>", "seg", "seg", "seg_different", ", commutator = <>, negator = =, restrict = neqsel, join = neqjoinsel"},
    {"@>", "seg", "seg", "seg_contains", ", commutator = <@, restrict = contsel, join = contjoinsel"},
    {"<@", "seg", "seg", "seg_contained", ", commutator = @>, restrict = contsel, join = contjoinsel"},
};

constexpr std::string_view kClasses = R"sql(
create operator class seg_ops default for type seg using btree as
  operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 seg_cmp(seg, seg);
create operator class gist_seg_ops default for type seg using gist as
  operator 1 <<, operator 2 &<, operator 3 &&, operator 4 &>, operator 5 >>, operator 6 =, operator 7 @>,
  operator 8 <@, function 1 gseg_consistent(internal, seg, smallint, oid, internal),
  function 2 gseg_union(internal, internal), function 5 gseg_penalty(internal, internal, internal),
  function 6 gseg_picksplit(internal, internal), function 7 gseg_same(seg, seg, internal);
)sql";

std::string definitions() {
  std::string out(kType);
  out += function_script(kFunctions);
  return out.append(kComments).append(operator_script(kOperators)).append(kClasses);
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {seg::form_functions(), seg::segment_functions()})
    out.insert(out.end(), part.begin(), part.end());
  for (const char* name : {"gseg_consistent", "gseg_penalty", "gseg_picksplit", "gseg_union", "gseg_same"})
    out.push_back({name, uncallable_kernel});
  return out;
}

constexpr ExtensionType kTypes[] = {{"seg_in", &seg::kSegmentForms}};

}  // namespace

const Extension& seg_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "seg",
                                   .version = "1.4",
                                   .comment = "data type for representing line segments or floating-point intervals",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
