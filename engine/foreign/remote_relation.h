// A table of another server as a foreign table describes it: what it and its columns are called there, and how their values are
// read and written as texts.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/remote/remote_rows.h"
#include "types/function/context.h"

namespace indigo::engine {

class SessionParts;

class RemoteRelation {
 public:
  RemoteRelation(SessionParts& session, std::shared_ptr<const catalog::RelationInfo> relation);

  const catalog::RelationInfo& relation() const { return *relation_; }
  const std::string& table() const { return table_; }  // schema.name, quoted
  // Those that are not dropped, by number from 0, in their order.
  const std::vector<size_t>& columns() const { return columns_; }
  const std::string& column_name(size_t column) const { return names_[column]; }  // quoted
  // Comma-separated.
  std::string column_list(std::span<const size_t> columns) const;
  const std::vector<types::TypeRef>& types() const { return types_; }  // of all columns

  // The values of these columns, whose texts they are; all others are null. False: the context has the error.
  bool read(types::FuncContext& context, std::span<const size_t> columns, const RemoteRow& texts,
            std::vector<Datum>& values) const;
  // A value as a literal that every server reads: the session's formats are ISO meanwhile (TransmissionFormats).
  std::string literal(types::FuncContext& context, size_t column, const Datum& value) const;

 private:
  const std::shared_ptr<const catalog::RelationInfo> relation_;
  std::string table_;
  std::vector<types::TypeRef> types_;
  std::vector<bool> domains_;
  std::vector<std::string> names_;
  std::vector<size_t> columns_;
};

// How values are written that go to another server, for as long as it lives: so that any reads them.
class TransmissionFormats {
 public:
  explicit TransmissionFormats(SessionParts& session);
  ~TransmissionFormats();
  TransmissionFormats(const TransmissionFormats&) = delete;
  TransmissionFormats& operator=(const TransmissionFormats&) = delete;

 private:
  SessionParts& session_;
  const uint32_t mark_;
};

// An integer option of the table, else of its server.
int remote_number_option(SessionParts& session, const catalog::RelationInfo& relation, const char* name, int otherwise);
// The same of a flag.
bool remote_flag_option(SessionParts& session, const catalog::RelationInfo& relation, const char* name, bool otherwise);

}  // namespace indigo::engine
