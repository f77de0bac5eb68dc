// A stream of Files, each a complete record in wire form.

import type { FileRecord } from "../index.ts";
import { fileTypes } from "./file-types.ts";
import { readCount, readOptions, readSeed } from "./options.ts";
import { Random } from "./random.ts";
import { ranked } from "./slots.ts";

/** The options of `generateFiles`. */
export interface FileOptions {
  /** The number of Files. */
  readonly count: number;
  /** Any safe integer; the same seed gives the same Files. Default 1. */
  readonly seed?: number | undefined;
}

/**
 * Files, made one by one on demand: about 1 µs each, and no memory. With one seed, a smaller count
 * is a prefix of a larger one. Ids ascend with gaps; names repeat.
 *
 * @throws InputError if an option is not valid
 */
export function generateFiles(options: FileOptions): Generator<FileRecord> {
  const { count, seed } = readOptions(options, ["count", "seed"]);
  return filesOf(readCount(count), readSeed(seed));
}

function* filesOf(count: number, seed: number): Generator<FileRecord> {
  const random = new Random(seed);
  for (let number = 0; number < count; number++) {
    yield file(FIRST_ID + 8 * number + random.below(8), random);
  }
}

const FIRST_ID = 20_000;
const FIRST_DAY = 1_388_534_400; // 2014-01-01 00:00 UTC
const LAST_DAY = 1_714_521_600; // 2024-05-01 00:00 UTC

const folders = ranked(
  4096,
  Array.from({ length: 120 }, (_, index) => String(1 + ((index * 37) % 211))),
  1,
);
const users = ranked(
  1024,
  Array.from({ length: 25 }, (_, index) => String(1001 + ((index * 7) % 31))),
  0,
);
const imageWidths = ranked(1024, [600, 1200, 640, 1920, 300, 800, 1080, 4032, 150, 64, 32, 1], 1);
const ratios = ranked(1024, [9 / 16, 3 / 4, 1, 2 / 3, 1 / 3, 4 / 3, 0.15], 1);

const words = ranked(
  1024,
  `newsletter header banner logo report invoice image photo summer product offer footer team event
    catalog spring price-list Terms contract archive draft template icon background survey winter
    résumé größe été año отчёт фото 写真 报告 تقرير 보고서 🎉`.split(/\s+/),
  2,
);
const extensionless = ranked(
  256,
  ["README", "LICENSE", "Makefile", ".htaccess", "CHANGELOG", ".gitignore"],
  1,
);

function file(id: number, random: Random): FileRecord {
  const { extension, mimeType, size, isImage } = fileTypes.pick(random);
  const basename = extension === "" ? extensionless.pick(random) : baseName(isImage, random);
  const name = basename + extension;
  const folder = folders.pick(random);
  const created = FIRST_DAY + random.below(LAST_DAY - FIRST_DAY);
  const modified = random.chance(0.6)
    ? created
    : Math.min(LAST_DAY, created + random.logNormal(18, 4));
  const width = isImage ? imageWidths.pick(random) : 0;
  const height = isImage ? Math.ceil(width * ratios.pick(random)) : 0;
  return {
    id: String(id),
    folder_id: folder,
    basename,
    extension,
    size: String(random.logNormal(size, 2)),
    creation_time: String(created),
    image_width: String(width),
    image_height: String(height),
    mime_type: mimeType,
    last_modified_time: String(modified),
    last_modified_user_id: users.pick(random),
    name,
    url: `https://files.example.com/${folder}/${id}/${encodeURIComponent(name)}`,
  };
}

/** A name as given by a camera, by a person, or by a person who keeps versions. */
function baseName(isImage: boolean, random: Random): string {
  const style = random.below(100);
  if (isImage && style < 25) return `IMG_${random.between(1000, 9999)}`;
  const word = words.pick(random);
  if (style < 40) return `${word}-${words.pick(random)}`;
  if (style < 60) return `${word}_${random.between(2014, 2024)}-${random.between(10, 12)}`;
  if (style < 75) return `${word}${random.between(1, 30)}`;
  if (style < 85) return `${word} ${words.pick(random)} (${random.between(1, 9)})`;
  if (style < 92) return `${word}.v${random.between(1, 12)}`;
  return word;
}
