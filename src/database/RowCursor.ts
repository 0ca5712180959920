/** The rows of a query through a server-side cursor: any number of rows in the memory of a batch. */
import { Effect, Option, Stream } from "effect";
import { SqlClient, type Statement } from "effect/sql";
import { onLongConnections } from "./pool/LongConnections.ts";

/** Rows of the first batch, so that it comes at once, and of all others. */
const firstBatch = 100;
const batchSize = 250;
/** Rows that are given at once: a millisecond of work of those that read them. */
const sliceSize = 100;
/** Slices that are read ahead. */
const aheadSlices = 6;
/** How long a query may wait for its client, who is cut off before (`http/connections/TransferRate.ts`). */
const maxIdle = "1min";

function* slices<Row>(rows: ReadonlyArray<Row>): Generator<ReadonlyArray<Row>> {
  for (let from = 0; from < rows.length; from += sliceSize) yield rows.slice(from, from + sliceSize);
}

/** Reads a query by a cursor, whose first batch is read at once. The next query ends it. */
export type OpenCursor = <Row extends object>(
  query: Statement.Fragment,
) => Effect.Effect<Stream.Stream<ReadonlyArray<Row>>>;

/**
 * Opens a snapshot on a connection for long reads, until the scope closes. Its cursors follow one another.
 * The session ends by itself if nobody reads a batch for a minute.
 */
export const cursorSnapshot = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const connection = yield* onLongConnections(Effect.orDie(sql.reserve));
  const run = (text: string, parameters: ReadonlyArray<unknown> = []) =>
    Effect.orDie(connection.executeUnprepared(text, parameters, undefined));
  yield* Effect.acquireRelease(run("BEGIN"), () => Effect.ignoreCause(run("ROLLBACK")));
  yield* run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  yield* run(`SET LOCAL idle_in_transaction_session_timeout = '${maxIdle}'`);
  const open = Effect.fnUntraced(function* <Row extends object>(query: Statement.Fragment) {
    const [text, parameters] = sql<Row>`DECLARE exported NO SCROLL CURSOR FOR ${query}`.compile();
    yield* run("CLOSE ALL");
    yield* run(text, parameters);
    const fetch = (count: number): Effect.Effect<ReadonlyArray<Row>> =>
      run(`FETCH ${count} FROM exported`) as Effect.Effect<ReadonlyArray<Row>>;
    const first = yield* fetch(firstBatch);
    const pageOf = (rows: ReadonlyArray<Row>, count: number) =>
      [[...slices(rows)], rows.length < count ? Option.none() : Option.some(null)] as const;
    // No `flatMap`: with it, rows stay in memory until the next full garbage collection.
    const read = Stream.paginate(first, (rows: ReadonlyArray<Row> | null) =>
      rows === null
        ? Effect.map(fetch(batchSize), (next) => pageOf(next, batchSize))
        : Effect.succeed(pageOf(rows, firstBatch)),
    );
    return Stream.rechunk(Stream.buffer(read, { capacity: aheadSlices }), 1);
  });
  return open;
});

/**
 * Gives the rows of a query in slices, of one snapshot, until the scope closes. The first batch is read at
 * once, so that a query that fails does so before the response begins.
 */
export const rowCursor = <Row extends object>(query: Statement.Fragment) =>
  Effect.flatMap(cursorSnapshot, (open) => open<Row>(query));
