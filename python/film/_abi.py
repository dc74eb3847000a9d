"""The C API for ctypes. Written by python/generate from include/; do not edit.

A type is text until its first use: an import does not wait for types that it does not need.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_float, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p)


class _Names(dict):
    """The names in the text of a type."""

    def __missing__(self, name):
        return globals()[name] if name in globals() else __getattr__(name)


def made(text):
    """The type, or the list of types, that TEXT describes."""
    return eval(text, {"__builtins__": {}}, _Names())


def __getattr__(name):
    """The type NAME, made at its first use. Of two threads that make it, both get the first."""
    if name not in TYPES:
        raise AttributeError(name)
    kind = TYPES[name]
    if not isinstance(kind, str):
        kind = type(name, (Structure,), {
            "_fields_": [(field, made(text)) for field, text in kind],
            "_enums_": {field: text for field, text in kind if text in ENUMS}})
    else:
        kind = made(kind)
    return globals().setdefault(name, kind)


# name -> fields or text of a type; library, result, arguments; names of the values of an enum
TYPES, FUNCTIONS, ENUMS = {}, {}, {}
FUNCTIONS["film_version"] = (
    "film", "c_char_p", "[]")
FUNCTIONS["film_version_number"] = (
    "film", "c_int", "[]")
FILM_OK = 0
FILM_USAGE = 1
FILM_BAD_INPUT = 2
FILM_IO = 3
FILM_CANCELLED = 4
FILM_NO_MEMORY = 5
FILM_END = 6
FILM_DENIED = 7
FILM_NEEDS_LIBRARY = 8
TYPES["film_status"] = "c_int"
ENUMS["film_status"] = {'ok': 0, 'usage': 1, 'bad_input': 2, 'io': 3, 'cancelled': 4, 'no_memory': 5, 'end': 6, 'denied': 7, 'needs_library': 8}
TYPES["film_error"] = (
    ("status", "film_status"),
    ("message", "c_char * 1000"),
)
FUNCTIONS["film_status_name"] = (
    "film", "c_char_p", "[film_status]")
TYPES["film_text"] = (
    ("bytes", "c_void_p"),
    ("length", "c_size_t"),
)
FUNCTIONS["film_text_valid"] = (
    "film", "c_int", "[film_text, POINTER(c_size_t)]")
FUNCTIONS["film_text_cut"] = (
    "film", "c_size_t", "[film_text, c_size_t]")
FUNCTIONS["film_json_escape"] = (
    "film", "c_size_t", "[film_text, c_char_p]")
TYPES["film_pair"] = (
    ("a", "film_text"),
    ("b", "film_text"),
    ("label", "c_double"),
)
TYPES["film_progress_fn"] = "CFUNCTYPE(c_int, c_void_p, c_char_p, c_double, c_double)"
TYPES["film_progress"] = (
    ("call", "film_progress_fn"),
    ("user", "c_void_p"),
    ("note", "CFUNCTYPE(None, c_void_p, c_char_p)"),
)
FUNCTIONS["film_free"] = (
    "film", "None", "[c_void_p]")
TYPES["film_allocator"] = (
    ("allocate", "CFUNCTYPE(c_void_p, c_void_p, c_size_t)"),
    ("reallocate", "CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)"),
    ("release", "CFUNCTYPE(None, c_void_p, c_void_p)"),
    ("user", "c_void_p"),
)
FUNCTIONS["film_set_allocator"] = (
    "film", "None", "[POINTER(film_allocator)]")
FUNCTIONS["film_set_process_allocator"] = (
    "film", "None", "[POINTER(film_allocator)]")
FUNCTIONS["film_open"] = (
    "film", "film_status", "[c_char_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_open_private"] = (
    "film", "film_status", "[c_char_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_open_memory"] = (
    "film", "film_status", "[c_void_p, c_size_t, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_close"] = (
    "film", "None", "[c_void_p]")
FUNCTIONS["film_add_words"] = (
    "film", "film_status", "[c_void_p, c_char_p, POINTER(film_error)]")
FILM_ARITHMETIC_OWN = 0
FILM_ARITHMETIC_FLOAT = 1
FILM_ARITHMETIC_INT8 = 2
TYPES["film_arithmetic"] = "c_int"
ENUMS["film_arithmetic"] = {'own': 0, 'float': 1, 'int8': 2}
FUNCTIONS["film_set_arithmetic"] = (
    "film", "film_status", "[c_void_p, film_arithmetic, POINTER(film_error)]")
FUNCTIONS["film_set_encoder_loader"] = (
    "film", "None", "[CFUNCTYPE(None, c_void_p), c_void_p]")
FUNCTIONS["film_save"] = (
    "film", "film_status", "[c_void_p, c_char_p, POINTER(film_error)]")
FILM_EDIT_SET = 0
FILM_EDIT_ADD = 1
FILM_EDIT_REMOVE = 2
FILM_EDIT_ACTION_COUNT = 3
TYPES["film_edit_action"] = "c_int"
ENUMS["film_edit_action"] = {'set': 0, 'add': 1, 'remove': 2}
TYPES["film_edit"] = (
    ("size", "c_size_t"),
    ("action", "film_edit_action"),
    ("what", "c_char_p"),
    ("weight", "c_double"),
    ("reason", "c_char_p"),
    ("date", "c_char_p"),
)
FUNCTIONS["film_edit_model"] = (
    "film", "film_status", "[c_void_p, POINTER(film_edit), POINTER(film_error)]")
FUNCTIONS["film_dim"] = (
    "film", "c_size_t", "[c_void_p]")
FUNCTIONS["film_describe"] = (
    "film", "film_status", "[c_void_p, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_context_new"] = (
    "film", "film_status", "[c_void_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_context_free"] = (
    "film", "None", "[c_void_p]")
FILM_DECISION_AUTO = 0
FILM_DECISION_FULL = 1
FILM_DECISION_THRESHOLD = 2
FILM_DECISION_COUNT = 3
TYPES["film_decision"] = "c_int"
ENUMS["film_decision"] = {'auto': 0, 'full': 1, 'threshold': 2}
TYPES["film_answer_options"] = (
    ("size", "c_size_t"),
    ("decision", "film_decision"),
    ("prior", "c_double"),
    ("no_memory", "c_int"),
    ("no_reasons", "c_int"),
    ("most_reasons", "c_size_t"),
    ("threads", "c_int"),
    ("reserved", "c_void_p * 4"),
)
FUNCTIONS["film_context_set"] = (
    "film", "film_status", "[c_void_p, POINTER(film_answer_options), POINTER(film_error)]")
FUNCTIONS["film_field_count"] = (
    "film", "c_size_t", "[c_void_p]")
FUNCTIONS["film_field_name"] = (
    "film", "c_char_p", "[c_void_p, c_size_t]")
FUNCTIONS["film_field_type"] = (
    "film", "c_char_p", "[c_void_p, c_size_t]")
FUNCTIONS["film_record_text"] = (
    "film", "film_status", "[POINTER(film_text), POINTER(film_text), c_size_t, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_record_json"] = (
    "film", "film_status", "[film_text, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_record_next"] = (
    "film", "c_int", "[film_text, POINTER(c_size_t), POINTER(film_text), POINTER(film_text)]")
FUNCTIONS["film_record_check"] = (
    "film", "film_status", "[c_void_p, film_text, POINTER(film_error)]")
FILM_COSINE = 0
FILM_DOT = 1
FILM_EUCLIDEAN = 2
FILM_SIMILARITY_COUNT = 3
TYPES["film_similarity"] = "c_int"
ENUMS["film_similarity"] = {'cosine': 0, 'dot': 1, 'euclidean': 2}
FUNCTIONS["film_embed"] = (
    "film", "film_status", "[c_void_p, film_text, POINTER(c_float), POINTER(film_error)]")
FUNCTIONS["film_embed_batch"] = (
    "film", "film_status", "[c_void_p, POINTER(film_text), c_size_t, c_int, POINTER(c_float), POINTER(film_error)]")
TYPES["film_reason"] = (
    ("kind", "c_char_p"),
    ("text", "c_void_p"),
    ("text_length", "c_size_t"),
    ("side", "c_char"),
    ("start", "c_size_t"),
    ("end", "c_size_t"),
    ("other", "c_void_p"),
    ("other_length", "c_size_t"),
    ("other_side", "c_char"),
    ("other_start", "c_size_t"),
    ("other_end", "c_size_t"),
    ("weight", "c_double"),
    ("family", "c_char_p"),
    ("other_family", "c_char_p"),
    ("id", "c_char_p"),
    ("other_id", "c_char_p"),
)
TYPES["film_verdict"] = (
    ("probability", "c_double"),
    ("same", "c_int"),
    ("similarity", "c_double"),
    ("log_odds", "c_double"),
    ("bias", "c_double"),
    ("reasons", "POINTER(film_reason)"),
    ("reason_count", "c_size_t"),
)
FUNCTIONS["film_match"] = (
    "film", "film_status", "[c_void_p, film_text, film_text, POINTER(film_verdict), POINTER(film_error)]")
FUNCTIONS["film_match_batch"] = (
    "film", "film_status", "[c_void_p, POINTER(film_text), POINTER(film_text), c_size_t, POINTER(film_answer_options), POINTER(film_verdict), POINTER(film_error)]")
FUNCTIONS["film_score_batch"] = (
    "film", "film_status", "[c_void_p, POINTER(film_text), POINTER(film_text), c_size_t, POINTER(film_answer_options), POINTER(c_float), POINTER(film_error)]")
FUNCTIONS["film_category_count"] = (
    "film", "c_size_t", "[c_void_p]")
TYPES["film_classify_options"] = (
    ("size", "c_size_t"),
    ("top", "c_size_t"),
    ("examples", "c_size_t"),
    ("threshold", "c_double"),
    ("threads", "c_int"),
    ("always", "c_int"),
    ("reserved", "c_void_p * 4"),
)
TYPES["film_category"] = (
    ("name", "film_text"),
    ("probability", "c_double"),
)
TYPES["film_category_reason"] = (
    ("word", "film_text"),
    ("start", "c_size_t"),
    ("end", "c_size_t"),
    ("weight", "c_double"),
)
TYPES["film_category_example"] = (
    ("text", "film_text"),
    ("category", "film_text"),
    ("similarity", "c_double"),
)
TYPES["film_classification"] = (
    ("none", "c_int"),
    ("none_probability", "c_double"),
    ("categories", "POINTER(film_category)"),
    ("category_count", "c_size_t"),
    ("reasons", "POINTER(film_category_reason)"),
    ("reason_count", "c_size_t"),
    ("examples", "POINTER(film_category_example)"),
    ("example_count", "c_size_t"),
    ("threshold", "c_double"),
)
TYPES["film_classification_fn"] = "CFUNCTYPE(c_int, c_void_p, c_size_t, POINTER(film_classification))"
FUNCTIONS["film_classify_many"] = (
    "film", "film_status", "[c_void_p, POINTER(film_text), c_size_t, POINTER(film_classify_options), film_classification_fn, c_void_p, POINTER(film_error)]")
FUNCTIONS["film_classification_json"] = (
    "film", "film_status", "[POINTER(film_classification), POINTER(c_char_p), POINTER(film_error)]")
TYPES["film_word_share"] = (
    ("text", "film_text"),
    ("side", "c_char"),
    ("start", "c_size_t"),
    ("end", "c_size_t"),
    ("weight", "c_double"),
    ("left_out", "c_double"),
)
TYPES["film_reason_group"] = (
    ("id", "c_char_p"),
    ("name", "c_char_p"),
    ("title", "c_char_p"),
    ("weight", "c_double"),
    ("reasons", "POINTER(film_reason)"),
    ("reason_count", "c_size_t"),
)
TYPES["film_word_link"] = (
    ("a", "c_size_t"),
    ("b", "c_size_t"),
    ("share", "c_double"),
)
TYPES["film_encoder_share"] = (
    ("dimension", "c_size_t"),
    ("share", "c_double"),
)
TYPES["film_fact"] = (
    ("name", "c_char_p"),
    ("text", "c_char_p"),
)
TYPES["film_example"] = (
    ("a", "film_text"),
    ("b", "film_text"),
    ("same", "c_int"),
    ("similarity", "c_double"),
)
TYPES["film_field_share"] = (
    ("name", "c_char_p"),
    ("type", "c_char_p"),
    ("a", "film_text"),
    ("b", "film_text"),
    ("weight", "c_double"),
    ("words", "c_double"),
    ("traits", "c_double"),
)
TYPES["film_word_difference"] = (
    ("a", "film_text"),
    ("b", "film_text"),
    ("a_start", "c_size_t"),
    ("a_end", "c_size_t"),
    ("b_start", "c_size_t"),
    ("b_end", "c_size_t"),
    ("weight", "c_double"),
    ("field", "film_text"),
)
TYPES["film_text_edit"] = (
    ("side", "c_char"),
    ("start", "c_size_t"),
    ("end", "c_size_t"),
    ("text", "film_text"),
    ("by", "film_text"),
    ("by_start", "c_size_t"),
    ("by_end", "c_size_t"),
    ("field", "film_text"),
    ("value", "c_int"),
)
TYPES["film_reversal"] = (
    ("edits", "POINTER(film_text_edit)"),
    ("edit_count", "c_size_t"),
    ("words", "c_size_t"),
    ("a", "film_text"),
    ("b", "film_text"),
    ("probability", "c_double"),
)
TYPES["film_group_cause"] = (
    ("words", "POINTER(c_size_t)"),
    ("word_count", "c_size_t"),
)
FUNCTIONS["film_example_count"] = (
    "film", "c_size_t", "[c_void_p]")
FUNCTIONS["film_example_at"] = (
    "film", "film_status", "[c_void_p, c_size_t, POINTER(film_example), POINTER(film_error)]")
TYPES["film_explanation"] = (
    ("size", "c_size_t"),
    ("a", "film_text"),
    ("b", "film_text"),
    ("verdict", "film_verdict"),
    ("words", "POINTER(film_word_share)"),
    ("word_count", "c_size_t"),
    ("groups", "POINTER(film_reason_group)"),
    ("group_count", "c_size_t"),
    ("links", "POINTER(film_word_link)"),
    ("link_count", "c_size_t"),
    ("encoder", "POINTER(film_encoder_share)"),
    ("encoder_count", "c_size_t"),
    ("facts", "POINTER(film_fact)"),
    ("fact_count", "c_size_t"),
    ("examples", "POINTER(film_example)"),
    ("example_count", "c_size_t"),
    ("fields", "POINTER(film_field_share)"),
    ("field_count", "c_size_t"),
    ("differences", "POINTER(film_word_difference)"),
    ("difference_count", "c_size_t"),
    ("reversals", "POINTER(film_reversal)"),
    ("reversal_count", "c_size_t"),
    ("causes", "POINTER(film_group_cause)"),
    ("judgements", "c_size_t"),
)
FUNCTIONS["film_explain_pair"] = (
    "film", "film_status", "[c_void_p, film_text, film_text, POINTER(film_explanation), POINTER(film_error)]")
FUNCTIONS["film_explain_reversals"] = (
    "film", "film_status", "[c_void_p, c_double, POINTER(film_explanation), POINTER(film_error)]")
FUNCTIONS["film_verdict_json"] = (
    "film", "film_status", "[film_text, film_text, POINTER(film_verdict), c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(film_error)]")
FUNCTIONS["film_reasons_json"] = (
    "film", "film_status", "[POINTER(film_verdict), c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(film_error)]")
FUNCTIONS["film_groups_json"] = (
    "film", "film_status", "[POINTER(film_verdict), POINTER(c_char_p), POINTER(c_size_t), POINTER(film_error)]")
FUNCTIONS["film_match_json"] = (
    "film", "film_status", "[POINTER(film_explanation), c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(film_error)]")
FUNCTIONS["film_explanation_json"] = (
    "film", "film_status", "[POINTER(film_explanation), c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(film_error)]")
FUNCTIONS["film_explain_dimension"] = (
    "film", "film_status", "[c_void_p, c_size_t, c_size_t, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_explain_word"] = (
    "film", "film_status", "[c_void_p, film_text, c_size_t, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_explain_model"] = (
    "film", "film_status", "[c_void_p, c_size_t, POINTER(c_char_p), POINTER(film_error)]")
FILM_FORMAT_AUTO = 0
FILM_FORMAT_TSV = 1
FILM_FORMAT_CSV = 2
FILM_FORMAT_JSONL = 3
FILM_FORMAT_LINES = 4
FILM_FORMAT_COUNT = 5
TYPES["film_format"] = "c_int"
ENUMS["film_format"] = {'auto': 0, 'tsv': 1, 'csv': 2, 'jsonl': 3, 'lines': 4}
FUNCTIONS["film_format_name"] = (
    "film", "c_char_p", "[film_format]")
FILM_LABELS_AUTO = 0
FILM_LABELS_NONE = 1
FILM_LABELS_PAIRS = 2
FILM_LABELS_SCORES = 3
FILM_LABELS_TRIPLETS = 4
FILM_LABELS_CATEGORIES = 5
FILM_LABELS_COUNT = 6
TYPES["film_labels"] = "c_int"
ENUMS["film_labels"] = {'auto': 0, 'none': 1, 'pairs': 2, 'scores': 3, 'triplets': 4, 'categories': 5}
TYPES["film_table_options"] = (
    ("size", "c_size_t"),
    ("format", "film_format"),
    ("labels", "film_labels"),
    ("columns", "c_char_p"),
    ("skip_bad", "c_int"),
    ("encoding", "c_char_p"),
    ("fields", "c_char_p"),
    ("pair_fields", "c_char_p"),
    ("reserved", "c_void_p * 1"),
)
FUNCTIONS["film_set_interrupt"] = (
    "film", "None", "[CFUNCTYPE(c_int, c_void_p), c_void_p]")
TYPES["film_row"] = (
    ("line", "c_uint64"),
    ("a", "film_text"),
    ("b", "film_text"),
    ("c", "film_text"),
    ("id", "film_text"),
    ("category", "film_text"),
    ("label", "c_double"),
    ("raw", "film_text"),
    ("fields", "POINTER(film_text)"),
    ("field_count", "c_size_t"),
)
FUNCTIONS["film_table_open"] = (
    "film", "film_status", "[c_char_p, POINTER(film_table_options), POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_table_close"] = (
    "film", "None", "[c_void_p]")
FUNCTIONS["film_table_next"] = (
    "film", "film_status", "[c_void_p, POINTER(film_row), POINTER(film_error)]")
FUNCTIONS["film_table_row"] = (
    "film", "c_uint64", "[c_void_p]")
FUNCTIONS["film_table_labels"] = (
    "film", "film_labels", "[c_void_p]")
FUNCTIONS["film_table_format"] = (
    "film", "film_format", "[c_void_p]")
FUNCTIONS["film_table_separator"] = (
    "film", "c_char", "[c_void_p]")
FUNCTIONS["film_table_skipped"] = (
    "film", "c_uint64", "[c_void_p]")
FUNCTIONS["film_table_progress"] = (
    "film", "c_double", "[c_void_p]")
FUNCTIONS["film_table_header"] = (
    "film", "film_text", "[c_void_p]")
FUNCTIONS["film_table_columns"] = (
    "film", "c_size_t", "[c_void_p]")
FUNCTIONS["film_table_column"] = (
    "film", "film_text", "[c_void_p, c_size_t]")
FILM_COLUMN_OTHER = 0
FILM_COLUMN_A = 1
FILM_COLUMN_B = 2
FILM_COLUMN_C = 3
FILM_COLUMN_LABEL = 4
FILM_COLUMN_ID = 5
FILM_COLUMN_CATEGORY = 6
FILM_COLUMN_IGNORED = 7
TYPES["film_column"] = "c_int"
ENUMS["film_column"] = {'other': 0, 'a': 1, 'b': 2, 'c': 3, 'label': 4, 'id': 5, 'category': 6, 'ignored': 7}
FUNCTIONS["film_table_use"] = (
    "film", "film_column", "[c_void_p, c_size_t]")
TYPES["film_put_fn"] = "CFUNCTYPE(c_int, c_void_p, c_char_p, c_size_t)"
TYPES["film_workbook_fn"] = "CFUNCTYPE(film_status, c_void_p, c_void_p, c_size_t, film_put_fn, c_void_p, POINTER(film_error))"
FUNCTIONS["film_set_workbook_reader"] = (
    "film", "None", "[film_workbook_fn, c_void_p]")
FUNCTIONS["film_output_open"] = (
    "film", "film_status", "[c_char_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_output_write"] = (
    "film", "film_status", "[c_void_p, c_void_p, c_size_t, POINTER(film_error)]")
FUNCTIONS["film_output_patch"] = (
    "film", "film_status", "[c_void_p, c_uint64, c_void_p, c_size_t, POINTER(film_error)]")
FUNCTIONS["film_output_commit"] = (
    "film", "film_status", "[c_void_p, POINTER(film_error)]")
FUNCTIONS["film_output_discard"] = (
    "film", "None", "[c_void_p]")
TYPES["film_columns_fn"] = "CFUNCTYPE(None, c_void_p, c_int, POINTER(film_text), c_size_t)"
TYPES["film_record"] = (
    ("id", "film_text"),
    ("text", "film_text"),
)
TYPES["film_duplicate"] = (
    ("a", "c_size_t"),
    ("b", "c_size_t"),
    ("first", "film_record"),
    ("second", "film_record"),
    ("probability", "c_double"),
    ("first_others", "POINTER(film_text)"),
    ("second_others", "POINTER(film_text)"),
)
TYPES["film_duplicate_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_duplicate))"
TYPES["film_member"] = (
    ("cluster", "c_size_t"),
    ("cluster_size", "c_size_t"),
    ("at", "c_size_t"),
    ("record", "film_record"),
    ("probability", "c_double"),
    ("representative", "c_int"),
    ("others", "POINTER(film_text)"),
)
TYPES["film_member_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_member))"
TYPES["film_dedup_label"] = (
    ("a", "c_size_t"),
    ("b", "c_size_t"),
    ("same", "c_int"),
)
TYPES["film_dedup_options"] = (
    ("size", "c_size_t"),
    ("answer", "film_answer_options"),
    ("threshold", "c_double"),
    ("candidates", "c_size_t"),
    ("review", "c_size_t"),
    ("singles", "c_int"),
    ("labels", "POINTER(film_dedup_label)"),
    ("label_count", "c_size_t"),
    ("table", "film_table_options"),
    ("progress", "film_progress"),
    ("pair", "film_duplicate_fn"),
    ("borderline", "film_duplicate_fn"),
    ("member", "film_member_fn"),
    ("user", "c_void_p"),
    ("columns", "film_columns_fn"),
    ("recall", "c_int"),
)
TYPES["film_dedup_result"] = (
    ("size", "c_size_t"),
    ("records", "c_uint64"),
    ("distinct", "c_uint64"),
    ("compared", "c_uint64"),
    ("pairs", "c_uint64"),
    ("sure", "c_uint64"),
    ("clusters", "c_uint64"),
    ("clustered", "c_uint64"),
    ("largest", "c_uint64"),
    ("connected", "c_uint64"),
    ("contradictions", "c_uint64"),
    ("skipped", "c_uint64"),
    ("threshold", "c_double"),
    ("reduction", "c_double"),
    ("sampled", "c_uint64"),
    ("sampled_against", "c_uint64"),
    ("sampled_pairs", "c_uint64"),
    ("sampled_found", "c_uint64"),
    ("completeness", "c_double"),
    ("completeness_low", "c_double"),
    ("completeness_high", "c_double"),
)
FUNCTIONS["film_dedup"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_record), c_size_t, POINTER(film_dedup_options), POINTER(film_dedup_result), POINTER(film_error)]")
FUNCTIONS["film_dedup_file"] = (
    "pool", "film_status", "[c_void_p, c_char_p, POINTER(film_dedup_options), POINTER(film_dedup_result), POINTER(film_error)]")
TYPES["film_link_match"] = (
    ("a", "c_size_t"),
    ("b", "c_size_t"),
    ("first", "film_record"),
    ("second", "film_record"),
    ("probability", "c_double"),
    ("first_others", "POINTER(film_text)"),
    ("second_others", "POINTER(film_text)"),
)
TYPES["film_link_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_link_match))"
TYPES["film_link_options"] = (
    ("size", "c_size_t"),
    ("answer", "film_answer_options"),
    ("threshold", "c_double"),
    ("candidates", "c_size_t"),
    ("most", "c_size_t"),
    ("unique", "c_int"),
    ("table", "film_table_options"),
    ("progress", "film_progress"),
    ("match", "film_link_fn"),
    ("user", "c_void_p"),
    ("columns", "film_columns_fn"),
)
TYPES["film_link_result"] = (
    ("size", "c_size_t"),
    ("a", "c_uint64"),
    ("b", "c_uint64"),
    ("compared", "c_uint64"),
    ("matched", "c_uint64"),
    ("skipped", "c_uint64"),
    ("threshold", "c_double"),
    ("unanswered", "c_uint64"),
)
FUNCTIONS["film_link"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_record), c_size_t, POINTER(film_record), c_size_t, POINTER(film_link_options), POINTER(film_link_result), POINTER(film_error)]")
FUNCTIONS["film_link_files"] = (
    "pool", "film_status", "[c_void_p, c_char_p, c_char_p, POINTER(film_link_options), POINTER(film_link_result), POINTER(film_error)]")
FUNCTIONS["film_pool_is_uri"] = (
    "pool", "c_int", "[c_char_p]")
FUNCTIONS["film_pool_create"] = (
    "pool", "film_status", "[c_char_p, c_char_p, POINTER(film_error)]")
FUNCTIONS["film_pool_open"] = (
    "pool", "film_status", "[c_char_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_pool_close"] = (
    "pool", "None", "[c_void_p]")
FUNCTIONS["film_pool_replaced"] = (
    "pool", "c_int", "[c_void_p, c_char_p]")
TYPES["film_tell_fn"] = "CFUNCTYPE(None, c_void_p, c_char_p)"
FUNCTIONS["film_pool_follow"] = (
    "pool", "film_status", "[c_void_p, film_tell_fn, c_void_p, POINTER(film_error)]")
FUNCTIONS["film_pool_set_wait"] = (
    "pool", "None", "[c_void_p, c_double]")
FUNCTIONS["film_pool_store_words"] = (
    "pool", "film_status", "[c_void_p, c_char_p, POINTER(c_uint64), POINTER(film_error)]")
FUNCTIONS["film_pool_words"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_pool_set_words"] = (
    "pool", "film_status", "[c_void_p, c_char_p, POINTER(film_error)]")
FUNCTIONS["film_pool_set_arithmetic"] = (
    "pool", "film_status", "[c_void_p, film_arithmetic, POINTER(film_error)]")
FUNCTIONS["film_pool_model"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_void_p), POINTER(film_error)]")
TYPES["film_pool_description"] = (
    ("size", "c_size_t"),
    ("sentences", "c_uint64"),
    ("labels", "c_uint64"),
    ("clusters", "c_uint64"),
    ("changes", "c_uint64"),
    ("dim", "c_uint64"),
    ("model_bytes", "c_uint64"),
    ("model_checksum", "c_char * 64"),
    ("created", "c_char * 64"),
    ("identity", "c_char * 64"),
    ("threshold", "c_double"),
)
FUNCTIONS["film_pool_describe"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_description), POINTER(film_error)]")
FUNCTIONS["film_pool_describe_json"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_pool_changes"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_uint64), POINTER(film_error)]")
TYPES["film_sentence"] = (
    ("id", "film_text"),
    ("text", "film_text"),
    ("category", "film_text"),
    ("answer", "film_text"),
    ("url", "film_text"),
    ("more", "film_text"),
)
FILM_POOL_ID_BYTES = 1000
TYPES["film_pool_added"] = (
    ("size", "c_size_t"),
    ("added", "c_uint64"),
    ("replaced", "c_uint64"),
    ("present", "c_uint64"),
    ("differ", "c_uint64"),
    ("blank", "c_uint64"),
    ("skipped", "c_uint64"),
)
TYPES["film_pool_add_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("replace", "c_int"),
    ("batch", "c_size_t"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
    ("committed", "CFUNCTYPE(None, c_void_p, POINTER(film_pool_added))"),
    ("committed_user", "c_void_p"),
    ("max_sentence", "c_size_t"),
)
FUNCTIONS["film_pool_add"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_sentence), c_size_t, POINTER(film_pool_add_options), POINTER(film_pool_added), POINTER(film_error)]")
FUNCTIONS["film_pool_add_files"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_char_p), c_size_t, POINTER(film_pool_add_options), POINTER(film_pool_added), POINTER(film_error)]")
FUNCTIONS["film_pool_remove"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_text), c_size_t, c_int, POINTER(c_uint64), POINTER(film_error)]")
TYPES["film_sentence_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_sentence))"
FUNCTIONS["film_pool_get"] = (
    "pool", "film_status", "[c_void_p, film_text, film_sentence_fn, c_void_p, POINTER(film_error)]")
TYPES["film_pool_where"] = (
    ("field", "film_text"),
    ("value", "film_text"),
)
TYPES["film_pool_filter"] = (
    ("size", "c_size_t"),
    ("where", "POINTER(film_pool_where)"),
    ("where_count", "c_size_t"),
    ("limit", "c_uint64"),
)
FUNCTIONS["film_pool_list"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_filter), film_sentence_fn, c_void_p, POINTER(film_error)]")
FUNCTIONS["film_pool_export"] = (
    "pool", "film_status", "[c_void_p, c_char_p, film_format, POINTER(film_progress), POINTER(c_uint64), POINTER(film_error)]")
FUNCTIONS["film_pool_export_labels"] = (
    "pool", "film_status", "[c_void_p, c_char_p, film_format, POINTER(c_uint64), POINTER(film_error)]")
FUNCTIONS["film_pool_update"] = (
    "pool", "film_status", "[c_void_p, c_char_p, c_int, POINTER(film_progress), POINTER(c_uint64), POINTER(film_error)]")
FUNCTIONS["film_pool_outdated"] = (
    "pool", "c_int", "[c_void_p, c_void_p]")
TYPES["film_search_options"] = (
    ("size", "c_size_t"),
    ("k", "c_size_t"),
    ("candidates", "c_size_t"),
    ("where", "POINTER(film_pool_where)"),
    ("where_count", "c_size_t"),
    ("least", "c_double"),
    ("explain", "c_int"),
    ("answer", "film_answer_options"),
    ("progress", "film_progress"),
    ("answered_only", "c_int"),
)
TYPES["film_found"] = (
    ("query", "c_size_t"),
    ("place", "c_size_t"),
    ("sentence", "film_sentence"),
    ("verdict", "film_verdict"),
    ("score", "c_double"),
    ("answered", "c_double"),
    ("answers", "c_int"),
)
TYPES["film_found_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_found))"
FUNCTIONS["film_pool_search"] = (
    "pool", "film_status", "[c_void_p, film_text, POINTER(film_search_options), film_found_fn, c_void_p, POINTER(film_error)]")
FUNCTIONS["film_pool_search_many"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_text), c_size_t, POINTER(film_search_options), film_found_fn, c_void_p, POINTER(film_error)]")
TYPES["film_pool_label_row"] = (
    ("a", "film_text"),
    ("b", "film_text"),
    ("same", "c_int"),
    ("when", "film_text"),
    ("origin", "film_text"),
)
FUNCTIONS["film_pool_label"] = (
    "pool", "film_status", "[c_void_p, film_text, film_text, c_int, c_char_p, POINTER(film_error)]")
FUNCTIONS["film_pool_label_many"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_label_row), c_size_t, c_char_p, POINTER(c_uint64), POINTER(film_error)]")
FUNCTIONS["film_pool_unlabel"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_label_row), c_size_t, POINTER(c_uint64), POINTER(film_error)]")
TYPES["film_label_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_pool_label_row))"
FUNCTIONS["film_pool_labels"] = (
    "pool", "film_status", "[c_void_p, film_label_fn, c_void_p, POINTER(film_error)]")
TYPES["film_pair_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_pair))"
FUNCTIONS["film_pool_labelled_pairs"] = (
    "pool", "film_status", "[c_void_p, film_pair_fn, c_void_p, POINTER(film_error)]")
TYPES["film_cluster_fn"] = "CFUNCTYPE(c_int, c_void_p, film_text, film_text)"
FUNCTIONS["film_pool_clusters"] = (
    "pool", "film_status", "[c_void_p, film_cluster_fn, c_void_p, POINTER(film_error)]")
FUNCTIONS["film_pool_dedup"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_dedup_options), POINTER(film_dedup_result), POINTER(film_error)]")
TYPES["film_pool_check_options"] = (
    ("size", "c_size_t"),
    ("full", "c_int"),
    ("repair", "c_int"),
    ("recall", "c_size_t"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
    ("problem", "CFUNCTYPE(None, c_void_p, c_char_p)"),
    ("problem_user", "c_void_p"),
)
TYPES["film_pool_checked"] = (
    ("size", "c_size_t"),
    ("sentences", "c_uint64"),
    ("vectors", "c_uint64"),
    ("labels", "c_uint64"),
    ("compared", "c_uint64"),
    ("problems", "c_uint64"),
    ("repaired", "c_uint64"),
    ("sampled", "c_uint64"),
    ("recall", "c_double"),
    ("contradictions", "c_uint64"),
)
FUNCTIONS["film_pool_check"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_check_options), POINTER(film_pool_checked), POINTER(film_error)]")
FUNCTIONS["film_pool_set_process_allocator"] = (
    "pool", "film_status", "[POINTER(film_allocator), POINTER(film_error)]")
TYPES["film_review_pair"] = (
    ("first", "film_record"),
    ("second", "film_record"),
    ("probability", "c_double"),
    ("same", "c_int"),
    ("random", "c_int"),
)
TYPES["film_review_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_review_pair))"
FILM_REVIEW_MOST = 1000
TYPES["film_review_options"] = (
    ("size", "c_size_t"),
    ("count", "c_size_t"),
    ("random", "c_double"),
    ("seed", "c_uint64"),
    ("answer", "film_answer_options"),
    ("progress", "film_progress"),
    ("call", "film_review_fn"),
    ("skip", "CFUNCTYPE(c_int, c_void_p, film_text, film_text)"),
    ("user", "c_void_p"),
)
FUNCTIONS["film_pool_review"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_review_options), POINTER(film_error)]")
FILM_REVIEW_ORIGIN = 32
FUNCTIONS["film_review_origin"] = (
    "pool", "None", "[POINTER(film_review_pair), c_char_p]")
FUNCTIONS["film_review_read_origin"] = (
    "pool", "c_int", "[film_text, POINTER(film_review_pair)]")
TYPES["film_review_estimate"] = (
    ("size", "c_size_t"),
    ("answered", "c_uint64"),
    ("random", "c_uint64"),
    ("right", "c_uint64"),
    ("accuracy", "c_double"),
    ("low", "c_double"),
    ("high", "c_double"),
    ("share", "c_double"),
)
FUNCTIONS["film_pool_review_estimate"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_review_estimate), POINTER(film_error)]")
TYPES["film_training_set"] = (
    ("size", "c_size_t"),
    ("pairs", "POINTER(film_pair)"),
    ("pair_count", "c_size_t"),
    ("sentences", "POINTER(film_text)"),
    ("sentence_count", "c_size_t"),
    ("edits", "c_void_p"),
    ("plan_pairs", "c_size_t"),
    ("random_share", "c_double"),
)
TYPES["film_learn_options"] = (
    ("size", "c_size_t"),
    ("train", "CFUNCTYPE(film_status, c_void_p, POINTER(film_training_set), POINTER(c_void_p), POINTER(film_error))"),
    ("user", "c_void_p"),
    ("force", "c_int"),
    ("dry_run", "c_int"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
)
TYPES["film_learned"] = (
    ("size", "c_size_t"),
    ("labels", "c_uint64"),
    ("compared", "c_uint64"),
    ("old_accuracy", "c_double"),
    ("new_accuracy", "c_double"),
    ("new_low", "c_double"),
    ("new_high", "c_double"),
    ("difference", "c_double"),
    ("difference_low", "c_double"),
    ("difference_high", "c_double"),
    ("p", "c_double"),
    ("taken", "c_int"),
    ("id", "c_char * 24"),
)
FUNCTIONS["film_pool_learn"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_learn_options), POINTER(film_learned), POINTER(film_error)]")
FUNCTIONS["film_pool_models"] = (
    "pool", "film_status", "[c_void_p, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_pool_restore"] = (
    "pool", "film_status", "[c_void_p, c_int, POINTER(film_progress), POINTER(film_error)]")
FUNCTIONS["film_pool_set_threshold"] = (
    "pool", "film_status", "[c_void_p, c_double, POINTER(film_error)]")
TYPES["film_pool_threshold_point"] = (
    ("threshold", "c_double"),
    ("share", "c_double"),
    ("expected_precision", "c_double"),
    ("expected_recall", "c_double"),
    ("precision", "c_double"),
    ("precision_low", "c_double"),
    ("precision_high", "c_double"),
    ("recall", "c_double"),
    ("recall_low", "c_double"),
    ("recall_high", "c_double"),
    ("answers", "c_uint64"),
)
TYPES["film_pool_threshold_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_pool_threshold_point))"
FILM_THRESHOLDS_ENOUGH = 50
TYPES["film_thresholds_options"] = (
    ("size", "c_size_t"),
    ("sample", "c_size_t"),
    ("seed", "c_uint64"),
    ("budget", "c_double"),
    ("examples", "c_size_t"),
    ("answer", "film_answer_options"),
    ("progress", "film_progress"),
    ("point", "film_pool_threshold_fn"),
    ("example", "film_review_fn"),
    ("user", "c_void_p"),
)
TYPES["film_thresholds"] = (
    ("size", "c_size_t"),
    ("pairs", "c_uint64"),
    ("answers", "c_uint64"),
    ("covered", "c_double"),
    ("enough", "c_int"),
    ("threshold", "c_double"),
    ("budget_at", "film_pool_threshold_point"),
)
FUNCTIONS["film_pool_thresholds"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_thresholds_options), POINTER(film_thresholds), POINTER(film_error)]")
TYPES["film_pool_member"] = (
    ("id", "film_text"),
    ("text", "film_text"),
    ("probability", "c_double"),
    ("representative", "c_int"),
)
TYPES["film_pool_cluster"] = (
    ("place", "c_size_t"),
    ("members", "POINTER(film_pool_member)"),
    ("count", "c_size_t"),
    ("weakest", "c_double"),
    ("reviewed", "c_int"),
)
TYPES["film_pool_cluster_fn"] = "CFUNCTYPE(c_int, c_void_p, POINTER(film_pool_cluster))"
FILM_CLUSTERS_BY_SIZE = 0
FILM_CLUSTERS_BY_DOUBT = 1
FILM_CLUSTER_ORDER_COUNT = 2
TYPES["film_cluster_order"] = "c_int"
ENUMS["film_cluster_order"] = {'size': 0, 'doubt': 1}
TYPES["film_pool_clusters_options"] = (
    ("size", "c_size_t"),
    ("order", "film_cluster_order"),
    ("from", "c_size_t"),
    ("most", "c_size_t"),
    ("threshold", "c_double"),
    ("answer", "film_answer_options"),
    ("progress", "film_progress"),
    ("call", "film_pool_cluster_fn"),
    ("user", "c_void_p"),
)
TYPES["film_pool_clusters_result"] = (
    ("size", "c_size_t"),
    ("sentences", "c_uint64"),
    ("clusters", "c_uint64"),
    ("clustered", "c_uint64"),
    ("reviewed", "c_uint64"),
    ("threshold", "c_double"),
)
FUNCTIONS["film_pool_list_clusters"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_pool_clusters_options), POINTER(film_pool_clusters_result), POINTER(film_error)]")
FILM_CLUSTER_SAME = 0
FILM_CLUSTER_SPLIT = 1
FILM_CLUSTER_REPRESENT = 2
FILM_CLUSTER_ACTION_COUNT = 3
TYPES["film_cluster_action"] = "c_int"
ENUMS["film_cluster_action"] = {'same': 0, 'split': 1, 'represent': 2}
FILM_CLUSTER_MOST = 10000
TYPES["film_cluster_edit"] = (
    ("size", "c_size_t"),
    ("action", "film_cluster_action"),
    ("ids", "POINTER(film_text)"),
    ("count", "c_size_t"),
    ("rest", "POINTER(film_text)"),
    ("rest_count", "c_size_t"),
)
FUNCTIONS["film_pool_edit_clusters"] = (
    "pool", "film_status", "[c_void_p, POINTER(film_cluster_edit), POINTER(c_uint64), POINTER(film_error)]")
FILM_ACCURACY = 0
FILM_F1 = 1
FILM_PRECISION = 2
FILM_RECALL = 3
FILM_CRITERION_COUNT = 4
TYPES["film_criterion"] = "c_int"
ENUMS["film_criterion"] = {'accuracy': 0, 'f1': 1, 'precision': 2, 'recall': 3}
TYPES["film_operating"] = (
    ("criterion", "film_criterion"),
    ("target", "c_double"),
)
FILM_EVAL_AUTO = 0
FILM_EVAL_FULL = 1
FILM_EVAL_THRESHOLD = 2
FILM_EVAL_KNN = 3
FILM_EVAL_DECISION_COUNT = 4
TYPES["film_eval_decision"] = "c_int"
ENUMS["film_eval_decision"] = {'auto': 0, 'full': 1, 'threshold': 2, 'knn': 3}
FUNCTIONS["film_eval_decision_name"] = (
    "train", "c_char_p", "[film_eval_decision]")
FILM_KNN_MUTUAL = 0
FILM_KNN_EITHER = 1
FILM_KNN_COUNT = 2
TYPES["film_knn"] = "c_int"
ENUMS["film_knn"] = {'mutual': 0, 'either': 1}
FUNCTIONS["film_knn_name"] = (
    "train", "c_char_p", "[film_knn]")
TYPES["film_eval_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("k_first", "c_size_t"),
    ("k_last", "c_size_t"),
    ("no_knn", "c_int"),
    ("knn", "film_knn"),
    ("decision", "film_eval_decision"),
    ("no_memory", "c_int"),
    ("prior", "c_double"),
    ("threshold", "c_double"),
    ("operating", "POINTER(film_operating)"),
    ("against", "c_void_p"),
    ("names", "c_char_p * 2"),
    ("pool", "c_char_p"),
    ("pool_table", "film_table_options"),
    ("pool_queries", "c_size_t"),
    ("bootstrap", "c_size_t"),
    ("seed", "c_uint64"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
)
TYPES["film_figure"] = (
    ("value", "c_double"),
    ("low", "c_double"),
    ("high", "c_double"),
)
TYPES["film_knn_point"] = (
    ("k", "c_size_t"),
    ("true_positives", "c_uint64"),
    ("false_positives", "c_uint64"),
    ("true_negatives", "c_uint64"),
    ("false_negatives", "c_uint64"),
    ("cross_entropy", "c_double"),
    ("accuracy", "c_double"),
    ("true_positive_rate", "c_double"),
    ("true_negative_rate", "c_double"),
    ("false_positive_rate", "c_double"),
    ("false_negative_rate", "c_double"),
)
TYPES["film_threshold_point"] = (
    ("threshold", "c_double"),
    ("precision", "c_double"),
    ("recall", "c_double"),
    ("called_same", "c_double"),
    ("used", "c_int"),
)
TYPES["film_near_kind"] = (
    ("name", "c_char_p"),
    ("pairs", "c_uint64"),
    ("called_same", "c_uint64"),
)
TYPES["film_near_misses"] = (
    ("pairs", "c_uint64"),
    ("called_same", "c_uint64"),
    ("low", "c_double"),
    ("high", "c_double"),
    ("kinds", "film_near_kind * 9"),
    ("labelled", "c_uint64"),
    ("labelled_called_same", "c_uint64"),
    ("precision", "c_double"),
    ("precision_low", "c_double"),
    ("precision_high", "c_double"),
)
TYPES["film_operating_point"] = (
    ("wanted", "film_operating"),
    ("threshold", "c_double"),
    ("reached", "c_int"),
    ("accuracy", "c_double"),
    ("precision", "c_double"),
    ("recall", "c_double"),
    ("f1", "c_double"),
    ("low", "c_double"),
    ("high", "c_double"),
    ("pairs", "c_uint64"),
    ("prior", "c_double"),
    ("near_misses", "film_near_misses"),
)
TYPES["film_difference"] = (
    ("first", "c_double"),
    ("second", "c_double"),
    ("difference", "c_double"),
    ("low", "c_double"),
    ("high", "c_double"),
)
TYPES["film_comparison"] = (
    ("first", "c_char_p"),
    ("second", "c_char_p"),
    ("accuracy", "film_difference"),
    ("f1", "film_difference"),
    ("log_loss", "film_difference"),
    ("auc", "film_difference"),
    ("brier", "film_difference"),
    ("pearson", "film_difference"),
    ("spearman", "film_difference"),
    ("only_first_right", "c_uint64"),
    ("only_second_right", "c_uint64"),
    ("mcnemar_exact", "c_int"),
    ("mcnemar_statistic", "c_double"),
    ("mcnemar_p", "c_double"),
    ("better", "c_int"),
    ("sentence", "c_char_p"),
)
TYPES["film_retrieval"] = (
    ("queries", "c_uint64"),
    ("pool", "c_uint64"),
    ("recall_1", "c_double"),
    ("recall_10", "c_double"),
    ("recall_36", "c_double"),
    ("mean_reciprocal_rank", "c_double"),
)
TYPES["film_class_figure"] = (
    ("category", "c_char_p"),
    ("rows", "c_uint64"),
    ("precision", "c_double"),
    ("recall", "c_double"),
    ("f1", "c_double"),
)
TYPES["film_confusion"] = (
    ("category", "c_char_p"),
    ("answered", "c_char_p"),
    ("count", "c_uint64"),
)
FILM_CONFUSIONS = 20
TYPES["film_class_result"] = (
    ("macro_f1", "c_double"),
    ("classes", "POINTER(film_class_figure)"),
    ("class_count", "c_size_t"),
    ("confusions", "POINTER(film_confusion)"),
    ("confusion_count", "c_size_t"),
    ("unknown_rows", "c_uint64"),
    ("none_auroc", "c_double"),
    ("answered", "c_double"),
    ("refused", "c_double"),
)
TYPES["film_eval_result"] = (
    ("size", "c_size_t"),
    ("owned", "c_void_p"),
    ("rows", "c_uint64"),
    ("sentences", "c_uint64"),
    ("skipped", "c_uint64"),
    ("labels", "film_labels"),
    ("decision", "film_eval_decision"),
    ("prior", "c_double"),
    ("threshold", "c_double"),
    ("accuracy", "film_figure"),
    ("best_accuracy", "film_figure"),
    ("log_loss", "film_figure"),
    ("f1", "film_figure"),
    ("auc", "film_figure"),
    ("average_precision", "film_figure"),
    ("ece", "film_figure"),
    ("brier", "film_figure"),
    ("best_threshold", "c_double"),
    ("triplet_accuracy", "film_figure"),
    ("pearson", "film_figure"),
    ("spearman", "film_figure"),
    ("pearson_log_odds", "c_double"),
    ("category_accuracy", "film_figure * 3"),
    ("knn", "film_knn"),
    ("knn_points", "POINTER(film_knn_point)"),
    ("knn_point_count", "c_size_t"),
    ("best_k", "c_size_t"),
    ("elbow_k", "c_size_t"),
    ("operating", "POINTER(film_operating_point)"),
    ("against", "POINTER(film_comparison)"),
    ("retrieval", "POINTER(film_retrieval)"),
    ("precision", "film_figure"),
    ("recall", "film_figure"),
    ("true_positives", "c_uint64"),
    ("false_positives", "c_uint64"),
    ("true_negatives", "c_uint64"),
    ("false_negatives", "c_uint64"),
    ("thresholds", "POINTER(film_threshold_point)"),
    ("threshold_count", "c_size_t"),
    ("classes", "POINTER(film_class_result)"),
)
FUNCTIONS["film_eval"] = (
    "train", "film_status", "[c_void_p, c_char_p, POINTER(film_eval_options), POINTER(film_eval_result), POINTER(film_error)]")
FUNCTIONS["film_eval_result_free"] = (
    "train", "None", "[POINTER(film_eval_result)]")
FUNCTIONS["film_eval_json"] = (
    "train", "film_status", "[POINTER(film_eval_result), POINTER(c_char_p), POINTER(film_error)]")
TYPES["film_neighbour_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("k", "c_size_t"),
    ("knn", "film_knn"),
    ("pool", "c_char_p"),
    ("pool_table", "film_table_options"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
)
FUNCTIONS["film_neighbours"] = (
    "train", "film_status", "[c_void_p, c_char_p, POINTER(film_neighbour_options), POINTER(POINTER(c_uint32)), POINTER(c_size_t), POINTER(film_error)]")
FILM_WORD = 1
FILM_BIGRAM = 2
FILM_CHAR = 4
FILM_METHOD_AUTO = 0
FILM_METHOD_TFIDF = 1
FILM_METHOD_SVD = 2
FILM_METHOD_FILM = 3
FILM_METHOD_MFILM = 4
FILM_METHOD_RANK = 5
FILM_METHOD_DEEP = 6
FILM_METHOD_COUNT = 7
TYPES["film_method"] = "c_int"
ENUMS["film_method"] = {'auto': 0, 'tfidf': 1, 'svd': 2, 'film': 3, 'mfilm': 4, 'rank': 5, 'deep': 6}
TYPES["film_solver_options"] = (
    ("power", "c_double"),
    ("eigen", "c_int"),
    ("margin_ratio", "c_double"),
    ("positives", "c_size_t"),
    ("labelled", "c_size_t"),
    ("hard", "c_size_t"),
    ("random", "c_size_t"),
    ("iterations", "c_size_t"),
    ("inner", "c_size_t"),
    ("epsilon", "c_double"),
    ("least_change", "c_double"),
    ("rho", "c_double"),
    ("gamma", "c_double"),
    ("shrink", "c_double"),
    ("first_tau", "c_double"),
    ("batch_basis", "c_int"),
    ("sample", "c_size_t"),
)
TYPES["film_paper_options"] = (
    ("letter", "c_int"),
    ("weights", "c_int"),
    ("keep", "c_int"),
    ("margin", "c_double"),
    ("damped", "c_int"),
)
TYPES["film_rank_options"] = (
    ("rate", "c_double"),
    ("temperature", "c_double"),
)
FILM_LOSS_TRIPLET = 0
FILM_LOSS_NPAIR = 1
FILM_LOSS_COUNT = 2
TYPES["film_loss"] = "c_int"
ENUMS["film_loss"] = {'triplet': 0, 'npair': 1}
TYPES["film_deep_options"] = (
    ("tokens", "c_size_t"),
    ("maps", "c_size_t * 4"),
    ("loss", "film_loss"),
    ("margin", "c_double"),
    ("dropout", "c_double"),
)
TYPES["film_train_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("pairs", "POINTER(film_pair)"),
    ("pair_count", "c_size_t"),
    ("dev", "c_char_p"),
    ("operating", "film_operating"),
    ("prior", "c_double"),
    ("train_share", "c_double"),
    ("decision", "film_decision"),
    ("no_memory", "c_int"),
    ("keep_examples", "c_size_t"),
    ("features", "c_uint"),
    ("min_df", "c_size_t"),
    ("max_features", "c_size_t"),
    ("stem", "c_char_p"),
    ("stop", "c_char_p"),
    ("bert", "c_char_p"),
    ("arithmetic", "film_arithmetic"),
    ("cache", "c_char_p"),
    ("method", "film_method"),
    ("similarity", "film_similarity"),
    ("rank", "c_size_t"),
    ("dim", "c_size_t"),
    ("epochs", "c_size_t"),
    ("batch", "c_size_t"),
    ("solver", "film_solver_options"),
    ("ranking", "film_rank_options"),
    ("deep", "film_deep_options"),
    ("seed", "c_uint64"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
    ("paper", "film_paper_options"),
    ("vectors", "c_char_p"),
    ("sentences", "POINTER(film_text)"),
    ("sentence_count", "c_size_t"),
    ("words", "c_char_p"),
    ("language", "c_char_p"),
    ("no_made_up", "c_int"),
    ("edits", "c_void_p"),
    ("plan_pairs", "c_size_t"),
    ("start", "c_char_p"),
    ("random_share", "c_double"),
)
FUNCTIONS["film_guess_fields"] = (
    "train", "film_status", "[c_char_p, POINTER(film_table_options), POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_train"] = (
    "train", "film_status", "[POINTER(c_char_p), c_size_t, POINTER(film_train_options), POINTER(c_void_p), POINTER(film_error)]")
TYPES["film_reference_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
)
FUNCTIONS["film_set_reference"] = (
    "train", "film_status", "[c_void_p, c_char_p, POINTER(film_reference_options), POINTER(film_error)]")
TYPES["film_report_options"] = (
    ("size", "c_size_t"),
    ("name", "c_char_p"),
    ("eval", "c_char_p"),
    ("train", "POINTER(c_char_p)"),
    ("train_count", "c_size_t"),
    ("pool", "c_char_p"),
    ("compare", "c_char_p"),
    ("eval_table", "film_table_options"),
    ("train_table", "film_table_options"),
    ("pool_table", "film_table_options"),
    ("seed", "c_uint64"),
    ("threads", "c_int"),
    ("progress", "film_progress"),
)
FUNCTIONS["film_report"] = (
    "train", "film_status", "[c_void_p, POINTER(film_report_options), c_char_p, POINTER(film_error)]")
TYPES["film_split_options"] = (
    ("size", "c_size_t"),
    ("table", "film_table_options"),
    ("train_share", "c_double"),
    ("seed", "c_uint64"),
    ("progress", "film_progress"),
    ("by_rows", "c_int"),
)
TYPES["film_split_result"] = (
    ("size", "c_size_t"),
    ("train_rows", "c_uint64"),
    ("dev_rows", "c_uint64"),
    ("components", "c_uint64"),
    ("largest_component", "c_uint64"),
    ("skipped", "c_uint64"),
)
FUNCTIONS["film_split"] = (
    "train", "film_status", "[c_char_p, c_char_p, c_char_p, POINTER(film_split_options), POINTER(film_split_result), POINTER(film_error)]")
FUNCTIONS["film_train_register"] = (
    "train", "None", "[]")
FUNCTIONS["film_bert_open"] = (
    "train", "film_status", "[c_char_p, POINTER(c_void_p), POINTER(film_error)]")
FUNCTIONS["film_bert_round"] = (
    "train", "film_status", "[c_void_p, POINTER(film_error)]")
FUNCTIONS["film_bert_close"] = (
    "train", "None", "[c_void_p]")
FUNCTIONS["film_bert_dim"] = (
    "train", "c_size_t", "[c_void_p]")
FUNCTIONS["film_bert_describe"] = (
    "train", "film_status", "[c_void_p, POINTER(c_char_p), POINTER(film_error)]")
FUNCTIONS["film_bert_embed"] = (
    "train", "film_status", "[c_void_p, POINTER(film_text), c_size_t, c_int, POINTER(c_float), POINTER(film_error)]")
