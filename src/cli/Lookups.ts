/** Lookups of items by id or name. */
import { Effect } from "effect";
import { isUuid } from "../wire/Ids.ts";
import { listOf, type ReadList } from "./Ask.ts";
import { type CommandRefused, refused } from "./CommandRefused.ts";
import type { EnvironmentFlags } from "./Flags.ts";
import { type Operator, operator } from "./Operator.ts";
import { formatInstant } from "./terminal/Formats.ts";

/** The only item of a name: by exact spelling, or else regardless of case. */
const pick = <Item extends { readonly id: string }>(
  noun: string,
  name: string,
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
): Effect.Effect<Item, CommandRefused> => {
  const exact = items.filter((item) => nameOf(item) === name);
  const matches =
    exact.length > 0 ? exact : items.filter((item) => nameOf(item).toLowerCase() === name.toLowerCase());
  const [found, ...others] = matches;
  if (found === undefined) return Effect.fail(refused(`There is no ${noun} called "${name}".`));
  if (others.length === 0) return Effect.succeed(found);
  const ids = matches.map(({ id }) => `  ${id}`).join("\n");
  return Effect.fail(refused(`${matches.length} ${noun}s are called "${name}". Give the id of one:\n${ids}`));
};

/** The id of the only item of a name. */
export const findIdByName = <Item extends { readonly id: string }>(
  noun: string,
  name: string,
  list: ReadList<Item>,
  nameOf: (item: Item) => string,
): Effect.Effect<string, CommandRefused> =>
  list(Number.POSITIVE_INFINITY).pipe(
    Effect.flatMap(({ items }) => pick(noun, name, items, nameOf)),
    Effect.map(({ id }) => id),
  );

/** The id of an item, by its id or name. An id is returned unchanged: the server checks it. */
export const findId = <Item extends { readonly id: string; readonly name: string }>(
  noun: string,
  nameOrId: string,
  list: ReadList<Item>,
): Effect.Effect<string, CommandRefused> =>
  isUuid(nameOrId) ? Effect.succeed(nameOrId) : findIdByName(noun, nameOrId, list, ({ name }) => name);

/**
 * The id of a credential to revoke, by its id or name. A name finds the credential that is not revoked. Fails
 * if the only ones are revoked already.
 */
export const findCredential = Effect.fnUntraced(function* <
  Item extends { readonly id: string; readonly name: string; readonly revoked_at: string | null },
>(noun: string, nameOrId: string, list: ReadList<Item>): Effect.fn.Return<string, CommandRefused> {
  const { items } = yield* list(Number.POSITIVE_INFINITY);
  const named = isUuid(nameOrId)
    ? items.filter(({ id }) => id === nameOrId.toLowerCase())
    : items.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const [revoked] = named;
  if (revoked !== undefined && named.every(({ revoked_at }) => revoked_at !== null))
    return yield* refused(
      `The ${noun} "${revoked.name}" was revoked on ${formatInstant(revoked.revoked_at)}.`,
    );
  // The server answers for an id that is not listed.
  if (isUuid(nameOrId)) return nameOrId;
  const usable = named.filter(({ revoked_at }) => revoked_at === null);
  return (yield* pick(noun, nameOrId, usable, ({ name }) => name)).id;
});

/** The id of a workspace, by its id or name. */
export const findWorkspace = (ask: Operator, nameOrId: string): Effect.Effect<string, CommandRefused> =>
  findId(
    "workspace",
    nameOrId,
    listOf(ask, (client, query) => client.workspaces.list(query)),
  );

/** The operator interface, and the ids of the workspace and the environment in its paths. */
export const openEnvironment = Effect.fnUntraced(function* (flags: EnvironmentFlags) {
  const ask = yield* operator;
  return { ask, at: [yield* findWorkspace(ask, flags.workspace), flags.environment] as const };
});
