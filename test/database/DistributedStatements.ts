import { distributedTables } from "../../src/database/citus/DistributedTables.ts";

/** Statements on purpose over all workspaces, by a part of their text: they find work, or measure it. */
const overAllWorkspaces: ReadonlyArray<string> = [
  // PushQueueSql: partitions with due pushes, and the depth of the queue.
  "RECURSIVE partition AS",
  "SELECT q.transport, count(*)::int AS count",
  // DueWorkspaces, DwellsSql and CustomEventsSql: workspaces that have work.
  "FROM (SELECT workspace_id FROM rollup_state UNION SELECT workspace_id FROM device_delta) AS w",
  "SELECT DISTINCT d.workspace_id AS id FROM",
  "SELECT DISTINCT e.workspace_id AS id FROM",
  // RollupStateSql and RetentionSql: environments that have work, and how much.
  "WITH changed AS MATERIALIZED",
  "WITH state AS MATERIALIZED",
  "AS deliveries, (SELECT count(*)::int FROM (SELECT 1 FROM",
  // WorkFactsSql: what the doctor counts.
  "WITH queued AS MATERIALIZED",
  "FROM (SELECT transport, due_at FROM push_queue LIMIT 100000) AS queued",
  "WITH counted AS MATERIALIZED",
];

const tables = distributedTables.join("|");
const notAliases = "WHERE|ON|SET|USING|CROSS|JOIN|LEFT|ORDER|LIMIT|GROUP|UNION|DO|OFFSET|FOR|RETURNING|AND";
const reference = new RegExp(
  `\\b(?:FROM|JOIN|UPDATE|USING)\\s+"?(${tables})"?\\b(?!\\.)` +
    `(?:\\s+(?:AS\\s+)?(?!(?:${notAliases})\\b)"?([a-z_]+)"?)?`,
  "g",
);
/** Functions that are not immutable, as far as statements use them. */
const mutableFunction =
  /\b(?:to_char|nextval|now|random|gen_random_uuid|clock_timestamp|extract|date_part)\(/;
/** A row that is returned by a change, up to the end of its common table expression. */
const returning = /\bRETURNING\b((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)/g;

/** The refusal of a statement by Citus; nothing for one that touches no distributed table. */
export const problemsOf = (statement: string): ReadonlyArray<string> => {
  const text = statement.replaceAll(/\s+/g, " ");
  if (overAllWorkspaces.some((part) => text.includes(part))) return [];
  const references = [...text.matchAll(reference)];
  const changesOne = new RegExp(`\\b(?:INTO|UPDATE|DELETE FROM) "?(?:${tables})"?\\b`).test(text);
  if (references.length === 0 && !changesOne) return [];
  const unnamed = references.flatMap(([, table = "", alias = table]) =>
    text.includes(`${alias}.workspace_id = $`) || /(?<![.\w])"?workspace_id"? = \$/.test(text)
      ? []
      : [`${table} (${alias}) without its workspace`],
  );
  const mutable = [...text.matchAll(returning)].flatMap(([, columns = ""]) => {
    const found = mutableFunction.exec(columns);
    return changesOne && found !== null ? [`${found[0]}) in RETURNING`] : [];
  });
  return [...unnamed, ...mutable, ...(/\bctid\b/.test(text) ? ["ctid"] : [])];
};

const changed = /\b(?:INSERT INTO|DELETE FROM|(?<!(?:DO|FOR NO KEY|FOR) )UPDATE) "?([a-z_]+)"?/g;

/** The tables that a statement changes, by whether they are distributed. */
export const changedTables = (statement: string) => {
  const names = [...statement.replaceAll(/\s+/g, " ").matchAll(changed)].flatMap(([, name = ""]) => name);
  const isSpread = (name: string): boolean => distributedTables.some((table) => table === name);
  return {
    distributed: [...new Set(names.filter(isSpread))],
    plain: [...new Set(names.filter((name) => !isSpread(name)))],
  };
};
