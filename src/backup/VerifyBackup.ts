import { Schema } from "effect";
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { BackupManifest, manifestName } from "./BackupManifest.ts";
import type { ProgressListener } from "./ProgressListener.ts";
import { readTar, TarBroken } from "./TarFile.ts";

const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(BackupManifest));

const parseManifest = (text: string): BackupManifest => {
  try {
    return decodeManifest(text);
  } catch {
    throw new TarBroken("this version cannot read its manifest");
  }
};

/** Reads a backup, compares every checksum, and returns the manifest. @throws TarBroken */
export const verifyBackup = async (path: string, progress: ProgressListener): Promise<BackupManifest> => {
  const { size } = await stat(path);
  const files: Array<BackupManifest["files"][number]> = [];
  let manifest: BackupManifest | null = null;
  for await (const { bytes, name, pieces } of readTar(path, (read) =>
    progress("bytes checked", read, size),
  )) {
    if (manifest !== null) throw new TarBroken("a file follows its manifest");
    const hash = createHash("sha256");
    const kept: Array<Uint8Array> = [];
    for await (const piece of pieces) {
      hash.update(piece);
      if (name === manifestName) kept.push(piece);
    }
    if (name === manifestName) manifest = parseManifest(Buffer.concat(kept).toString());
    else files.push({ name, bytes, sha256: hash.digest("hex") });
  }
  if (manifest === null) throw new TarBroken("it has no manifest");
  const isIntact =
    manifest.files.length === files.length &&
    manifest.files.every(
      ({ name, sha256 }, index) => files[index]?.name === name && files[index].sha256 === sha256,
    );
  if (!isIntact) throw new TarBroken("its checksums do not match its manifest");
  return manifest;
};
