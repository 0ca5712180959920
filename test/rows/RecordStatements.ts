/**
 * Records the statements that tests run, each with the columns that PostgreSQL gives for it.
 * `DeclaredRows.rows.test.ts` compares them with the declared rows. A setup file of tests on PostgreSQL.
 */
import { Effect, Exit } from "effect";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { PooledConnection } from "../../src/database/pool/PooledConnection.ts";

/** A statement and its columns: their names, with the ids of their types. */
export interface RecordedStatement {
  readonly text: string;
  readonly columns: ReadonlyArray<readonly [name: string, type: number]>;
}

declare global {
  // The modules of a worker outlive a file, and the setup runs for each.
  var waypostRecordedStatements: Set<string> | undefined;
}

if (globalThis.waypostRecordedStatements === undefined) {
  const known = (globalThis.waypostRecordedStatements = new Set());
  const file = join(inject("testServer").statements, `${process.pid}.jsonl`);
  const { submit } = PooledConnection.prototype;
  PooledConnection.prototype.submit = function recorded(text, ...rest) {
    return Effect.map(submit.call(this, text, ...rest), (statement) => {
      if (known.has(text)) return statement;
      statement.observe((exit) => {
        if (!Exit.isSuccess(exit) || exit.value.fields.length === 0 || known.has(text)) return;
        known.add(text);
        const columns = exit.value.fields.map(({ dataTypeId, name }) => [name, dataTypeId] as const);
        appendFileSync(file, `${JSON.stringify({ text, columns } satisfies RecordedStatement)}\n`);
      });
      return statement;
    });
  };
}
