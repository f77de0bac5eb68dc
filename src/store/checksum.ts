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
  for (let i = from; i < to; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 255]!;
  return ~crc >>> 0;
}

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});
