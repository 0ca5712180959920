import { formatInstant, yesNo } from "./Formats.ts";
import { type Column, details, type Kind } from "./Table.ts";

type Value = string | number | boolean | null;

/** The fields of an item that have one value. */
type FieldName<Item> = { [Name in keyof Item]: Item[Name] extends Value ? Name : never }[keyof Item] & string;

/** The shown fields of an item, by name, or as a label with a value and its kind: prose if left out. */
export type Shown<Item> = (
  item: Item,
) => ReadonlyArray<FieldName<Item> | readonly [label: string, value: Value, kind?: Kind]>;

/** Figures with the names of their fields. */
export const figures = <const Name extends string>(
  item: { readonly [name in Name]: number | null },
  ...names: ReadonlyArray<Name>
) => names.map((name) => [name, item[name], "figure"] as const);

const labels: Readonly<Record<string, string>> = { timezone: "time zone" };

/** The label of a field, such as "last used" of `last_used_at`, its value and its kind. */
const fieldOf = <Item>(item: Item, name: FieldName<Item>) => {
  const [, label = name, ending] = /^(.+)_(at|id)$/.exec(name) ?? [];
  const kind = ({ at: "instant", id: "id" } as const)[ending ?? name] ?? "prose";
  return [labels[name] ?? label.replaceAll("_", " "), item[name] as Value, kind] as const;
};

/** The labels, texts and kinds of what is shown of an item. */
const partsOf = <Item>(item: Item, shown: Shown<Item>) =>
  shown(item).map((each) => {
    const [label, value, kind = "prose"] = typeof each === "string" ? fieldOf(item, each) : each;
    return { label, kind, value: typeof value === "boolean" ? yesNo(value) : value };
  });

type Parts = ReturnType<typeof partsOf>;

/** Columns for a table, and its rows. */
export const columnsOf = <Item>(items: ReadonlyArray<Item>, shown: Shown<Item>) => {
  const rows = items.map((item) => partsOf(item, shown));
  const columns = (rows[0] ?? []).map(({ kind, label }, index): Column<Parts> => ({
    heading: label.toUpperCase(),
    kind,
    cell: (parts) => parts[index]?.value ?? null,
  }));
  return { columns, rows };
};

/** An item as lines of a name and a value. */
export const cardText = <Item>(item: Item, shown: Shown<Item>): string =>
  details(
    partsOf(item, shown).map(({ kind, label, value }) => [
      label,
      value === null || kind === "instant" ? formatInstant(value as string | null) : String(value),
    ]),
  );
