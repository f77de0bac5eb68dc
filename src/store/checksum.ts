// CRC-32C: detects every burst error of up to 32 bits, and all but one in 2^32 of the others. It
// protects against accidents, not attackers.

/**
 * The CRC-32C of bytes from one position up to another, as RFC 3720 (appendix B.4) defines it:
 * Castagnoli's polynomial, reflected.
 *
 * @param before the checksum of the preceding bytes, to continue from
 */
export function crc32c(bytes: Uint8Array, before = 0, from = 0, to = bytes.length): number {
  let crc = ~before;
  let i = from;
  // Four bytes at once. Source: M. Kounavis, F. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
  // Generation", 2008.
  for (; i + 4 <= to; i += 4) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      TABLE[768 + (crc & 255)]! ^
      TABLE[512 + ((crc >>> 8) & 255)]! ^
      TABLE[256 + ((crc >>> 16) & 255)]! ^
      TABLE[crc >>> 24]!;
  }
  for (; i < to; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 255]!;
  return ~crc >>> 0;
}

/** What a byte makes of the checksum; from 256 on, what it makes of it with one byte of zeros after it, and so on. */
const TABLE = new Int32Array(1024);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  TABLE[byte] = crc;
}
for (let i = 256; i < TABLE.length; i++) {
  const before = TABLE[i - 256]!;
  TABLE[i] = (before >>> 8) ^ TABLE[before & 255]!;
}
