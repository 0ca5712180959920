/** Hostile MP4, MOV and WebM files. */
import {
  box,
  contentOf,
  fixture,
  fullSize,
  hostile,
  hostileFiles,
  joined,
  latin,
  mutants,
  patched,
  repeated,
  u32,
  u8,
} from "./HostileBytes.ts";

const film = () => fixture("video.mp4");
const fragmented = () => fixture("fragmented.mp4");
const ftyp = box("ftyp", joined(latin("isom"), u32(0), latin("isom")));

/** Tables of MP4 by the offset of their count. */
const tables = [
  ["stsd", 4],
  ["stts", 4],
  ["stsc", 4],
  ["stco", 4],
  ["stsz", 8],
  ["dref", 4],
] as const;

const counts = [0xffffffff, 0x7fffffff, 0x00ffffff, 0] as const;

const falseCounts = tables.flatMap(([type, offset]) =>
  counts.map((count) =>
    hostile(`an MP4 whose ${type} states ${count} entries`, () =>
      patched(film(), contentOf(film(), type) + offset, u32(count)),
    ),
  ),
);

const falseSizes = ["moov", "trak", "mdia", "minf", "stbl", "stsz", "mdat"].flatMap((type) =>
  [0xffffffff, 9, 1, 0].map((size) =>
    hostile(`an MP4 whose ${type} states ${size} bytes`, () =>
      patched(film(), contentOf(film(), type) - 8, u32(size)),
    ),
  ),
);

const mdat = box("mdat", Buffer.alloc(100));
const movieHeader = box("mvhd", joined(u32(0, 0, 0, 1000, 1000), Buffer.alloc(80)));
const trackHeader = box("tkhd", joined(u32(7, 0, 0, 1), Buffer.alloc(68)));
const handler = (type: string) => box("hdlr", joined(u32(0, 0), latin(type), Buffer.alloc(13)));
const mediaHeader = box("mdhd", u32(0, 0, 0, 1000, 1000, 0));
const entry = box("avc1", joined(Buffer.alloc(24), u8(0, 40, 0, 30), Buffer.alloc(50)));
const entries = box("stsd", joined(u32(0, 1), entry));

/** A box in parts, so that a large content is copied once and not once for each box around it. */
const parts = (type: string, ...content: ReadonlyArray<Buffer>): ReadonlyArray<Buffer> => {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return [u32(size), latin(type), ...content];
};

/** A movie with one track, whose sample tables are given. */
const movie = (sampleTables: Buffer, more: Buffer = Buffer.alloc(0)) => {
  const minf = parts("minf", ...parts("stbl", entries, sampleTables));
  const trak = parts("trak", trackHeader, ...parts("mdia", mediaHeader, handler("vide"), ...minf));
  return joined(ftyp, mdat, ...parts("moov", movieHeader, ...trak, more));
};
const table = (type: string, ...values: ReadonlyArray<number>) => box(type, u32(0, ...values));
const oneChunk = joined(table("stsc", 1, 1, 1, 1), table("stco", 1, 40));
const oneSample = joined(oneChunk, table("stsz", 10, 1));

const empty = (type: string) => box(type, Buffer.alloc(0));
/** Empty boxes, as many as fit. */
const many = (type: string) => repeated(empty(type), fullSize - 1000);
/** A table of many entries, all of zeros. */
const zeros = (type: string, count: number, size: number) =>
  box(type, joined(u32(0, count), Buffer.alloc(count * size)));
const withFragment = (...content: ReadonlyArray<Buffer>) =>
  joined(movie(oneSample, empty("mvex")), box("moof", box("traf", joined(...content))), mdat);

const built = hostileFiles({
  // Of 132 bytes in the issue that found it: a compact table without entries.
  "an MP4 whose stz2 states 4294967295 entries": () => movie(joined(oneChunk, table("stz2", 8, 0xffffffff))),
  "an MP4 with one stz2 after the count of another": () =>
    movie(joined(oneChunk, table("stz2", 0, 0xffffffff))),
  "an MP4 with 4294967295 samples of one size": () => movie(joined(oneChunk, table("stsz", 1, 0xffffffff))),
  "an MP4 with runs of 4294967295 samples": () =>
    movie(joined(oneSample, table("stts", 2, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff))),
  "an MP4 with millions of runs of no samples": () => movie(joined(oneSample, zeros("stts", 2_000_000, 8))),
  "an MP4 with a million runs of one sample, each with its own offset": () => {
    const runs = joined(u32(0, 1_000_000), repeated(u32(1, 1), 8_000_000));
    return movie(joined(oneSample, box("stts", runs), box("ctts", runs)));
  },
  "an MP4 with millions of offsets of no samples": () =>
    movie(joined(oneSample, table("stts", 1, 10, 10), zeros("ctts", 2_000_000, 8))),
  "an MP4 with millions of chunks": () =>
    movie(joined(table("stsc", 1, 1, 1, 1), zeros("stco", 4_000_000, 4), table("stsz", 1, 0xffffffff))),
  "an MP4 with millions of runs of chunks": () =>
    movie(joined(zeros("stsc", 1_000_000, 12), table("stco", 1, 40), table("stsz", 1, 0xffffffff))),
  "an MP4 with millions of empty edits": () => {
    const edits = joined(u32(0, 1_000_000), repeated(u32(1, 0xffffffff, 65536), 12_000_000));
    return movie(oneSample, box("trak", joined(trackHeader, box("edts", box("elst", edits)))));
  },
  "an MP4 with millions of empty boxes": () => joined(movie(oneSample), many("free")),
  "an MP4 with millions of empty boxes in its movie": () => movie(oneSample, many("free")),
  "an MP4 with millions of empty boxes in its sample table": () => movie(joined(many("free"), oneSample)),
  "an MP4 with millions of empty tracks": () => movie(oneSample, many("trak")),
  "an MP4 with 300 tracks": () => {
    const whole = movie(oneSample);
    const at = contentOf(whole, "trak") - 8;
    return movie(oneSample, repeated(whole.subarray(at), (whole.length - at) * 300));
  },
  "an MP4 with millions of fragments": () => joined(movie(oneSample, empty("mvex")), many("moof"), mdat),
  "an MP4 with a million fragment runs": () =>
    withFragment(box("tfhd", u32(0, 1)), repeated(box("trun", u32(0, 0xffffffff)), 16_000_000)),
  "an MP4 with a fragment run of millions of samples": () =>
    withFragment(
      box("tfhd", u32(0, 1)),
      box("trun", joined(u32(0x100, 4_000_000), Buffer.alloc(16_000_000, 1))),
    ),
  "an MP4 with a fragment run that states 4294967295 samples with durations": () =>
    withFragment(box("tfhd", u32(0, 1)), box("trun", u32(0x100, 0xffffffff))),
  "an MP4 of boxes nested ten thousand deep": () => {
    const depth = 10_000;
    const sizes = Array.from({ length: depth }, (_, level) =>
      box("moov", Buffer.alloc(0), (depth - level) * 8),
    );
    return joined(ftyp, ...sizes);
  },
  "an MP4 of a million samples in runs of 65535": () =>
    movie(joined(oneSample, table("stts", 1, 1_000_000, 40))),
});

const falseFragments = ["moof", "traf", "trun", "tfhd"].map((type) =>
  hostile(`a fragmented MP4 whose ${type} states 4294967295 bytes`, () =>
    patched(fragmented(), contentOf(fragmented(), type) - 8, u32(0xffffffff)),
  ),
);

/** An element of WebM with a size of eight bytes, which may contradict the content. */
const element = (id: number, content: Buffer, size = content.length): Buffer => {
  const head = u32(id);
  let from = 0;
  while (head[from] === 0) from += 1;
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(2n ** 56n + BigInt(size));
  return joined(head.subarray(from), length, content);
};
const short = (id: number, content: Buffer) =>
  joined(u32(id).subarray(u32(id).findIndex((byte) => byte !== 0)), u8(0x80 | content.length), content);
const ebml = element(0x1a45dfa3, short(0x4282, latin("webm")));
const trackOf = (fields: Buffer) => element(0x1654ae6b, element(0xae, fields));
const size = element(0xe0, joined(short(0xb0, u8(40)), short(0xba, u8(30))));
const picture = trackOf(joined(short(0xd7, u8(1)), short(0x83, u8(1)), size));
const block = short(0xa3, u8(0x81, 0, 0, 0, 1, 2, 3));
const cluster = (content: Buffer) => element(0x1f43b675, content);
const webm = (...parts: ReadonlyArray<Buffer>) => joined(ebml, element(0x18538067, Buffer.concat(parts)));

const webms = hostileFiles({
  "a WebM with millions of blocks": () => webm(picture, cluster(repeated(block))),
  "a WebM with millions of empty elements in a cluster": () =>
    webm(picture, cluster(repeated(u8(0xec, 0x80)))),
  "a WebM with millions of empty elements in its segment": () =>
    webm(picture, cluster(block), repeated(u8(0xec, 0x80))),
  "a WebM with millions of clusters": () => webm(picture, repeated(element(0x1f43b675, Buffer.alloc(0)))),
  "a WebM with a million tracks": () =>
    webm(element(0x1654ae6b, repeated(short(0xae, short(0xd7, u8(1))), 6_000_000)), cluster(block)),
  "a WebM with an element of 2^56 bytes": () => webm(picture, element(0x1f43b675, block, 2 ** 53 - 1)),
  "a WebM with clusters of unknown size only": () =>
    webm(picture, repeated(Buffer.from("1f43b67501ffffffffffffff", "hex"))),
  "a WebM with a segment of unknown size and no end": () =>
    joined(
      ebml,
      Buffer.from("1853806701ffffffffffffff", "hex"),
      picture,
      cluster(repeated(block, 1_000_000)),
    ),
  "a WebM with a time unit of 2^48": () =>
    webm(element(0x1549a966, short(0x2ad7b1, Buffer.alloc(6, 255))), picture, cluster(block)),
  "a WebM with a time unit of 2^64": () =>
    webm(element(0x1549a966, short(0x2ad7b1, Buffer.alloc(8, 255))), picture, cluster(block)),
  "a WebM whose picture is 2^48 pixels wide": () =>
    webm(
      trackOf(
        joined(
          short(0xd7, u8(1)),
          short(0x83, u8(1)),
          element(0xe0, joined(short(0xb0, Buffer.alloc(6, 255)), short(0xba, u8(30)))),
        ),
      ),
      cluster(block),
    ),
  "a WebM without a picture size": () =>
    webm(trackOf(joined(short(0xd7, u8(1)), short(0x83, u8(1)))), cluster(block)),
  "a WebM with a block of no bytes": () => webm(picture, cluster(short(0xa3, Buffer.alloc(0)))),
  "a WebM with millions of block groups": () =>
    webm(picture, cluster(repeated(short(0xa0, short(0xa1, u8(0x81, 0, 0, 0)))))),
});

const changed = [
  ...mutants("an MP4", 8, 6, film),
  ...mutants("a fragmented MP4", 8, 7, fragmented),
  ...mutants("a WebM", 8, 8, () => fixture("video.webm")),
];

export const hostileTracks = [
  ...falseCounts,
  ...falseSizes,
  ...built,
  ...falseFragments,
  ...webms,
  ...changed,
];
