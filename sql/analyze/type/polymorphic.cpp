// Polymorphic signatures: anyelement and its family must agree on one type, anycompatible and its family on a common one.
#include <algorithm>
#include <optional>

#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool is_any_family(Oid type) {
  return type == oid::kAnyElement || type == oid::kAnyNonArray || type == oid::kAnyEnum || type == oid::kAnyArray ||
         type == oid::kAnyRange || type == oid::kAnyMultirange;
}

// What the arguments say about one family. The same for both: `element` is exact for the any family, and the common type of
// `votes` for anycompatible.
struct Family {
  Oid element = kInvalidOid, array = kInvalidOid, range = kInvalidOid, multirange = kInvalidOid;
  std::vector<Oid> votes;
  int arguments = 0;
  bool nonarray = false, is_enum = false;
};

struct Problem {
  std::string message, detail;
};

class Resolver {
 public:
  Resolver(catalog::CatalogView& catalog, std::span<const Oid> actual, std::span<const Oid> declared)
      : catalog_(catalog), actual_(actual), declared_(declared) {}

  // Nothing: the arguments are consistent.
  std::optional<Problem> collect() {
    for (size_t i = 0; i < declared_.size(); i++) {
      if (!is_polymorphic(declared_[i])) continue;
      Family& family = is_any_family(declared_[i]) ? exact_ : compatible_;
      family.arguments++;
      const Oid actual = i < actual_.size() ? actual_[i] : oid::kUnknown;
      if (auto problem = add(family, declared_[i], actual)) return problem;
    }
    if (auto problem = settle_exact()) return problem;
    return settle_compatible();
  }

  Family& exact() { return exact_; }
  Family& compatible() { return compatible_; }

 private:
  std::string text(Oid type) { return format_type(catalog_, type); }

  Problem not_alike(const char* name, Oid first, Oid second) {
    return {"arguments declared \"" + std::string(name) + "\" are not all alike",
            text(first) + " versus " + text(second)};
  }

  std::optional<Problem> alike(Oid& slot, Oid actual, const char* name) {
    if (slot != kInvalidOid && slot != actual) return not_alike(name, slot, actual);
    slot = actual;
    return {};
  }

  std::optional<Problem> add(Family& f, Oid declared, Oid actual) {
    f.nonarray = f.nonarray || declared == oid::kAnyNonArray || declared == oid::kAnyCompatibleNonArray;
    f.is_enum = f.is_enum || declared == oid::kAnyEnum;
    if (actual == oid::kUnknown) return {};
    switch (declared) {
      case oid::kAnyElement:
      case oid::kAnyNonArray:
      case oid::kAnyEnum: return alike(f.element, actual, "anyelement");
      case oid::kAnyArray: return alike(f.array, base_type(catalog_, actual), "anyarray");
      case oid::kAnyRange: return alike(f.range, base_type(catalog_, actual), "anyrange");
      case oid::kAnyMultirange: return alike(f.multirange, base_type(catalog_, actual), "anymultirange");
      case oid::kAnyCompatible:
      case oid::kAnyCompatibleNonArray: f.votes.push_back(actual); return {};
      case oid::kAnyCompatibleArray: {
        const Oid base = base_type(catalog_, actual), element = element_of(catalog_, base);
        if (element == kInvalidOid) {
          return Problem{"argument declared anycompatiblearray is not an array but type " + text(base), ""};
        }
        f.array = base;
        f.votes.push_back(element);
        return {};
      }
      case oid::kAnyCompatibleRange: {
        const Oid base = base_type(catalog_, actual);
        const auto info = catalog_.type(base);
        if (!info || info->kind != 'r') {
          return Problem{"argument declared anycompatiblerange is not a range type but type " + text(base), ""};
        }
        if (auto problem = alike(f.range, base, "anycompatiblerange")) return problem;
        f.votes.push_back(info->range_subtype);
        return {};
      }
      case oid::kAnyCompatibleMultirange: {
        const Oid base = base_type(catalog_, actual);
        const auto info = catalog_.type(base);
        if (!info || info->kind != 'm') {
          return Problem{"argument declared anycompatiblemultirange is not a multirange type but type " + text(base),
                         ""};
        }
        if (auto problem = alike(f.multirange, base, "anycompatiblemultirange")) return problem;
        f.votes.push_back(info->range_subtype);
        return {};
      }
      default: return {};
    }
  }

  std::optional<Problem> agree(Oid& element, Oid with, const char* name) {
    if (element == kInvalidOid) {
      element = with;
    } else if (element != with) {
      return Problem{
          "argument declared " + std::string(name) + " is not consistent with argument declared anyelement",
          text(name == std::string_view("anyarray") ? exact_.array : exact_.range) + " versus " + text(element)};
    }
    return {};
  }

  std::optional<Problem> settle_exact() {
    Family& f = exact_;
    if (f.array == oid::kAnyArray) {  // a pg_statistic column
      if (f.arguments != 1) return Problem{"cannot determine element type of \"anyarray\" argument", ""};
      f.element = kInvalidOid;
      return {};
    }
    if (f.array != kInvalidOid) {
      const Oid element = element_of(catalog_, f.array);
      if (element == kInvalidOid)
        return Problem{"argument declared anyarray is not an array but type " + text(f.array), ""};
      if (auto problem = agree(f.element, element, "anyarray")) return problem;
    }
    if (f.multirange != kInvalidOid) {
      const auto info = catalog_.type(f.multirange);
      if (!info || info->kind != 'm') {
        return Problem{"argument declared anymultirange is not a multirange type but type " + text(f.multirange), ""};
      }
      if (f.range != kInvalidOid && f.range != info->range_partner) {
        return Problem{"argument declared anymultirange is not consistent with argument declared anyrange",
                       text(f.multirange) + " versus " + text(f.range)};
      }
      f.range = info->range_partner;
    }
    if (f.range != kInvalidOid) {
      const auto info = catalog_.type(f.range);
      if (!info || info->kind != 'r') {
        return Problem{"argument declared anyrange is not a range type but type " + text(f.range), ""};
      }
      if (auto problem = agree(f.element, info->range_subtype, "anyrange")) return problem;
      if (f.multirange == kInvalidOid) f.multirange = info->range_partner;
    }
    return check_element(f);
  }

  std::optional<Problem> settle_compatible() {
    Family& f = compatible_;
    if (f.votes.empty()) return {};
    f.element = common_of(f.votes);
    if (f.element == kInvalidOid) {
      for (const Oid vote : f.votes) {
        if (category_of(catalog_, vote) != category_of(catalog_, f.votes[0]))
          return not_alike("anycompatible", f.votes[0], vote);
      }
      return not_alike("anycompatible", f.votes.front(), f.votes.back());
    }
    for (const Oid vote : f.votes) {
      if (!can_coerce(catalog_, vote, f.element, Coercion::kImplicit))
        return not_alike("anycompatible", vote, f.element);
    }
    f.array = array_of(catalog_, f.element);
    return settle_ranges(f);
  }

  Oid partner_of(Oid range) {
    const auto type = catalog_.type(range);
    return type == nullptr ? kInvalidOid : type->range_partner;
  }

  // A range is not converted: its elements' type must be the common one, and its multirange the one that goes with it.
  std::optional<Problem> settle_ranges(Family& f) {
    const auto fits = [&](const char* name, Oid type) -> std::optional<Problem> {
      if (type == kInvalidOid) return {};
      if (const auto info = catalog_.type(type); info != nullptr && info->range_subtype == f.element) return {};
      return Problem{
          std::string(name) + " type " + text(type) + " does not match anycompatible type " + text(f.element), ""};
    };
    if (f.multirange != kInvalidOid && f.range != kInvalidOid && partner_of(f.multirange) != f.range) {
      return Problem{
          "argument declared anycompatiblemultirange is not consistent with argument declared anycompatiblerange",
          text(f.multirange) + " versus " + text(f.range)};
    }
    if (auto problem = fits("anycompatiblerange", f.range)) return problem;
    if (auto problem = fits("anycompatiblemultirange", f.multirange)) return problem;
    if (f.multirange != kInvalidOid) f.range = partner_of(f.multirange);
    if (f.range != kInvalidOid) f.multirange = partner_of(f.range);
    return check_element(f);
  }

  std::optional<Problem> check_element(const Family& f) {
    if (f.element == kInvalidOid) return {};
    if (f.nonarray && element_of_base(catalog_, f.element) != kInvalidOid) {
      return Problem{"type matched to anynonarray is an array type: " + text(f.element), ""};
    }
    if (f.is_enum) {
      const auto info = catalog_.type(base_type(catalog_, f.element));
      if (!info || info->kind != 'e')
        return Problem{"type matched to anyenum is not an enum type: " + text(f.element), ""};
    }
    return {};
  }

  // select_common_type over bare types; invalid when there is none.
  Oid common_of(const std::vector<Oid>& types) {
    Oid type = types[0];
    bool same = true;
    for (const Oid t : types) same = same && t == type;
    if (same) return type;
    type = base_type(catalog_, type);
    for (const Oid t : types) {
      const Oid other = base_type(catalog_, t);
      if (other == type || other == oid::kUnknown) continue;
      const char category = category_of(catalog_, type);
      if (category_of(catalog_, other) != category) return kInvalidOid;
      if (!is_preferred(catalog_, category, type) && can_coerce(catalog_, type, other, Coercion::kImplicit) &&
          !can_coerce(catalog_, other, type, Coercion::kImplicit)) {
        type = other;
      }
    }
    return type;
  }

  catalog::CatalogView& catalog_;
  std::span<const Oid> actual_, declared_;
  Family exact_, compatible_;
};

// The concrete type for a polymorphic one; invalid when the family is undecided.
Oid concrete(catalog::CatalogView& catalog, Family& exact, Family& compatible, Oid type) {
  switch (type) {
    case oid::kAnyElement:
    case oid::kAnyNonArray:
    case oid::kAnyEnum: return exact.element;
    case oid::kAnyArray:
      if (exact.array == kInvalidOid && exact.element != kInvalidOid) exact.array = array_of(catalog, exact.element);
      return exact.array;
    case oid::kAnyRange: return exact.range;
    case oid::kAnyMultirange: return exact.multirange;
    case oid::kAnyCompatible:
    case oid::kAnyCompatibleNonArray: return compatible.element;
    case oid::kAnyCompatibleArray: return compatible.array;
    case oid::kAnyCompatibleRange: return compatible.range;
    case oid::kAnyCompatibleMultirange: return compatible.multirange;
    default: return type;
  }
}

// No range type follows from its elements' type alone.
Error undetermined(Analysis& a, Oid declared, std::span<const Oid> all, Oid result, const Family& exact) {
  const bool compatible = declared == oid::kAnyCompatibleRange || declared == oid::kAnyCompatibleMultirange;
  const bool range = result == oid::kAnyCompatibleRange ||
                     std::find(all.begin(), all.end(), Oid{oid::kAnyCompatibleRange}) != all.end();
  if (compatible && range) declared = oid::kAnyCompatibleRange;
  const bool named =
      compatible || (exact.element != kInvalidOid && (declared == oid::kAnyRange || declared == oid::kAnyMultirange));
  return a.error(sqlstate::kDatatypeMismatch, "could not determine polymorphic type " +
                                                  (named ? format_type(a.catalog, declared) + " " : std::string()) +
                                                  "because input has type unknown");
}

}  // namespace

bool generic_types_consistent(catalog::CatalogView& catalog, std::span<const Oid> actual,
                              std::span<const Oid> declared) {
  return !Resolver(catalog, actual, declared).collect();
}

Result<Oid> resolve_polymorphic(Analysis& a, std::span<const Oid> actual, std::vector<Oid>& declared, Oid result,
                                bool allow_polymorphic) {
  bool any = false;
  for (const Oid type : declared) any = any || is_polymorphic(type);
  if (!any) return result;
  Resolver resolver(a.catalog, actual, declared);
  if (auto problem = resolver.collect()) {
    return a.error(sqlstate::kDatatypeMismatch, problem->message).with_detail(problem->detail);
  }
  Family &exact = resolver.exact(), &compatible = resolver.compatible();
  // An all-unknown anycompatible family is text.
  if (compatible.arguments > 0 && compatible.element == kInvalidOid && compatible.range == kInvalidOid) {
    compatible.element = oid::kText;
    compatible.array = oid::kTextArray;
  }
  for (size_t i = 0; i < declared.size(); i++) {
    const Oid type = declared[i];
    if (!is_polymorphic(type)) continue;
    const Oid found = concrete(a.catalog, exact, compatible, type);
    if (found == kInvalidOid) {
      if (allow_polymorphic) continue;
      if (i < actual.size() && actual[i] != oid::kUnknown && exact.array == oid::kAnyArray) continue;
      return undetermined(a, type, declared, result, exact);
    }
    // A range argument keeps its own type; elements and arrays of the compatible family are converted.
    declared[i] = found;
  }
  const Oid out = concrete(a.catalog, exact, compatible, result);
  if (out != kInvalidOid) return out;
  if (result == oid::kAnyElement && exact.array == oid::kAnyArray) {
    return a.error(sqlstate::kDatatypeMismatch, "cannot determine element type of \"anyarray\" argument");
  }
  if (result != oid::kAnyArray && result != oid::kAnyCompatibleArray)
    return undetermined(a, result, declared, result, exact);
  const Oid element = result == oid::kAnyArray ? exact.element : compatible.element;
  return a.error(sqlstate::kUndefinedObject,
                 "could not find array type for data type " + format_type(a.catalog, element));
}

Oid resolve_output(catalog::CatalogView& catalog, std::span<const Oid> actual, std::span<const Oid> declared,
                   Oid output) {
  if (!is_polymorphic(output)) return output;
  Resolver resolver(catalog, actual, declared);
  if (resolver.collect()) return output;
  const Oid found = concrete(catalog, resolver.exact(), resolver.compatible(), output);
  return found == kInvalidOid ? output : found;
}

}  // namespace indigo::sql
