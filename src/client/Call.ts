import type { CallInput } from "./Connection.ts";
import type { EndpointName, Envelope, GroupName, Query } from "./Contract.ts";
import { Pages } from "./Pages.ts";

/** Makes one call of the contract. Rejects with a `WaypostError`, or with the reason of an aborted signal. */
export type Call = <G extends GroupName, E extends EndpointName<G>>(
  to: readonly [G, E],
  input: CallInput,
) => Promise<Envelope<G, E>>;

type Parameters<G extends GroupName> = Query<G, EndpointName<G> & "list">;

/** Which items a list gives, and the `cursor` to begin at. `limit` is how many are fetched at once; 100 unless said. */
export type ListQuery<G extends GroupName> = Omit<Parameters<G>, "updated_since" | "limit"> & {
  readonly limit?: number;
} & ("updated_since" extends keyof Parameters<G>
    ? { readonly updated_since?: string | Date | undefined }
    : unknown);

type Values = NonNullable<CallInput["query"]>;

interface Listed<T> {
  readonly data: ReadonlyArray<T>;
  readonly meta: { readonly next_cursor: string | null };
}

/** The pages of a list that `fetch` gets one of. */
export const listed = <T>(query: Values, fetch: (query: Values) => Promise<Listed<T>>): Pages<T> =>
  new Pages<T>(
    async (cursor) => {
      const { data, meta } = await fetch({ ...query, limit: query["limit"] ?? 100, cursor });
      return { items: data, nextCursor: meta.next_cursor };
    },
    typeof query["cursor"] === "string" ? query["cursor"] : undefined,
  );
