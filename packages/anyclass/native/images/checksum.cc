// If the processor has carry-less multiplication, the checksum is computed with it, sixteen bytes at a time: V. Gopal et al.,
// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009. On other processors, and for the
// remaining bytes, it is computed with eight tables: M. Kounavis and F. Berry, "A Systematic Approach to Building High
// Performance Software-based CRC Generators", 2005.
#include "checksum.h"

#include <array>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define ANYCLASS_CARRYLESS
#endif

namespace images {
namespace {

constexpr uint32_t polynomial = 0xEDB88320;  // of IEEE 802.3, lowest bit first

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b] is what byte b contributes, k bytes before the end.
constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? polynomial : 0);
    tables[0][byte] = value;
  }
  for (size_t k = 1; k < 8; k++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255];
    }
  }
  return tables;
}

constexpr Tables tables = makeTables();

uint32_t byTables(uint32_t state, const uint8_t* bytes, size_t size) {
  for (; size >= 8; bytes += 8, size -= 8) {
    const uint32_t low = state ^ (bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24);
    state = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
        tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
  }
  for (; size > 0; bytes++, size--) state = state >> 8 ^ tables[0][(state ^ *bytes) & 255];
  return state;
}

#ifdef ANYCLASS_CARRYLESS
#define ANYCLASS_TARGET __attribute__((target("sse4.1,pclmul")))

ANYCLASS_TARGET inline __m128i load(const uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

// Moves `value` forward by the distance that `factors` encode, and combines it with `there`.
ANYCLASS_TARGET inline __m128i fold(__m128i value, __m128i factors, __m128i there) {
  const __m128i low = _mm_clmulepi64_si128(value, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

// Takes a multiple of 16 bytes, at least 64. The factors, from the paper, are powers of x modulo the polynomial, bits reversed.
ANYCLASS_TARGET uint32_t byMultiplication(uint32_t state, const uint8_t* bytes, size_t size) {
  const __m128i by64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  const __m128i by8 = _mm_set_epi64x(0, 0x0163cd6124);
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  const __m128i lowHalves = _mm_setr_epi32(-1, 0, -1, 0);
  __m128i a = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i b = load(bytes + 16);
  __m128i c = load(bytes + 32);
  __m128i d = load(bytes + 48);
  for (bytes += 64, size -= 64; size >= 64; bytes += 64, size -= 64) {
    a = fold(a, by64, load(bytes));
    b = fold(b, by64, load(bytes + 16));
    c = fold(c, by64, load(bytes + 32));
    d = fold(d, by64, load(bytes + 48));
  }
  a = fold(fold(fold(a, by16, b), by16, c), by16, d);
  for (; size >= 16; bytes += 16, size -= 16) a = fold(a, by16, load(bytes));
  // Reduces 128 bits to 64, to 32, and with Barrett's reduction to the remainder.
  a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by16, 0x10));
  a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, lowHalves), by8, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(a, lowHalves), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, lowHalves), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(a, quotient), 1));
}
#endif

}  // namespace

uint32_t crc32(const uint8_t* bytes, size_t size) {
  uint32_t state = 0xFFFFFFFF;
#ifdef ANYCLASS_CARRYLESS
  static const bool isCarryless = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (isCarryless && size >= 64) {
    const size_t folded = size / 16 * 16;
    state = byMultiplication(state, bytes, folded);
    bytes += folded;
    size -= folded;
  }
#endif
  return ~byTables(state, bytes, size);
}

}  // namespace images
