#include "sql/query.h"

namespace indigo::sql {

Entry::Entry() = default;
Entry::Entry(const Entry& other) = default;
Entry::Entry(Entry&& other) noexcept = default;
Entry& Entry::operator=(const Entry& other) = default;
Entry& Entry::operator=(Entry&& other) noexcept = default;
Entry::~Entry() = default;

CommonTable::CommonTable() = default;
CommonTable::CommonTable(const CommonTable& other) = default;
CommonTable::CommonTable(CommonTable&& other) noexcept = default;
CommonTable& CommonTable::operator=(const CommonTable& other) = default;
CommonTable& CommonTable::operator=(CommonTable&& other) noexcept = default;
CommonTable::~CommonTable() = default;

Query::Query() = default;
Query::Query(const Query& other) = default;
Query::Query(Query&& other) noexcept = default;
Query& Query::operator=(const Query& other) = default;
Query& Query::operator=(Query&& other) noexcept = default;
Query::~Query() = default;

}  // namespace indigo::sql
