import { Data, Effect, Layer, Redacted } from "effect";
import { createHmac } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { FingerprintSql } from "./FingerprintSql.ts";

/** This process has another secret key than the processes that used the database before. */
class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{ readonly dataDir: string }> {
  override get message(): string {
    return (
      "The secret key is not the one that this database was first used with, so cursors and stored push " +
      "credentials would be unreadable. Set WAYPOST_SECRET_KEY to that key, which every process on this " +
      `database needs, or put it back as secret.key in ${this.dataDir}.`
    );
  }
}

/** A fingerprint distinguishes secret keys and does not reveal them. */
const fingerprint = (secret: string): string =>
  createHmac("sha256", secret).update("waypost fingerprint of the secret key").digest("hex");

const check = Effect.gen(function* () {
  const { path, secretKey } = yield* DataDirectory;
  const repository = yield* FingerprintSql;
  const own = fingerprint(Redacted.value(secretKey));
  if ((yield* repository.keep(name, own)) !== own) return yield* new SecretKeyDiffers({ dataDir: path });
});

const name = "secret_key_fingerprint";

/** Whether a secret key is the one of this database; null for a database without one. Changes nothing. */
export const secretKeyFits = (secret: Redacted.Redacted) =>
  Effect.gen(function* () {
    const repository = yield* FingerprintSql;
    const stored = yield* repository.find(name);
    return stored === null ? null : stored === fingerprint(Redacted.value(secret));
  }).pipe(Effect.provide(FingerprintSql.layer));

/** Fails unless all processes on one database have one secret key. Build it before anything uses the key. */
export class Fingerprint {
  static readonly layer = Layer.effectDiscard(check).pipe(Layer.provide(FingerprintSql.layer));
}
