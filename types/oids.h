// OIDs of PostgreSQL's built-in types and namespaces that code names directly (pg_type.dat's numbers).
#pragma once

#include "base/ids.h"

namespace indigo::oid {

inline constexpr Oid kBool = 16, kBytea = 17, kChar = 18, kName = 19, kInt8 = 20, kInt2 = 21, kInt2Vector = 22,
                     kInt4 = 23, kRegProc = 24, kText = 25, kOid = 26, kTid = 27, kXid = 28, kCid = 29, kOidVector = 30,
                     kPgDdlCommand = 32, kPgNodeTree = 194, kJson = 114, kXml = 142, kXid8 = 5069, kPoint = 600,
                     kFloat4 = 700, kFloat8 = 701, kUnknown = 705, kMoney = 790, kMacAddr = 829, kInet = 869,
                     kCidr = 650, kMacAddr8 = 774, kAclItem = 1033, kBpchar = 1042, kVarchar = 1043, kDate = 1082,
                     kTime = 1083, kTimestamp = 1114, kTimestampTz = 1184, kInterval = 1186, kTimeTz = 1266,
                     kBit = 1560, kVarbit = 1562, kNumeric = 1700, kRefcursor = 1790, kRegProcedure = 2202,
                     kRegOper = 2203, kRegOperator = 2204, kRegClass = 2205, kRegType = 2206, kRegRole = 4096,
                     kRegNamespace = 4089, kRegCollation = 4191, kRegConfig = 3734, kRegDictionary = 3769, kUuid = 2950,
                     kPgLsn = 3220, kJsonb = 3802, kJsonPath = 4072, kTxidSnapshot = 2970, kPgSnapshot = 5038,
                     kTsVector = 3614, kTsQuery = 3615;
// The types of catalog objects' names (regclass and its kin): an OID inside.
constexpr bool is_reg_type(Oid type) {
  switch (type) {
    case kRegProc:
    case kRegProcedure:
    case kRegOper:
    case kRegOperator:
    case kRegClass:
    case kRegType:
    case kRegRole:
    case kRegNamespace:
    case kRegCollation:
    case kRegConfig:
    case kRegDictionary: return true;
    default: return false;
  }
}
// pseudo-types
inline constexpr Oid kRecord = 2249, kRecordArray = 2287, kCstring = 2275, kAny = 2276, kAnyArray = 2277, kVoid = 2278,
                     kTrigger = 2279, kLanguageHandler = 2280, kInternal = 2281, kAnyElement = 2283,
                     kAnyNonArray = 2776, kAnyEnum = 3500, kAnyRange = 3831, kAnyCompatible = 5077,
                     kAnyCompatibleArray = 5078, kAnyCompatibleNonArray = 5079, kAnyCompatibleRange = 5080,
                     kAnyMultirange = 4537, kAnyCompatibleMultirange = 4538, kEventTrigger = 3838;
// arrays
inline constexpr Oid kBoolArray = 1000, kByteaArray = 1001, kCharArray = 1002, kNameArray = 1003, kInt2Array = 1005,
                     kInt4Array = 1007, kTextArray = 1009, kOidArray = 1028, kBpcharArray = 1014, kVarcharArray = 1015,
                     kInt8Array = 1016, kFloat4Array = 1021, kFloat8Array = 1022, kAclItemArray = 1034,
                     kTimestampArray = 1115, kDateArray = 1182, kTimestampTzArray = 1185, kNumericArray = 1231,
                     kCstringArray = 1263;
// namespaces, collations, roles, access methods
inline constexpr Oid kPgCatalogSchema = 11, kPgToastSchema = 99, kPublicSchema = 2200;
inline constexpr Oid kDefaultCollation = 100, kCCollation = 950, kPosixCollation = 951;
// No collation, but the sign that an expression's inputs have different ones (42P22 where it matters).
inline constexpr Oid kConflictingCollations = 0xFFFFFFFF;
inline constexpr Oid kBootstrapSuperuser = 10;
inline constexpr Oid kBtreeMethod = 403;  // its operator classes are the types' order
inline constexpr Oid kInternalLanguage = 12, kCLanguage = 13, kSqlLanguage = 14, kPlpgsqlLanguage = 13563;
// Roles that every instance has.
inline constexpr Oid kMonitorRole = 3373, kReadAllSettingsRole = 3374, kReadAllStatsRole = 3375,
                     kSignalBackendRole = 4200, kCheckpointRole = 4544, kReadServerFilesRole = 4569,
                     kWriteServerFilesRole = 4570, kDatabaseOwnerRole = 6171, kReadAllDataRole = 6181,
                     kWriteAllDataRole = 6182;
// Objects of initdb that a superuser may drop (information_schema) have OIDs from here.
inline constexpr Oid kFirstUnpinnedOid = 12000;
inline constexpr Oid kFirstUserOid = 16384;

}  // namespace indigo::oid
