import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect";
import { createHmac, timingSafeEqual } from "node:crypto";
import { DataDirectory } from "../database/DataDirectory.ts";
import { Unprocessable } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { TenantKey } from "../workspaces/Environment.ts";

const lifetimeMillis = 24 * 60 * 60 * 1000;
const defaultLimit = 20;
/** Items of a list with large items that are read at a time: a page of the default limit, and one more. */
const largeStep = 21;
/** The length of such a page as JSON from which it ends early. An item has at most about a million. */
const maxLength = 4_194_304;

/**
 * The scope of a cursor (contract D2): it is valid only for this list, filters, workspace and
 * environment.
 */
export interface ListScope {
  readonly endpoint: string;
  readonly owner: TenantKey | string;
  readonly filters?: { readonly [name: string]: string | number | boolean | null | undefined };
  /** An item can have a megabyte: a page ends early, so that it has less than 16 MB (contract D2.4). */
  readonly isLarge?: true;
}

const Content = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.Finite]));

/** A page of a list, with the cursor of the next one; null on the last page. */
interface Page<A> {
  readonly data: ReadonlyArray<A>;
  readonly meta: { readonly next_cursor: string | null };
}

/** Signs and verifies the cursors of all lists, and reads pages. */
export class Cursors extends Context.Service<
  Cursors,
  {
    /** One page of a list. `fetch` reads items, newest first, one more than the page holds. @throws 422 */
    readonly page: <A extends { readonly id: string }, E, R>(
      scope: ListScope,
      query: { readonly cursor?: string; readonly limit?: number },
      fetch: (position: PagePosition) => Effect.Effect<ReadonlyArray<A>, E, R>,
    ) => Effect.Effect<Page<A>, E | Unprocessable, R>;
  }
>()("waypost/http/Cursors") {
  static readonly layer = Layer.effect(
    Cursors,
    Effect.gen(function* () {
      const { secretKey } = yield* DataDirectory;

      const write = (content: string, { endpoint, filters, owner }: ListScope): string => {
        const ownerName = typeof owner === "string" ? owner : `${owner.workspaceId}/${owner.environment}`;
        const given = Object.entries(filters ?? {})
          .filter(([, value]) => value !== undefined && value !== null)
          .sort(([a], [b]) => (a < b ? -1 : 1));
        const signature = createHmac("sha256", Redacted.value(secretKey))
          .update(JSON.stringify(["cursor", endpoint, ownerName, given, content]))
          .digest()
          .subarray(0, 16);
        return `${Buffer.from(content).toString("base64url")}.${signature.toString("base64url")}`;
      };

      const read = Effect.fnUntraced(function* (scope: ListScope, cursor: string) {
        const content = Buffer.from(cursor.split(".", 1)[0] ?? "", "base64url").toString();
        // The texts are compared: several base64 texts decode to the same bytes.
        const expected = Buffer.from(write(content, scope));
        const given = Buffer.from(cursor);
        if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
          return yield* Unprocessable.cursor();
        }
        const [before, issuedAt] = yield* Effect.mapError(Schema.decodeEffect(Content)(content), () =>
          Unprocessable.cursor(),
        );
        const now = yield* Clock.currentTimeMillis;
        if (now - issuedAt > lifetimeMillis || !isUuid(before)) return yield* Unprocessable.cursor();
        return before;
      });

      return Cursors.of({
        page: Effect.fnUntraced(function* <A extends { readonly id: string }, E, R>(
          scope: ListScope,
          query: { readonly cursor?: string; readonly limit?: number },
          fetch: (position: PagePosition) => Effect.Effect<ReadonlyArray<A>, E, R>,
        ) {
          let before = query.cursor === undefined ? null : yield* read(scope, query.cursor);
          const limit = query.limit ?? defaultLimit;
          const step = scope.isLarge ? largeStep : limit + 1;
          const data: Array<A> = [];
          let [length, isFull, isAll] = [0, false, false];
          while (!isFull && !isAll) {
            const count = Math.min(step, limit + 1 - data.length);
            const items = yield* fetch({ before, limit: count });
            for (const item of items) {
              isFull = data.length === limit || length >= maxLength;
              if (isFull) break;
              data.push(item);
              if (scope.isLarge) length += JSON.stringify(item).length;
            }
            isAll = items.length < count;
            before = items.at(-1)?.id ?? null;
          }
          const last = data.at(-1);
          if (!isFull || last === undefined) return { data, meta: { next_cursor: null } };
          const content = JSON.stringify([last.id, yield* Clock.currentTimeMillis]);
          return { data, meta: { next_cursor: write(content, scope) } };
        }),
      });
    }),
  );
}
