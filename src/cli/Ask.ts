/** How commands call the typed clients: failures become `CommandRefused`, lists are read in pages. */
import { Effect } from "effect";
import type { ConnectionSettings, Pages } from "../client/WaypostClient.ts";
import { CommandRefused } from "./CommandRefused.ts";

/** Calls a client. Every failure becomes `CommandRefused`. */
export type Ask<Client> = <A>(request: (client: Client) => Promise<A>) => Effect.Effect<A, CommandRefused>;

/** A person sees an error at once and decides whether to try again, and ends what takes too long. */
const settings = { retry: { attempts: 1 }, timeoutMs: 24 * 60 * 60_000 };

/** A function that calls the client of the server at `url`. `hint` follows the message of a 401. */
export const askOf = <Client>(
  url: string,
  hint: string,
  make: (settings: ConnectionSettings) => Client,
): Ask<Client> => {
  const client = make({ ...settings, url });
  return (request) =>
    Effect.tryPromise({
      try: () => request(client),
      catch: (error) => CommandRefused.from(url, error, hint),
    });
};

interface Page<Item> {
  readonly data: ReadonlyArray<Item>;
  readonly meta: { readonly next_cursor: string | null };
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Fetches one page of a list. */
export type FetchPage<Item> = (query: PageQuery) => Effect.Effect<Page<Item>, CommandRefused>;

/** Fetches one page of a list of the client. */
export const pageOf =
  <Client, Item>(
    ask: Ask<Client>,
    list: (client: Client, query: PageQuery) => Pages<Item>,
  ): FetchPage<Item> =>
  (query) =>
    ask(async (client) => {
      const { value } = await list(client, query).pages().next();
      return { data: value?.items ?? [], meta: { next_cursor: value?.nextCursor ?? null } };
    });
