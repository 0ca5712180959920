import { Data, Effect, Layer, Redacted } from "effect";
import { createHmac } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { FingerprintSql } from "./FingerprintSql.ts";

/** This process has another secret key than the one that the database was first used with. */
class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{ readonly dataDir: string }> {
  override get message(): string {
    return (
      "The secret key is not the one that this database was first used with, so cursors and stored push credentials " +
      "would be unreadable. Set WAYPOST_SECRET_KEY to that one, which every process on this database needs, or put it " +
      `back as secret.key in ${this.dataDir}.`
    );
  }
}

/** What tells one secret key from another and gives neither away. */
const fingerprint = (secret: string): string =>
  createHmac("sha256", secret).update("waypost fingerprint of the secret key").digest("hex");

const check = Effect.gen(function* () {
  const { path, secretKey } = yield* DataDirectory;
  const repository = yield* FingerprintSql;
  const own = fingerprint(Redacted.value(secretKey));
  const kept = yield* repository.keep(name, own);
  if (kept[0]?.value !== own) return yield* new SecretKeyDiffers({ dataDir: path });
});

const name = "secret_key_fingerprint";

/** Whether a secret key is the one of this database; null while the database has none. Changes nothing. */
export const secretKeyFits = (secret: Redacted.Redacted) =>
  Effect.gen(function* () {
    const repository = yield* FingerprintSql;
    const [kept] = yield* repository.find(name);
    return kept === undefined ? null : kept.value === fingerprint(Redacted.value(secret));
  }).pipe(Effect.provide(FingerprintSql.layer));

/** Holds all processes on one database to one secret key: the first one's. Build it before anything uses the key. */
export class Fingerprint {
  static readonly layer = Layer.effectDiscard(check).pipe(Layer.provide(FingerprintSql.layer));
}
