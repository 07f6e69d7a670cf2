// file_fdw: a foreign table whose rows are a file on the server, or what a program there writes, read as COPY FROM reads them.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "types/function/registry.h"

namespace indigo::engine {

class SessionParts;

// The options of an object of this system table, "name=value": HV00D for one that is not known there, HV002 for a table without a
// source, 42501 for a source that the role may not choose, and COPY's own errors.
Status check_file_options(SessionParts& session, const std::vector<std::string>& options, Oid class_id);

// The file is read while rows are asked for, by a thread of its own.
Result<std::unique_ptr<types::SetProducer>> open_file_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation);

}  // namespace indigo::engine
