#include "harness/launch/operand_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

void rlk_launch_bad_value(rlk_launch_reading_t* reading, const rlk_node_t* at, const char* key, const char* expected) {
  reading->reader->bad_value(reading->reader->context, at, key, expected);
}

void rlk_launch_unknown_key(rlk_launch_reading_t* reading, const rlk_node_t* at, const char* known) {
  reading->reader->unknown_key(reading->reader->context, at, known);
}

void* rlk_launch_alloc(rlk_launch_reading_t* reading, size_t size) {
  void* memory = rlk_arena_alloc(reading->reader->arena, size > 0 ? size : 1);
  if (!memory) reading->code = ROWLOCK_NO_MEMORY;
  return memory;
}

const char* rlk_launch_copy(rlk_launch_reading_t* reading, const char* text, size_t length) {
  char* copy = rlk_launch_alloc(reading, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

const char* rlk_launch_read_name(rlk_launch_reading_t* reading, const rlk_node_t* member, const char* what) {
  if (member->key_length == 0 || memchr(member->key, '\0', member->key_length)) {
    rlk_launch_bad_value(reading, member, what, member->key_length ? "a string without a NUL" : "a non-empty string");
    return NULL;
  }
  return rlk_launch_copy(reading, member->key, member->key_length);
}

const char* rlk_launch_read_text(rlk_launch_reading_t* reading, const rlk_node_t* node, const char* key) {
  const bool is_text = node->kind == RLK_STRING && node->text_length > 0;
  if (!is_text || memchr(node->text, '\0', node->text_length)) {
    rlk_launch_bad_value(reading, node, key, is_text ? "a string without a NUL" : "a non-empty string");
    return NULL;
  }
  return rlk_launch_copy(reading, node->text, node->text_length);
}

bool rlk_scalar_read(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_scalar_t* out_scalar) {
  *out_scalar = (rlk_scalar_t){0};
  if (node->kind == RLK_BOOLEAN || rlk_node_is_integer(node)) {
    const int64_t integer = node->kind == RLK_BOOLEAN ? node->boolean : node->integer;
    const bool negative_zero = node->kind == RLK_NUMBER && integer == 0 && node->text[0] == '-';
    *out_scalar =
        (rlk_scalar_t){.real = negative_zero ? -0.0 : (double)integer, .integer = integer, .is_integer = true};
    return true;
  }
  if ((node->kind != RLK_NUMBER && node->kind != RLK_STRING) || node->text_length == 0) return false;
  const char* text = rlk_launch_copy(reading, node->text, node->text_length);
  if (!text) return true; /* the code says what happened */
  char* end;
  const double real = strtod(text, &end);
  if (end != text + node->text_length || isspace((unsigned char)text[0])) return false;
  const char first = text[strspn(text, "+-")];
  if (isinf(real) && first != 'i' && first != 'I') {
    rlk_launch_bad_value(reading, node, "a number", "one that float64 holds, or 'inf' as a string");
    return true;
  }
  out_scalar->real = real;
  return true;
}

/* --- How an array comes by its elements --------------------------------------------------------------------------- */

static void read_values(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_fill_t* fill) {
  if (node->kind != RLK_ARRAY || node->count > RLK_LAUNCH_VALUES_MAX) {
    rlk_launch_bad_value(reading, node, "values", "a list of at most 65536 numbers");
    return;
  }
  rlk_scalar_t* values = rlk_launch_alloc(reading, node->count * sizeof *values);
  if (!values) return;
  for (const rlk_node_t* value = node->first; value; value = value->next) {
    if (!rlk_scalar_read(reading, value, &values[fill->value_count++])) {
      rlk_launch_bad_value(reading, value, "a value", "a number, or a string that holds one ('nan', '0x1.8p+1')");
    }
  }
  fill->values = values;
}

/* The parameters of the generators: which of the fill's numbers, and what it is when not given. */
static const struct {
  const char *first, *second;
  double first_default, second_default;
  rlk_fill_kind_t kind;
  bool seeded;
} generators[] = {
    {"start", "step", 0, 1, RLK_FILL_RANGE, false},
    {"from", "to", 0, 1, RLK_FILL_LINSPACE, false},
    {"low", "high", 0, 1, RLK_FILL_UNIFORM, true},
    {"mean", "deviation", 0, 1, RLK_FILL_NORMAL, true},
};

static bool read_parameter(rlk_launch_reading_t* reading, const rlk_node_t* member, const char* key,
                           rlk_scalar_t* out) {
  if (!rlk_text_equal(member->key, member->key_length, key, strlen(key))) return false;
  if (!rlk_scalar_read(reading, member, out)) rlk_launch_bad_value(reading, member, key, "a number");
  return true;
}

static void read_seed(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_fill_t* fill) {
  const rlk_node_t* seed = rlk_node_member(node, "seed");
  if (!seed || !rlk_node_is_integer(seed) || seed->integer < 0) {
    rlk_launch_bad_value(reading, seed ? seed : node, "seed", "an integer, 0 or more");
    return;
  }
  fill->seed = (uint64_t)seed->integer;
}

static void read_generator(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_fill_t* fill) {
  for (size_t i = 0; i < sizeof generators / sizeof *generators; ++i) {
    if (generators[i].kind != fill->kind) continue;
    fill->first = (rlk_scalar_t){.real = generators[i].first_default};
    fill->second = (rlk_scalar_t){.real = generators[i].second_default};
    if (node->kind != RLK_OBJECT) {
      rlk_launch_bad_value(reading, node, rlk_fill_name(fill->kind), "an object with its parameters");
      return;
    }
    if (generators[i].seeded) read_seed(reading, node, fill);
    for (const rlk_node_t* member = node->first; member; member = member->next) {
      if (generators[i].seeded && rlk_text_equal(member->key, member->key_length, "seed", 4)) continue;
      if (read_parameter(reading, member, generators[i].first, &fill->first)) continue;
      if (read_parameter(reading, member, generators[i].second, &fill->second)) continue;
      char known[64];
      rlk_text_t text = rlk_text_over(known, sizeof known);
      rlk_text_printf(&text, "%s%s, %s", generators[i].seeded ? "seed, " : "", generators[i].first,
                      generators[i].second);
      rlk_launch_unknown_key(reading, member, known);
    }
  }
}

static void read_fill(rlk_launch_reading_t* reading, rlk_fill_kind_t kind, const rlk_node_t* node, rlk_fill_t* fill) {
  *fill = (rlk_fill_t){.kind = kind};
  switch (kind) {
    case RLK_FILL_FILE:
      fill->file = rlk_launch_read_text(reading, node, "file");
      break;
    case RLK_FILL_VALUES:
      read_values(reading, node, fill);
      break;
    case RLK_FILL_CONSTANT:
      if (!rlk_scalar_read(reading, node, &fill->first)) rlk_launch_bad_value(reading, node, "constant", "a number");
      break;
    case RLK_FILL_POISON:
    case RLK_FILL_NULL:
      if (node->kind != RLK_BOOLEAN || !node->boolean) {
        rlk_launch_bad_value(reading, node, rlk_fill_name(kind), "true");
      }
      break;
    default:
      read_generator(reading, node, fill);
  }
}

/* --- What it is bound as ------------------------------------------------------------------------------------------ */

static void read_dtype(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_operand_t* operand) {
  for (int i = 0; i < RLK_DTYPE_COUNT; ++i) {
    if (rlk_node_is_string(node, rlk_dtype_name((rlk_dtype_t)i))) operand->dtype = i;
  }
  if (operand->dtype == RLK_OPERAND_UNSTATED) {
    rlk_launch_bad_value(reading, node, "dtype", "float64, float32, int64 or bool");
  }
}

const char* rlk_operand_binding_name(size_t index) {
  return index < ROWLOCK_BINDING_TABLE ? rowlock_binding_name((rowlock_binding_t)index) : NULL;
}

static void read_binding(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_operand_t* operand) {
  char known[128];
  rlk_text_t text = rlk_text_over(known, sizeof known);
  rlk_text_printf(&text, "one of");
  const char* name;
  for (int i = 0; (name = rlk_operand_binding_name((size_t)i)); ++i) {
    rlk_text_printf(&text, "%s '%s'", i > 0 ? "," : "", name);
    if (rlk_node_is_string(node, name)) operand->binding = i;
  }
  if (operand->binding == RLK_OPERAND_UNSTATED) rlk_launch_bad_value(reading, node, "as", known);
}

static void read_shape(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_operand_t* operand) {
  bool sound = node->kind == RLK_ARRAY && node->count >= 1 && node->count <= RLK_RANK_MAX;
  for (const rlk_node_t* extent = sound ? node->first : NULL; extent && sound; extent = extent->next) {
    sound = rlk_node_is_integer(extent) && extent->integer >= 0;
    operand->shape[operand->rank++] = sound ? (uint64_t)extent->integer : 0;
  }
  uint64_t count;
  if (!sound || !rlk_shape_count(operand->shape, operand->rank, &count)) {
    rlk_launch_bad_value(reading, node, "shape", "a list of 1 to 8 extents, at most 2^32 elements");
  }
}

static int find_fill(const rlk_node_t* member) {
  for (int i = 0; i < RLK_FILL_COUNT; ++i) {
    const char* name = rlk_fill_name((rlk_fill_kind_t)i);
    if (rlk_text_equal(member->key, member->key_length, name, strlen(name))) return i;
  }
  return RLK_FILL_COUNT;
}

static void read_operand_object(rlk_launch_reading_t* reading, const rlk_node_t* object, rlk_operand_t* operand) {
  static const struct {
    const char* key;
    void (*read)(rlk_launch_reading_t*, const rlk_node_t*, rlk_operand_t*);
  } keys[] = {{"dtype", read_dtype}, {"as", read_binding}, {"shape", read_shape}};
  enum { KEY_COUNT = sizeof keys / sizeof *keys };
  int fills = 0;
  for (const rlk_node_t* member = object->first; member; member = member->next) {
    bool known = false;
    for (int i = 0; i < KEY_COUNT && !known; ++i) {
      known = rlk_text_equal(member->key, member->key_length, keys[i].key, strlen(keys[i].key));
      if (known) keys[i].read(reading, member, operand);
    }
    const int fill = known ? RLK_FILL_COUNT : find_fill(member);
    if (fill < RLK_FILL_COUNT) {
      read_fill(reading, (rlk_fill_kind_t)fill, member, &operand->fill);
      ++fills;
    } else if (!known) {
      char names[160];
      rlk_text_t text = rlk_text_over(names, sizeof names);
      for (int i = 0; i < RLK_FILL_COUNT; ++i) rlk_text_printf(&text, "%s, ", rlk_fill_name((rlk_fill_kind_t)i));
      for (int i = 0; i < KEY_COUNT; ++i) rlk_text_printf(&text, "%s%s", i > 0 ? ", " : "", keys[i].key);
      rlk_launch_unknown_key(reading, member, names);
    }
  }
  if (fills != 1) {
    rlk_launch_bad_value(reading, object, "an array", "a path, a number, or an object that says one way to fill it");
  }
}

/* "mass.npy", 2.5, or an object. */
void rlk_operand_read(rlk_launch_reading_t* reading, const rlk_node_t* member, rlk_operand_t* out_operand) {
  *out_operand = (rlk_operand_t){.dtype = RLK_OPERAND_UNSTATED, .binding = RLK_OPERAND_UNSTATED};
  out_operand->name = rlk_launch_read_name(reading, member, "an array's name");
  if (!out_operand->name) return;
  if (member->kind == RLK_STRING) {
    read_fill(reading, RLK_FILL_FILE, member, &out_operand->fill);
  } else if (member->kind == RLK_NUMBER || member->kind == RLK_BOOLEAN) {
    read_fill(reading, RLK_FILL_CONSTANT, member, &out_operand->fill);
  } else if (member->kind == RLK_OBJECT) {
    read_operand_object(reading, member, out_operand);
  } else {
    rlk_launch_bad_value(reading, member, "an array", "a path, a number, or an object that says how to fill it");
  }
}
