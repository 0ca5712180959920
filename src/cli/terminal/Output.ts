import { Console, Effect } from "effect";
import { wantsJson } from "../Operator.ts";
import { CliEnvironment } from "../CliEnvironment.ts";
import { paint } from "./Colors.ts";
import { type Column, table } from "./Table.ts";

/** Prints one thing: as JSON for a program, or as the text that people read. */
export const printOne = <A>(thing: A, asText: (thing: A) => string) =>
  Effect.flatMap(wantsJson, (json) => Console.log(json ? JSON.stringify(thing, null, 2) : asText(thing)));

/** Most items that a list prints unless told otherwise. */
export const defaultListed = 100;

/** A table for the terminal at hand, or for a pipe. */
export const fittedTable = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  Effect.map(CliEnvironment, (cliEnvironment) =>
    table(columns, rows, cliEnvironment.columns, paint(cliEnvironment.colors.stdout).bold),
  );

/** Prints a list: as a JSON array, or as a table that fits the terminal. `more` says that there are older ones. */
export const printList = <Row>(
  { items, more }: { readonly items: ReadonlyArray<Row>; readonly more: boolean },
  columns: ReadonlyArray<Column<Row>>,
  nothing: string,
) =>
  Effect.gen(function* () {
    if (yield* wantsJson) yield* Console.log(JSON.stringify(items, null, 2));
    else if (items.length === 0) yield* Console.log(nothing);
    else yield* Console.log(yield* fittedTable(columns, items));
    if (more) yield* Console.error(`There are more: these are the newest ${items.length}. See --limit.`);
  });

/** A flag as people read it. */
export const yesNo = (value: boolean): string => (value ? "yes" : "no");
