// indigo_snapshot(), indigo_restore() and indigo_drop_snapshot(): a whole database put aside under a name, and put back while
// its sessions stay connected.
//
// A snapshot is a clone of the database, an image with an OID of its own (catalog/tables/database_images.h). Putting it back
// clones the snapshot into a new image, and the commit that says so in the table of images makes that the database: at once,
// or after a crash not at all. The tables of the image before go when nobody reads them any more.
// Thread safety: as the DdlContext.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/tables/database_images.h"
#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

// 42501 for who does not own the database, as each of the following.
Status check_owns_database(DdlContext& c);
// 42710 when there is one with the name.
Status make_snapshot(DdlContext& c, std::string_view name);
// 42704 when there is none.
Status drop_snapshot(DdlContext& c, std::string_view name);
// 42704 when there is none; 55006 when another session has temporary tables. The caller holds all other sessions of the
// database until `decided`: it has been put back, or not. An error, and that is not called.
Status restore_snapshot(DdlContext& c, std::string_view name, const std::function<void()>& decided);

// "database x", or of an image that was put aside "snapshot y of database x".
std::string describe_database(DdlContext& c, Oid database);
// Of a database that is dropped.
Status drop_images(DdlContext& c, Oid database);

}  // namespace indigo::engine::ddl
