// What nearly every source from sql/ up includes: values, descriptors, expressions and queries. Sources still include what they
// need.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"
#include "cmake/precompiled_base.h"
#include "sql/plan.h"
#include "sql/query.h"
#include "storage/key_range.h"
#include "storage/transaction.h"
#include "types/function/context.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/value/vector.h"
