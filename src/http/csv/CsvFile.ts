/** The content of a CSV file, and its name (contract M5). */
import type { Effect, Scope } from "effect";
import type { Stream } from "effect";
import { dateAt } from "../../time/LocalTime.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";

/** A file: its records without line breaks, in batches. */
export interface CsvFile {
  readonly name: string;
  readonly heading: ReadonlyArray<string>;
  /** The records, or what begins to read them; what that holds is released with the scope. */
  readonly records:
    ReadonlyArray<string> | Effect.Effect<Stream.Stream<ReadonlyArray<string>>, never, Scope.Scope>;
}

/** A name of ASCII letters and digits, with hyphens between them; empty where none is left. */
const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");

/** A file name that says what the file holds, of which workspace and of which days. */
export const csvName = (
  what: string,
  { workspace }: Pick<Tenant, "workspace">,
  dates: ReadonlyArray<string>,
): string => {
  const slug = slugOf(workspace.name);
  return `${[what, slug === "" ? workspace.id : slug, ...dates].join("-")}.csv`;
};

/** The dates of a file without a range: today in the workspace's zone. */
export const todayOf = ({ workspace }: Pick<Tenant, "workspace">, now: number): ReadonlyArray<string> => [
  dateAt(workspace.timezone, now),
];
