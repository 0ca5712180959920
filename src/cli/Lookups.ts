/** Lookups of items by id or name. */
import { Effect } from "effect";
import { isUuid } from "../wire/Ids.ts";
import type { ReadList, Refusal } from "./Ask.ts";
import { type CommandRefused, refused } from "./CommandRefused.ts";
import { formatInstant } from "./terminal/Formats.ts";

/** The only item of a name: by exact spelling, or else regardless of case. */
const pick = <Item extends { readonly id: string }>(
  noun: string,
  name: string,
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
): Effect.Effect<string, CommandRefused> => {
  const exact = items.filter((item) => nameOf(item) === name);
  const matches =
    exact.length > 0 ? exact : items.filter((item) => nameOf(item).toLowerCase() === name.toLowerCase());
  const [found, ...others] = matches;
  if (found === undefined) return Effect.fail(refused(`There is no ${noun} called "${name}".`));
  if (others.length === 0) return Effect.succeed(found.id);
  const ids = matches.map(({ id }) => `  ${id}`).join("\n");
  return Effect.fail(refused(`${matches.length} ${noun}s are called "${name}". Give the id of one:\n${ids}`));
};

/** The id of the only item of a name. */
export const findIdByName = <Item extends { readonly id: string }>(
  noun: string,
  name: string,
  list: ReadList<Item>,
  nameOf: (item: Item) => string,
): Effect.Effect<string, Refusal> =>
  Effect.flatMap(list(Number.POSITIVE_INFINITY), ({ items }) => pick(noun, name, items, nameOf));

/** Finds the id of an item, by its id or by the name that `nameOf` gives. The server checks an id. */
export const findBy =
  <Item extends { readonly id: string }>(nameOf: (item: Item) => string) =>
  (noun: string, nameOrId: string, list: ReadList<Item>): Effect.Effect<string, Refusal> =>
    isUuid(nameOrId) ? Effect.succeed(nameOrId) : findIdByName(noun, nameOrId, list, nameOf);

/** Finds the id of an item, by its id or name. */
export const findId = findBy(({ name }: { readonly id: string; readonly name: string }) => name);

/**
 * The id of a credential to revoke, by its id or name. A name finds the credential that is not revoked. Fails
 * if the only ones are revoked already.
 */
export const findCredential = Effect.fnUntraced(function* <
  Item extends { readonly id: string; readonly name: string; readonly revoked_at: string | null },
>(noun: string, nameOrId: string, list: ReadList<Item>): Effect.fn.Return<string, Refusal> {
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
  return yield* pick(noun, nameOrId, usable, ({ name }) => name);
});
