#include "engine/system/operator_class/family.h"

#include <algorithm>
#include <tuple>

#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

std::vector<FamilyFunction> functions_of(CatalogRows& rows, Oid family) {
  std::vector<FamilyFunction> out;
  rows.scan_index(pg_amproc::kOid, system_index::kAmprocFamily, {Datum::of_oid(family)}, [&](RowReader row) {
    out.push_back({row.oid(pg_amproc::c_amproclefttype), row.oid(pg_amproc::c_amprocrighttype),
                   row.i16(pg_amproc::c_amprocnum), row.oid(pg_amproc::c_amproc)});
    return true;
  });
  std::ranges::sort(out, {}, [](const FamilyFunction& f) { return std::tuple(f.left, f.right, f.number); });
  return out;
}

std::vector<FamilyOperator> operators_of(CatalogRows& rows, Oid family) {
  std::vector<FamilyOperator> out;
  rows.scan_index(pg_amop::kOid, system_index::kAmopFamily, {Datum::of_oid(family)}, [&](RowReader row) {
    out.push_back({row.oid(pg_amop::c_amoplefttype), row.oid(pg_amop::c_amoprighttype),
                   row.i16(pg_amop::c_amopstrategy), row.oid(pg_amop::c_amopopr),
                   row.chr(pg_amop::c_amoppurpose) == 'o', row.oid(pg_amop::c_amopsortfamily)});
    return true;
  });
  std::ranges::sort(out, {}, [](const FamilyOperator& o) { return std::tuple(o.left, o.right, o.strategy); });
  return out;
}

uint64_t bit_of(int number) { return number > 0 && number < 64 ? uint64_t{1} << number : 0; }

}  // namespace

std::optional<OperatorClass> read_operator_class(SessionParts& session, Oid oid) {
  CatalogRows rows(session);
  std::optional<OperatorClass> out;
  rows.find(pg_opclass::kOid, oid, [&](RowReader row) {
    out = OperatorClass{row.oid(pg_opclass::c_opcmethod),
                        row.oid(pg_opclass::c_opcfamily),
                        row.oid(pg_opclass::c_opcintype),
                        row.oid(pg_opclass::c_opckeytype),
                        std::string(row.str(pg_opclass::c_opcname)),
                        {},
                        {},
                        {}};
  });
  if (!out) return out;
  rows.find(pg_opfamily::kOid, out->family, [&](RowReader row) { out->family_name = row.str(pg_opfamily::c_opfname); });
  out->functions = functions_of(rows, out->family);
  out->operators = operators_of(rows, out->family);
  return out;
}

std::vector<FamilyPair> family_pairs(const OperatorClass& c) {
  std::vector<FamilyPair> out;
  const auto pair_of = [&](Oid left, Oid right) -> FamilyPair& {
    const auto at = std::ranges::find_if(out, [&](const FamilyPair& p) { return p.left == left && p.right == right; });
    return at != out.end() ? *at : out.emplace_back(FamilyPair{left, right, 0, 0});
  };
  for (const FamilyOperator& o : c.operators) pair_of(o.left, o.right).operators |= bit_of(o.strategy);
  for (const FamilyFunction& f : c.functions) pair_of(f.left, f.right).functions |= bit_of(f.number);
  std::ranges::sort(out, {}, [](const FamilyPair& p) { return std::pair(p.left, p.right); });
  return out;
}

bool family_sorts(SessionParts& session, Oid family, Oid type) {
  bool found = false;
  CatalogRows(session).scan_index(
      pg_opclass::kOid, system_index::kOpclassName, {Datum::of_oid(oid::kBtreeMethod)}, [&](RowReader row) {
        found = row.oid(pg_opclass::c_opcfamily) == family && row.oid(pg_opclass::c_opcintype) == type;
        return !found;
      });
  return found;
}

}  // namespace indigo::engine
