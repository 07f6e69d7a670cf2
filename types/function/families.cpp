#include "types/function/families.h"

#include "types/function/registry.h"
#include "types/io/type_definition.h"
#include "types/xml/xml_families.h"

namespace indigo::types {

std::span<const TypeFamily> type_families() {
  static constexpr TypeFamily kFamilies[] = {
      number_types,  string_types, datetime_types, json_types,        catalog_types,   money_types,
      network_types, other_types,  range_types,    text_search_types, geometric_types, transaction_snapshot_types,
      xml_types,
  };
  return kFamilies;
}
std::span<const ScalarFamily> scalar_families() {
  static constexpr ScalarFamily kFamilies[] = {
      integer_functions,
      integer_comparisons,
      float_functions,
      float_math,
      numeric_functions,
      number_templates,
      text_comparisons,
      text_functions,
      like_functions,
      regex_functions,
      concat_functions,
      bytea_functions,
      bit_functions,
      array_functions,
      array_construction,
      record_functions,
      datetime_comparisons,
      datetime_functions,
      datetime_extraction,
      datetime_to_char,
      datetime_from_char,
      json_access,
      json_building,
      jsonb_editing,
      json_records,
      json_path_functions,
      io_functions,
      hash_functions,
      vector_functions,
      money_functions,
      range_functions,
      range_canonical_functions,
      multirange_functions,
      network_functions,
      value_functions,
      typmod_functions,
      session_functions,
      system_type_functions,
      delegated_functions,
      transaction_snapshot_functions,
      value_hash_functions,
      datetime_range_frames,
      record_image_functions,
      transition_functions,
      acl_functions,
      tsvector_functions,
      tsquery_functions,
      point_functions,
      segment_functions,
      line_functions,
      box_functions,
      path_functions,
      polygon_functions,
      circle_functions,
      shape_distances,
      text_search_document_functions,
      text_search_query_functions,
      text_search_dictionary_functions,
      text_search_headline_functions,
      text_search_cover_functions,
      xml_functions,
      xml_syntax_functions,
      xpath_functions,
  };
  return kFamilies;
}
std::span<const AggregateFamily> aggregate_families() {
  static constexpr AggregateFamily kFamilies[] = {
      sum_aggregates,      extreme_aggregates, collecting_aggregates, statistics_aggregates, ordered_set_aggregates,
      datetime_aggregates, json_aggregates,    bit_aggregates,        range_aggregates,      xml_aggregates,
  };
  return kFamilies;
}
std::span<const SetFamily> set_families() {
  static constexpr SetFamily kFamilies[] = {
      series_sets,
      array_sets,
      json_sets,
      json_record_sets,
      json_path_sets,
      regex_sets,
      datetime_sets,
      information_sets,
      delegated_sets,
      multirange_sets,
      text_search_sets,
      text_search_parser_sets,
      transaction_snapshot_sets,
      xml_sets,
  };
  return kFamilies;
}

}  // namespace indigo::types
