/* Fatbins: a header, then modules one after the other, each PTX or a cubin, compressed or not. */
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "loader/artifact/readers.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

enum {
  HEADER_BYTES = 16,
  ENTRY_HEADER_MIN = 64, /* up to and with the unpacked size */
  KIND_PTX = 1,
  KIND_CUBIN = 2,
  FLAG_LZ4 = 0x2000,
  FLAG_ZSTD = 0x8000,
};

static uint16_t load16(const uint8_t* at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t load32(const uint8_t* at) { return load16(at) | (uint32_t)load16(at + 2) << 16; }
static uint64_t load64(const uint8_t* at) { return load32(at) | (uint64_t)load32(at + 4) << 32; }

static rowlock_code_t refuse(rowlock_error_t* err, uint64_t offset, const char* problem) {
  return rlk_refuse(err, RLK_RULE_ARTIFACT_FATBIN_DAMAGED,
                    RLK_SLOTS(rlk_slot_integer("offset", (int64_t)offset), rlk_slot_prose("problem", problem)));
}

/* One module as its header says it. */
typedef struct entry_t {
  uint16_t kind;
  uint32_t header_bytes, sm;
  uint64_t offset; /* of the header in the file */
  uint64_t payload_bytes, packed_bytes, unpacked_bytes;
  rlk_compression_t compression;
} entry_t;

/* Reads the header at `offset`; header and payload lie before `end`. */
static rowlock_code_t read_entry(const uint8_t* bytes, uint64_t offset, uint64_t end, entry_t* out,
                                 rowlock_error_t* err) {
  if (end - offset < ENTRY_HEADER_MIN) return refuse(err, offset, "a module's header is cut short");
  const uint8_t* at = bytes + offset;
  const uint64_t flags = load64(at + 40);
  *out = (entry_t){.kind = load16(at),
                   .header_bytes = load32(at + 4),
                   .sm = load32(at + 28),
                   .offset = offset,
                   .payload_bytes = load64(at + 8),
                   .compression = flags & FLAG_ZSTD  ? RLK_COMPRESSION_ZSTD
                                  : flags & FLAG_LZ4 ? RLK_COMPRESSION_LZ4
                                                     : RLK_COMPRESSION_NONE};
  if (out->header_bytes < ENTRY_HEADER_MIN || out->header_bytes > end - offset) {
    return refuse(err, offset, "a module's header has a size that cannot be");
  }
  if (out->payload_bytes > end - offset - out->header_bytes) {
    return refuse(err, offset, "a module goes on behind the end");
  }
  const bool packed = out->compression != RLK_COMPRESSION_NONE;
  out->packed_bytes = packed ? load32(at + 16) : out->payload_bytes;
  out->unpacked_bytes = packed ? load64(at + 56) : out->payload_bytes;
  if (out->packed_bytes > out->payload_bytes) return refuse(err, offset, "a module is larger than its place");
  return ROWLOCK_OK;
}

/* Unpacks into `out`, which has room for what the header says, and must fill it. */
static rowlock_code_t unpack(const entry_t* entry, const uint8_t* packed, uint8_t* out, rowlock_error_t* err) {
  bool is_whole;
  if (entry->compression == RLK_COMPRESSION_ZSTD) {
    const size_t size = ZSTD_decompress(out, entry->unpacked_bytes, packed, entry->packed_bytes);
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) return rlk_artifact_no_memory(err);
    is_whole = !ZSTD_isError(size) && size == entry->unpacked_bytes;
  } else {
    is_whole = LZ4_decompress_safe((const char*)packed, (char*)out, (int)entry->packed_bytes,
                                   (int)entry->unpacked_bytes) == (int)entry->unpacked_bytes;
  }
  return is_whole ? ROWLOCK_OK : refuse(err, entry->offset, "a module cannot be unpacked");
}

/* What is wrong with a module says where in the fatbin that is, too. */
static void put_place(const entry_t* entry, rowlock_error_t* err) {
  if (!err) return;
  const size_t length = strlen(err->message);
  rlk_text_t text = rlk_text_over(err->message + length, sizeof err->message - length);
  rlk_text_printf(&text, ", in the module at byte %llu of the fatbin", (unsigned long long)entry->offset);
}

static rowlock_code_t read_payload(const uint8_t* payload, const entry_t* entry, rlk_store_t* store,
                                   rlk_module_t* module, rowlock_error_t* err) {
  const size_t length = (size_t)entry->unpacked_bytes;
  const rowlock_code_t code = module->kind == RLK_ARTIFACT_PTX
                                  ? rlk_ptx_read((const char*)payload, length, store, module, err)
                                  : rlk_cubin_read(payload, length, store, module, err);
  if (code == ROWLOCK_REJECTED) put_place(entry, err);
  if (code || module->target.sm == entry->sm) return code;
  return refuse(err, entry->offset, "a module is for another SM than said");
}

/* Only one module is unpacked at a time: what is kept of it is copied. */
static rowlock_code_t read_packed(const uint8_t* packed, const entry_t* entry, rlk_store_t* store, rlk_module_t* module,
                                  rowlock_error_t* err) {
  uint8_t* unpacked = malloc((size_t)entry->unpacked_bytes + 1);
  if (!unpacked) return rlk_artifact_no_memory(err);
  rowlock_code_t code = unpack(entry, packed, unpacked, err);
  if (!code) code = read_payload(unpacked, entry, store, module, err);
  free(unpacked);
  return code;
}

static rowlock_code_t read_module(const uint8_t* bytes, const entry_t* entry, rlk_store_t* store, rlk_module_t* module,
                                  rowlock_error_t* err) {
  const uint8_t* payload = bytes + entry->offset + entry->header_bytes;
  *module = (rlk_module_t){.kind = entry->kind == KIND_PTX ? RLK_ARTIFACT_PTX : RLK_ARTIFACT_CUBIN,
                           .compression = entry->compression,
                           .offset = entry->offset,
                           .packed_bytes = entry->packed_bytes,
                           .bytes = entry->unpacked_bytes};
  return entry->compression == RLK_COMPRESSION_NONE ? read_payload(payload, entry, store, module, err)
                                                    : read_packed(payload, entry, store, module, err);
}

static uint64_t unpacked_max(uint64_t packed) {
  const uint64_t most = RLK_ARTIFACT_UNPACKED_BASE + RLK_ARTIFACT_UNPACKED_RATIO * packed;
  return most < RLK_ARTIFACT_BYTES_MAX ? most : RLK_ARTIFACT_BYTES_MAX;
}

/* Walks the modules before `end`, and counts them and what they unpack to. With `store`, they are read. */
static rowlock_code_t walk(const uint8_t* bytes, uint64_t end, rlk_store_t* store, rlk_artifact_t* artifact,
                           rowlock_error_t* err) {
  const uint64_t most = unpacked_max(end);
  artifact->module_count = 0;
  artifact->unpacked_bytes = 0;
  for (uint64_t offset = HEADER_BYTES; offset < end;) {
    entry_t entry = {0};
    rowlock_code_t code = read_entry(bytes, offset, end, &entry, err);
    if (code) return code;
    offset += entry.header_bytes + entry.payload_bytes;
    if (entry.kind != KIND_PTX && entry.kind != KIND_CUBIN) continue; /* what toolkits keep for themselves */
    if (entry.compression != RLK_COMPRESSION_NONE) {
      if (entry.unpacked_bytes > most - artifact->unpacked_bytes) {
        return rlk_artifact_refuse_limit("bytes of unpacked modules, at its size", most, err);
      }
      artifact->unpacked_bytes += entry.unpacked_bytes;
    }
    if (artifact->module_count == RLK_ARTIFACT_MODULES_MAX) {
      return rlk_artifact_refuse_limit("modules", RLK_ARTIFACT_MODULES_MAX, err);
    }
    if (store) code = read_module(bytes, &entry, store, &artifact->modules[artifact->module_count], err);
    if (code) return code;
    ++artifact->module_count;
  }
  return ROWLOCK_OK;
}

/* Whole blocks are filled up with zeros. Other bytes are what went wrong where the file was made: drivers do not see
 * them, be they another fatbin. */
static rowlock_code_t check_rest(const uint8_t* bytes, uint64_t end, size_t length, rowlock_error_t* err) {
  uint64_t at = end;
  while (at < length && bytes[at] == 0) ++at;
  return at == length ? ROWLOCK_OK : refuse(err, at, "something other than zeros follows its end");
}

rowlock_code_t rlk_fatbin_read(const uint8_t* bytes, size_t length, rlk_store_t* store, rlk_artifact_t* artifact,
                               rowlock_error_t* err) {
  *artifact = (rlk_artifact_t){.kind = RLK_ARTIFACT_FATBIN, .bytes = length};
  if (length < HEADER_BYTES) return refuse(err, 0, "its header is cut short");
  if (load16(bytes + 4) != 1 || load16(bytes + 6) != HEADER_BYTES) {
    return refuse(err, 4, "its version or header size is none that is known");
  }
  const uint64_t content = load64(bytes + 8);
  if (content > length - HEADER_BYTES) {
    return rlk_refuse(
        err, RLK_RULE_HOST_CUT_SHORT,
        RLK_SLOTS(rlk_slot_prose("part", "the fatbin"),
                  rlk_slot_integer("expected",
                                   (int64_t)(content < INT64_MAX - HEADER_BYTES ? content + HEADER_BYTES : INT64_MAX)),
                  rlk_slot_integer("length", (int64_t)length)));
  }
  const uint64_t end = HEADER_BYTES + content;
  rowlock_code_t code = walk(bytes, end, NULL, artifact, err);
  if (code) return code;
  if (artifact->module_count == 0) return refuse(err, HEADER_BYTES, "it holds neither PTX nor a cubin");
  code = check_rest(bytes, end, length, err);
  if (code) return code;
  artifact->modules = rlk_arena_alloc(store->arena, artifact->module_count * sizeof *artifact->modules);
  if (!artifact->modules) return rlk_artifact_no_memory(err);
  return walk(bytes, end, store, artifact, err);
}
