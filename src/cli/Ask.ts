/** How commands call the typed clients: failures become `CommandRefused`, lists are read in pages. */
import { Effect } from "effect";
import type { ConnectionSettings, Pages } from "../client/WaypostClient.ts";
import type { SettingsInvalid } from "../config/Settings.ts";
import { type BadUsage, CommandRefused } from "./CommandRefused.ts";

/** Why a client could not be opened, or its call failed. */
export type Refusal = BadUsage | CommandRefused | SettingsInvalid;

/** Calls a client, with the ids that come first in its paths. Every failure becomes a `Refusal`. */
export type Ask<Client, At extends ReadonlyArray<unknown> = []> = <A>(
  request: (client: Client, ...at: At) => Promise<A>,
) => Effect.Effect<A, Refusal>;

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

/** Reads a list up to `limit` items. `hasMore` says whether the list goes further. */
export type ReadList<Item> = (
  limit: number,
) => Effect.Effect<{ readonly items: ReadonlyArray<Item>; readonly hasMore: boolean }, Refusal>;

/** Reads a list of the client page by page. */
export const listOf =
  <Client, At extends ReadonlyArray<unknown>, Item>(
    ask: Ask<Client, At>,
    list: (client: Client, query: { readonly limit: number }, ...at: At) => Pages<Item>,
  ): ReadList<Item> =>
  (limit) =>
    ask(async (client, ...at) => {
      const items: Array<Item> = [];
      for await (const page of list(client, { limit: Math.min(100, limit) }, ...at).pages()) {
        items.push(...page.items);
        const hasMore = page.nextCursor !== null || items.length > limit;
        if (items.length >= limit) return { items: items.slice(0, limit), hasMore };
      }
      return { items, hasMore: false };
    });
