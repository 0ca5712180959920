import type { CallInput, CallOptions } from "./Connection.ts";
import type { Answer, EndpointName, Envelope, GroupName, Item, Query } from "./Contract.ts";
import { Pages } from "./Pages.ts";

/** Calls one endpoint of the API. Rejects with a `WaypostError`, or with the reason of an aborted signal. */
export interface Call {
  <G extends GroupName, E extends EndpointName<G>>(
    endpoint: readonly [G, E],
    input: CallInput,
  ): Promise<Envelope<G, E>>;
  /** The response as CSV, of endpoints that have it. */
  csv<G extends GroupName>(endpoint: readonly [G, EndpointName<G>], input: CallInput): Promise<string>;
}

type Parameters<G extends GroupName> = Query<G, EndpointName<G> & "list">;

/** The filters of a list, the `cursor` to start at, and the number of items per request (100). */
export type ListQuery<G extends GroupName> = Omit<Parameters<G>, "updated_since" | "limit"> & {
  readonly limit?: number;
} & ("updated_since" extends keyof Parameters<G>
    ? { readonly updated_since?: string | Date | undefined }
    : unknown);

const defaultPageSize = 100;

interface ListEnvelope {
  readonly data: ReadonlyArray<unknown>;
  readonly meta: { readonly next_cursor: string | null };
}

/** A group of endpoints, such as `campaigns`. */
export class EndpointGroup {
  /** Calls an endpoint and returns its whole response. */
  protected readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }

  /** Calls an endpoint and returns the `data` of its response. */
  protected async data<G extends GroupName, E extends EndpointName<G>>(
    endpoint: readonly [G, E],
    input: CallInput,
  ): Promise<Answer<G, E>> {
    return ((await this.call(endpoint, input)) as { readonly data: Answer<G, E> }).data;
  }

  /** The pages of a list. */
  protected pages<G extends GroupName, E extends EndpointName<G>>(
    endpoint: readonly [G, E],
    query: NonNullable<CallInput["query"]>,
    options: CallOptions | undefined,
    ids: Readonly<Record<string, string>> = {},
  ): Pages<Item<G, E>> {
    const limit = query["limit"] ?? defaultPageSize;
    return new Pages(
      async (cursor) => {
        const input = { ids, query: { ...query, limit, cursor }, options };
        const { data, meta } = (await this.call(endpoint, input)) as ListEnvelope;
        return { items: data as ReadonlyArray<Item<G, E>>, nextCursor: meta.next_cursor };
      },
      typeof query["cursor"] === "string" ? query["cursor"] : undefined,
    );
  }
}
