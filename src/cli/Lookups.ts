/** How people name things on the command line: by id, or by a name that is one thing's alone. */
import { Effect } from "effect";
import { Argument, Flag } from "effect/cli";
import { isUuid } from "../wire/Ids.ts";
import { CommandRefused } from "./CommandRefused.ts";
import type { Operator } from "./Operator.ts";
import { defaultListed } from "./terminal/Output.ts";

/** The workspace that a command is about. */
export const workspaceFlag = Flag.String("workspace").pipe(
  Flag.withAlias("w"),
  Flag.withDescription("The workspace, by id or name"),
);

/** The environment that a command is about. */
export const environmentFlag = Flag.Literals("environment", ["sandbox", "production"]).pipe(
  Flag.withAlias("e"),
  Flag.withDescription("The environment"),
);

/** Most items to list. */
export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription(`Most to list, newest first; ${defaultListed} if left out`),
  Flag.filter(
    (limit) => limit >= 1,
    () => "The limit must be 1 or more.",
  ),
  Flag.withDefault(defaultListed),
);

/** One thing, by id or by name. */
export const nameArgument = (noun: string) =>
  Argument.String(noun).pipe(Argument.withDescription(`The ${noun}, by id or name`));

interface Page<Item> {
  readonly data: ReadonlyArray<Item>;
  readonly meta: { readonly next_cursor: string | null };
}

/** Reads a list page by page, up to `limit` items, and tells whether there are more. */
export const readList = <Item, E>(
  limit: number,
  fetch: (query: { readonly limit: number; readonly cursor?: string }) => Effect.Effect<Page<Item>, E>,
) =>
  Effect.gen(function* () {
    const items: Array<Item> = [];
    let cursor: string | null = null;
    do {
      const size = Math.min(100, limit - items.length);
      const page: Page<Item> = yield* fetch({ limit: size, ...(cursor === null ? {} : { cursor }) });
      items.push(...page.data);
      cursor = page.meta.next_cursor;
    } while (cursor !== null && items.length < limit);
    return { items, more: cursor !== null };
  });

/** The one item of that name, letter for letter, or else whatever the case of its letters. */
export const pick = <Item extends { readonly id: string }>(
  noun: string,
  name: string,
  items: ReadonlyArray<Item>,
  nameOf: (item: Item) => string,
): Effect.Effect<Item, CommandRefused> => {
  const exact = items.filter((item) => nameOf(item) === name);
  const alike =
    exact.length > 0 ? exact : items.filter((item) => nameOf(item).toLowerCase() === name.toLowerCase());
  const [found, ...others] = alike;
  if (found === undefined) {
    return Effect.fail(new CommandRefused({ message: `There is no ${noun} called "${name}".` }));
  }
  if (others.length === 0) return Effect.succeed(found);
  const ids = alike.map(({ id }) => `  ${id}`).join("\n");
  return Effect.fail(
    new CommandRefused({
      message: `${alike.length} ${noun}s are called "${name}". Give the id of one:\n${ids}`,
    }),
  );
};

const all = Number.POSITIVE_INFINITY;

/** The id of a workspace by its id or name; an id is left for the server to find. */
export const findWorkspace = (ask: Operator, nameOrId: string): Effect.Effect<string, CommandRefused> => {
  if (isUuid(nameOrId)) return Effect.succeed(nameOrId);
  return readList(all, (query) => ask((client) => client.workspaces.list({ query }))).pipe(
    Effect.flatMap(({ items }) => pick("workspace", nameOrId, items, ({ name }) => name)),
    Effect.map(({ id }) => id),
  );
};

/** The id of a credential by its id or name; of several with that name the one that is not revoked. */
export const findCredential = <
  Item extends { readonly id: string; readonly name: string; readonly revoked_at: string | null },
>(
  noun: string,
  nameOrId: string,
  fetch: (query: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Effect.Effect<Page<Item>, CommandRefused>,
): Effect.Effect<string, CommandRefused> => {
  if (isUuid(nameOrId)) return Effect.succeed(nameOrId);
  return readList(all, fetch).pipe(
    Effect.flatMap(({ items }) =>
      pick(
        noun,
        nameOrId,
        items.filter(({ revoked_at }) => revoked_at === null),
        ({ name }) => name,
      ),
    ),
    Effect.map(({ id }) => id),
  );
};
