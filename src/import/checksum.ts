// CRC-32 by any polynomial: detects every burst error of up to 32 bits, and all but one in 2^32 of the others. It
// protects against accidents, not attackers.

/** The checksum of bytes from one position up to another; `before` is that of the preceding bytes, to continue from. */
export type Checksum = (bytes: Uint8Array, before?: number, from?: number, to?: number) => number;

/** @param polynomial reflected, such as `0xedb88320` for gzip (RFC 1952) */
export function checksumBy(polynomial: number): Checksum {
  const table = tableOf(polynomial);
  return (bytes, before = 0, from = 0, to = bytes.length) => {
    let crc = ~before;
    let i = from;
    // Four bytes at once. Source: M. Kounavis, F. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC
    // Generation", 2008.
    for (; i + 4 <= to; i += 4) {
      crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
      crc =
        table[768 + (crc & 255)]! ^
        table[512 + ((crc >>> 8) & 255)]! ^
        table[256 + ((crc >>> 16) & 255)]! ^
        table[crc >>> 24]!;
    }
    for (; i < to; i++) crc = (crc >>> 8) ^ table[(crc ^ bytes[i]!) & 255]!;
    return ~crc >>> 0;
  };
}

/** What a byte makes of the checksum; from 256 on, what it makes of it with one byte of zeros after it, and so on. */
function tableOf(polynomial: number): Int32Array {
  const table = new Int32Array(1024);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
    table[byte] = crc;
  }
  for (let i = 256; i < table.length; i++) {
    const before = table[i - 256]!;
    table[i] = (before >>> 8) ^ table[before & 255]!;
  }
  return table;
}
