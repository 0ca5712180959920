/** Resources: what the commands that list, show and change one need to know about it, each said once. */
import { Effect } from "effect";
import type { Argument, Flag } from "effect/cli";
import type { Pages } from "../client/WaypostClient.ts";
import { type Ask, listOf, type ReadList, type Refusal } from "./Ask.ts";
import { askAt, commandOn, type Target } from "./CommandTarget.ts";
import type { FlagSet, Help, Steps, Values } from "./DeclaredCommand.ts";
import { limitFlag, nameArgument } from "./Flags.ts";
import { findId } from "./Lookups.ts";
import { cardText, type Shown } from "./terminal/ItemFields.ts";
import { printList, printOne } from "./terminal/Output.ts";

/** The flags of an environment in examples. */
export const inProduction = "--workspace Acme --environment production";
/** As `inProduction`, for the other environment. */
export const inSandbox = "--workspace Acme --environment sandbox";

type Ids = ReadonlyArray<unknown>;

const noFlags = {};
type NoFlags = typeof noFlags;

/** Texts of the help page. The example is made from the row if none is given. */
type Texts = Pick<Help, "description"> & Partial<Help>;

/** A list: its endpoint, what is shown of its items, and what is said if there are none. */
interface List<Client, Query, At extends Ids, Item> {
  readonly list: (client: Client, query: Query, ...at: At) => Pages<Item>;
  readonly columns: Shown<NoInfer<Item>>;
}

/** A row of the table of resources. */
interface Row<Client, At extends Ids, Filters extends FlagSet, Item> extends List<
  Client,
  { readonly limit: number } & Partial<Values<Filters>>,
  At,
  Item
> {
  readonly target: Target<Client, At>;
  /** The words before a verb, such as `sdk-key`. */
  readonly command: string;
  /** The noun in sentences, such as `SDK key`; `command` if left out. */
  readonly noun?: string;
  /** The flags of the target, and the name of an item, in examples. */
  readonly at?: string;
  readonly sample?: string;
  /** The flags of a list, by the parameters of its query. */
  readonly filters?: Filters;
  /** Whether a list is always read to its end. */
  readonly isWhole?: boolean;
  readonly card?: Shown<NoInfer<Item>>;
  /** The argument that names an item, and how its id is found: by its id or name if left out. */
  readonly argument?: Argument.Argument<string>;
  readonly find?: (
    noun: string,
    name: string,
    list: ReadList<NoInfer<Item>>,
  ) => Effect.Effect<string, Refusal>;
}

/** A text, or one that depends on flags. */
type TextFor<Flags> = string | ((flags: Flags) => string);

/** A command that lists items of a target. */
const listOn = <Client, At extends Ids, Item, const Flags extends FlagSet>(
  target: Target<Client, At>,
  name: string,
  {
    columns,
    flags: declared,
    list,
    whenEmpty,
    ...help
  }: Help &
    List<Client, Values<Flags>, At, Item> & {
      readonly flags: Flags;
      readonly whenEmpty: TextFor<Values<Flags>>;
    },
) =>
  commandOn(target, name, {
    ...help,
    flags: declared,
    *run(ask, flags) {
      const { limit = Number.POSITIVE_INFINITY, ...filters } = flags as { readonly limit?: number };
      yield* printList(
        limit,
        listOf<Client, At, Item>(ask, (client, query, ...at) =>
          list(client, { ...filters, ...query } as never, ...at),
        ),
        columns,
        typeof whenEmpty === "string" ? whenEmpty : whenEmpty(flags),
      );
    },
  });

/** The commands of a resource, by its row. */
export const resource = <Client, At extends Ids, Item, Filters extends FlagSet = NoFlags>(
  row: Row<Client, At, Filters, Item>,
) => {
  const { at, command, noun = command, sample, target } = row;
  const find = row.find ?? (findId as never);

  const helpOf = (verb: string, { examples, ...texts }: Texts, name?: string): Help => ({
    ...texts,
    examples: examples ?? [
      ["waypost", command, verb, name, at].filter((word) => word !== undefined).join(" "),
    ],
  });

  /** One item, which a flag or an argument names. */
  const one = (
    flag: Argument.Argument<string> | Flag.Flag<string> = row.argument ?? nameArgument(noun),
  ): Target<Client, [...At, string]> => ({
    flags: { ...target.flags, [noun]: flag },
    open: Effect.fnUntraced(function* (named: Readonly<Record<string, string>>) {
      const ask = yield* target.open(named as never);
      const list = listOf<Client, At, Item>(ask, (client, query, ...ids) =>
        row.list(client, query as never, ...ids),
      );
      return askAt(ask, yield* find(noun, named[noun] ?? "", list));
    }),
  });

  const card = (item: Item): string => cardText(item, row.card ?? row.columns);

  /** A command of one request on one item, and a text for the answer. */
  const item = <A, const Flags extends FlagSet = NoFlags>(
    name: string,
    {
      flags,
      request,
      text,
      ...texts
    }: Texts & {
      readonly flags?: Flags;
      readonly request: (client: Client, ...args: [...At, string, Values<Flags>]) => Promise<A>;
      readonly text: (answer: A, flags: Values<Flags>) => string;
    },
  ) =>
    commandOn(one(), name, {
      ...helpOf(name, texts, sample),
      flags: flags ?? (noFlags as Flags),
      *run(ask, values) {
        const answer = yield* ask((client, ...ids) => request(client, ...ids, values));
        yield* printOne(answer, (shown) => text(shown, values));
      },
    });

  return {
    one,
    card,
    item,
    /** The text for an item that was made. */
    created: (made: Item): string =>
      `Created the ${noun} "${(made as { readonly name?: string }).name}".\n\n${card(made)}`,
    /** A command on one item. */
    command: <const Flags extends FlagSet, Step extends Effect.Effect<unknown, unknown, unknown>>(
      name: string,
      declared: Texts & {
        readonly flags: Flags;
        readonly run: (ask: Ask<Client, [...At, string]>, flags: Values<Flags>) => Steps<Step>;
      },
    ) => commandOn(one(), name, { ...declared, ...helpOf(name, declared, sample) }),
    /** The command that lists the items. */
    list: ({ whenEmpty, ...texts }: Texts & { readonly whenEmpty: TextFor<Values<Filters>> }) =>
      listOn<Client, At, Item, Filters>(target, "list", {
        ...helpOf("list", texts),
        flags: { ...row.filters, ...(row.isWhole === true ? {} : { limit: limitFlag }) } as never,
        list: row.list as never,
        columns: row.columns,
        whenEmpty,
      }),
    /** The command that shows one item. */
    show: (description: string, get: (client: Client, ...ids: [...At, string]) => Promise<Item>) =>
      item("show", {
        description,
        request: (client, ...args) => get(client, ...(args.slice(0, -1) as [...At, string])),
        text: card,
      }),
    /** A command that lists what belongs to one item. */
    items: <Part, const Flags extends FlagSet>(
      name: string,
      declared: Texts &
        List<Client, Values<Flags>, [...At, string], Part> & {
          readonly flags: Flags;
          readonly whenEmpty: string;
        },
    ) => listOn(one(), name, { ...declared, ...helpOf(name, declared, sample) }),
  };
};
