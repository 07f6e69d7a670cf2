// CREATE and DROP OPERATOR CLASS and FAMILY: rows of pg_opclass, pg_opfamily, pg_amop and pg_amproc.
//
// A class is a definition that is kept and dumped. Functions of users' own order and hash values through
// catalog/descriptor/class_order.h; those in C are an extension's (types/extension/extension.h).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/object_lookup.h"
#include "engine/ddl/operator/definition.h"
#include "sql/parse/node.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_create_operator_class(DdlContext& c, const PgQuery__CreateOpClassStmt& s);
Status execute_create_operator_family(DdlContext& c, const PgQuery__CreateOpFamilyStmt& s);
// By its name in its schema, or in the schemas of search_path; none: kInvalidOid.
Oid find_operator_group_named(DdlContext& c, bool family, Oid method, const sql::QualifiedName& name);
Oid operator_class_named(DdlContext& c, Oid method, const sql::QualifiedName& name);
// A class of a method for values of `type`, as it is named: 42704 when there is none, 42804 when it is for others.
Result<Oid> find_class(DdlContext& c, NodeList name, Oid type, Oid method);
// DROP and COMMENT: the access method, then the name. None, after a notice, with missing_ok.
Result<std::optional<Address>> find_operator_group(DdlContext& c, NodeList name, bool family, bool missing_ok,
                                                   Right right = Right::kOwner);
// "citext_ops for access method btree"
std::string operator_group_text(DdlContext& c, const Address& a);

}  // namespace indigo::engine::ddl
