import { Effect, Redacted } from "effect";
import { seal, sealingKey, unsealBytes } from "../access/SealedText.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import type { IdempotentRequest, StoredResponse } from "./IdempotencySql.ts";

/** A response that duplicates of its request get. */
export interface RepeatableResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: Uint8Array;
  /** Who made the change; null if an older version stored the response. */
  readonly author: string | null;
}

/** The scope of a key in one text (contract J1). */
export const scopeOf = ({ key, path, tenant }: IdempotentRequest): string =>
  JSON.stringify([tenant.workspaceId, tenant.environment, path, key]);

/** Seals responses at rest: one that creates a webhook has its secret. */
export const sealedResponses = Effect.map(DataDirectory, ({ secretKey }) => {
  const key = sealingKey(Redacted.value(secretKey), "waypost idempotent responses");
  const contextOf = (request: IdempotentRequest, author: string) => `${scopeOf(request)} ${author}`;
  return {
    seal: (
      request: IdempotentRequest,
      { body, contentType, status }: Omit<RepeatableResponse, "author">,
    ): StoredResponse => {
      const { author } = request;
      const sealed = seal(key, contextOf(request, author), body);
      return { status, content_type: contentType, body: null, sealed, author };
    },

    open: (request: IdempotentRequest, stored: StoredResponse): RepeatableResponse => {
      const { author, sealed, status } = stored;
      const isSealed = sealed !== null && author !== null;
      const body = isSealed ? unsealBytes(key, contextOf(request, author), sealed) : stored.body;
      // All processes have the same secret key, which its fingerprint proves, so the row was changed by hand.
      if (body === null) throw new Error("A stored response does not open with this secret key");
      return { status, contentType: stored.content_type, body, author };
    },
  };
});

/**
 * The body that a duplicate by `reader` gets: somebody else than the author does not get the secret that the
 * response shows in `data.secret`, but null (contract Y29).
 */
export const bodyFor = (reader: string, { author, body, contentType }: RepeatableResponse): Uint8Array => {
  if (author === reader || contentType?.startsWith("application/json") !== true) return body;
  const shown = JSON.parse(Buffer.from(body).toString("utf8")) as {
    readonly data?: { readonly secret?: unknown };
  };
  if (typeof shown.data?.secret !== "string") return body;
  return Buffer.from(JSON.stringify({ ...shown, data: { ...shown.data, secret: null } }));
};
