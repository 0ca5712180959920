/** The types of query parameters. Parameters that many operations take alike are declared once. */
import type { Operation } from "./Operations.ts";

const groups = [
  {
    name: "ReportQuery",
    about: "The days of a report, and which of the activity it counts.",
    fields: ["start", "end", "campaign", "location", "location_group", "activation", "content_type"],
  },
  { name: "DaysQuery", about: "The days of a report.", fields: ["start", "end"] },
  { name: "PageQuery", about: "A page of a list.", fields: ["cursor", "limit"] },
];

/** The declaration of a group's fields in a query; null if the query does not have all of them. */
const declared = (query: ReadonlyMap<string, string>, { about, fields, name }: (typeof groups)[number]) => {
  const lines = fields.map((field) => query.get(field));
  return lines.includes(undefined)
    ? null
    : `/** ${about} */\nexport interface ${name} {\n${lines.join("\n")}\n}\n`;
};

/** The most frequent of some texts; null if none occurs twice. */
const commonest = (texts: ReadonlyArray<string>): string | null =>
  [...Map.groupBy(texts, (text) => text).values()]
    .filter(({ length }) => length > 1)
    .toSorted((one, other) => other.length - one.length)[0]?.[0] ?? null;

/** The types of the queries of operations by name, and those that they extend. */
export const queryTypes = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, string> => {
  const queries = operations.flatMap(({ query }) => query ?? []);
  const shared = groups.map((group) => ({
    ...group,
    text: commonest(queries.flatMap(({ fields }) => declared(fields, group) ?? [])),
  }));
  const types = new Map<string, string>();
  for (const { about, fields, name } of queries) {
    const own = new Map(fields);
    const parents = shared.filter((group) => {
      if (group.text === null || declared(own, group) !== group.text) return false;
      types.set(group.name, group.text);
      for (const field of group.fields) own.delete(field);
      return true;
    });
    const names = parents.map((group) => group.name);
    const extended = names.length === 0 ? "" : ` extends ${names.join(", ")}`;
    types.set(
      name,
      own.size === 0 && names.length === 1
        ? `${about}export type ${name} = ${names.join()};\n`
        : `${about}export interface ${name}${extended} {\n${[...own.values()].join("\n")}\n}\n`,
    );
  }
  return types;
};
