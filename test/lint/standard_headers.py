"""A public header includes a header for each name that it uses from the standard library or another precompiled header,
itself or through the project's headers: so it compiles without precompiled headers."""

import pathlib
import re
from typing import Iterator

from cpp_text import without_comments, without_noise
from lint import Finding, cpp_files, line_of, main

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"\bstd::(?:ranges::|chrono::|filesystem::|views::)?(\w+)")
JSON = {f"boost/json/{name}.hpp" for name in ("array", "object", "value")}  # each has the others
JSON_NAMED = {"boost/json/fwd.hpp"}  # enough for references
BOOST = {
    "boost::container::small_vector": {"boost/container/small_vector.hpp"},
    "boost::json::array": JSON, "boost::json::object": JSON | JSON_NAMED, "boost::json::value": JSON | JSON_NAMED,
    "boost::unordered_flat_map": {"boost/unordered/unordered_flat_map.hpp"},
}  # the names of those in KBSIM_COMMON_HEADERS -> the headers that have them
PUBLIC = "include/"

# Standard header -> the names that it is asked for; a name may be in several.
NAMES = {
    "algorithm": "all_of any_of clamp copy count count_if equal fill find find_if for_each "
                 "for_each_n binary_search lexicographical_compare lower_bound max max_element min min_element "
                 "minmax move_backward none_of remove_if replace reverse sort stable_sort transform unique "
                 "upper_bound",
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": "atomic atomic_flag atomic_signal_fence memory_order_acquire memory_order_relaxed memory_order_release "
              "memory_order_seq_cst",
    "bit": "bit_cast bit_ceil bit_width countl_zero countr_zero endian has_single_bit popcount",
    "chrono": "chrono duration milliseconds nanoseconds steady_clock",
    "cmath": "abs ceil exp floor isfinite isinf isnan log log1p log2 lround pow round signbit sqrt",
    "compare": "partial_ordering strong_ordering three_way_comparable weak_ordering",
    "concepts": "constructible_from convertible_to copy_constructible derived_from floating_point integral "
                "invocable same_as signed_integral unsigned_integral",
    "coroutine": "coroutine_handle noop_coroutine suspend_always suspend_never",
    "csignal": "sig_atomic_t signal",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstdio": "FILE fclose fflush fprintf fputs",
    "cstdlib": "abort getenv",
    "cstring": "memcpy memset strlen",
    "deque": "deque erase_if",
    "exception": "current_exception exception exception_ptr make_exception_ptr rethrow_exception terminate "
                 "uncaught_exceptions",
    "filesystem": "filesystem path",
    "functional": "equal_to function greater hash invoke less multiplies plus reference_wrapper",
    "initializer_list": "initializer_list",
    "iosfwd": "istream ostream",
    "iterator": "back_inserter begin default_sentinel_t end forward_iterator_tag input_iterator_tag "
                "iter_value_t next prev random_access_iterator_tag size ssize",
    "limits": "numeric_limits",
    "list": "list",
    "map": "erase_if map multimap",
    "memory": "addressof allocate_shared allocator construct_at destroy destroy_at enable_shared_from_this "
              "make_shared make_unique make_unique_for_overwrite shared_ptr static_pointer_cast uninitialized_move "
              "unique_ptr weak_ptr",
    "mutex": "lock_guard mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder",
    "numeric": "accumulate gcd iota lcm reduce",
    "optional": "nullopt optional",
    "ostream": "endl ostream",
    "queue": "priority_queue queue",
    "random": "mt19937_64 uniform_int_distribution",
    "ranges": "ranges views",
    "ratio": "pico",
    "set": "erase_if multiset set",
    "source_location": "source_location",
    "span": "dynamic_extent span",
    "stdexcept": "invalid_argument logic_error out_of_range runtime_error",
    "string": "char_traits erase erase_if hash string to_string",
    "string_view": "string_view",
    "system_error": "error_code",
    "tuple": "apply get make_tuple tie tuple tuple_element_t tuple_size_v",
    "type_traits": "add_const_t bool_constant conditional_t decay_t enable_if_t false_type "
                   "has_virtual_destructor_v integral_constant invoke_result_t is_aggregate_v is_base_of_v "
                   "is_class_v is_const_v is_constructible_v is_convertible_v is_default_constructible_v "
                   "is_empty_v is_enum_v is_floating_point_v is_integral_v is_invocable_r_v is_invocable_v "
                   "is_lvalue_reference_v is_member_object_pointer_v is_nothrow_move_constructible_v "
                   "is_reference_v is_same_v is_signed_v is_trivially_copyable_v is_trivially_destructible_v "
                   "is_unsigned_v is_void_v make_signed_t make_unsigned_t remove_const_t remove_cvref_t "
                   "remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t",
    "typeindex": "type_index",
    "typeinfo": "type_info",
    "unordered_map": "erase_if unordered_map",
    "unordered_set": "unordered_set",
    "utility": "as_const cmp_equal cmp_less declval exchange forward get in_place in_place_type "
               "index_sequence index_sequence_for make_index_sequence make_pair move move_if_noexcept pair "
               "swap to_underlying unreachable",
    "variant": "get get_if holds_alternative monostate variant variant_alternative_t variant_size_v visit",
    "vector": "erase erase_if vector",
}
HEADERS_OF: dict[str, set[str]] = {}
for header, names in NAMES.items():
    for a_name in names.split():
        HEADERS_OF.setdefault(a_name, set()).add(header)

# Headers that the standard says a header includes.
GIVES = {
    "chrono": {"ratio"},
    "string": {"initializer_list", "iterator", "string_view", "cstddef", "compare"},
    "vector": {"initializer_list", "iterator", "cstddef"},
    "array": {"cstddef", "utility", "initializer_list", "iterator"},
    "span": {"cstddef", "iterator", "array"},
    "map": {"initializer_list", "utility", "cstddef", "iterator"},
    "set": {"initializer_list", "iterator"},
    "deque": {"initializer_list", "iterator"},
    "string_view": {"iterator", "cstddef"},
    "unordered_map": {"utility", "iterator"},
    "memory": {"cstddef"},
    "functional": {"typeinfo"},
    "coroutine": {"compare"},
    "variant": {"utility"},
    "optional": {"utility"},
    "cstring": {"cstddef"},
    "cstdio": {"cstddef"},
    "utility": {"initializer_list"},
}


def public_headers(root: pathlib.Path) -> dict[str, pathlib.PurePath]:
    """How a header is included -> where it lies."""
    names = [name for name in cpp_files(root) if name.suffix == ".hpp" and PUBLIC in str(name)]
    return {str(name).split(PUBLIC, 1)[1]: name for name in names}


def closure(header: str, includes: dict[str, list[str]]) -> set[str]:
    """All that a header includes, through the project's others."""
    seen, pending = set(), [header]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        pending += includes.get(one, [])
    return seen.union(*(GIVES.get(one, set()) for one in seen))


def check(root: pathlib.Path) -> Iterator[Finding]:
    headers = public_headers(root)
    texts = {header: (root / name).read_text() for header, name in headers.items()}
    includes = {header: INCLUDE.findall(without_comments(text)) for header, text in texts.items()}
    for header, name in headers.items():
        found = closure(header, includes)
        text = without_noise(texts[header])
        told = set()
        for match in STANDARD.finditer(text):
            word = match[1]
            given = HEADERS_OF.get(word)
            if word in told or (given and given & found):
                continue
            told.add(word)
            if given is None:
                yield Finding(name, line_of(text, match.start()),
                              f"std::{word} is of no header that the lint knows",
                              "add it to NAMES in test/lint/standard_headers.py")
            else:
                yield Finding(name, line_of(text, match.start()),
                              f"std::{word} is used without a header that has it",
                              f"include <{'> or <'.join(sorted(given))}>")
        for name_of_boost, given in BOOST.items():
            match = re.search(rf"\b{name_of_boost}\b", text)
            if match and not given & found:
                yield Finding(name, line_of(text, match.start()), f"{name_of_boost} is used without a header that has it",
                              f"include <{'> or <'.join(sorted(given))}>")


if __name__ == "__main__":
    main(check)
