import { Console, Effect } from "effect";
import { visibleValue } from "../../wire/VisibleText.ts";
import type { ReadList } from "../Ask.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { Json } from "../Operator.ts";
import { paint } from "./Colors.ts";
import { columnsOf, type Shown } from "./ItemFields.ts";
import { table } from "./Table.ts";

/**
 * Prints a value: as JSON for programs, or as text for people, made from a value without control characters.
 */
export const printOne = <A>(value: A, asText: (value: A) => string) =>
  Effect.flatMap(Json, (isJson) =>
    Console.log(isJson ? JSON.stringify(value, null, 2) : asText(visibleValue(value))),
  );

/** A table of items that fits the terminal; in a pipe it is as wide as its content. */
export const fittedTable = <Item>(items: ReadonlyArray<Item>, shown: Shown<Item>) =>
  Effect.map(CliEnvironment, (cliEnvironment) => {
    const { columns, rows } = columnsOf(items, shown);
    return table(columns, rows, cliEnvironment.columns, paint(cliEnvironment.colors.stdout).bold);
  });

/**
 * Reads up to `limit` items of a list, and prints them: as a JSON array, or as a table that fits the
 * terminal. It says on stderr if there are more items.
 */
export const printList = <Item>(
  limit: number,
  list: ReadList<Item>,
  shown: Shown<NoInfer<Item>>,
  whenEmpty: string,
) =>
  Effect.gen(function* () {
    const { hasMore, items } = yield* list(limit);
    if (yield* Json) yield* Console.log(JSON.stringify(items, null, 2));
    else if (items.length === 0) yield* Console.log(whenEmpty);
    else yield* Console.log(yield* fittedTable(items, shown));
    if (hasMore)
      yield* Console.error(`There are more: these are the newest ${items.length}. Use --limit to list more.`);
  });
