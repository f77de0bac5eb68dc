import { checksumBy } from "../import/checksum.ts";

/** CRC-32C, as RFC 3720 (appendix B.4) defines it: by Castagnoli's polynomial. */
export const crc32c = checksumBy(0x82f63b78);
