/** Tables in memory with transactions: the in-memory repositories of tests keep their rows here. */
import { Context, Effect, Layer, Semaphore } from "effect";
import type { PagePosition } from "../../src/wire/PagePosition.ts";
import { checkedBeforeCommit } from "../../src/database/BeforeCommit.ts";
import { Database } from "../../src/database/Database.ts";

/**
 * The name of a table with the type of its rows. Slices that read each other's tables declare the columns
 * they read.
 */
export interface MemoryTable<Row> {
  readonly name: string;
  /** Only carries the type. */
  readonly row?: Row;
}

/** Declares a table. */
export const memoryTable = <Row>(name: string): MemoryTable<Row> => ({ name });

type Rows = ReadonlyMap<string, unknown>;
type Committed = ReadonlyMap<string, Rows>;

/**
 * The tables as one transaction sees them: the committed rows and its own changes. Rows are immutable values.
 */
export class MemoryTransaction {
  readonly #committed: Committed;
  readonly #changed = new Map<string, Map<string, unknown>>();

  constructor(committed: Committed) {
    this.#committed = committed;
  }

  /** The rows of a table by their primary key, in insertion order. */
  rows<Row>({ name }: MemoryTable<Row>): ReadonlyMap<string, Row> {
    return (this.#changed.get(name) ?? this.#committed.get(name) ?? new Map()) as ReadonlyMap<string, Row>;
  }

  /** The first row that meets the condition. */
  find<Row>(table: MemoryTable<Row>, condition: (row: Row) => boolean): Row | undefined {
    for (const row of this.rows(table).values()) if (condition(row)) return row;
    return undefined;
  }

  /** The rows that meet the condition, in insertion order. */
  filter<Row>(table: MemoryTable<Row>, condition: (row: Row) => boolean): Array<Row> {
    return [...this.rows(table).values()].filter(condition);
  }

  /** Inserts a row or replaces the one with this key. */
  put<Row>(table: MemoryTable<Row>, key: string, row: Row): Row {
    this.#writable(table).set(key, row);
    return row;
  }

  /** Deletes a row; true if there was one. */
  delete<Row>(table: MemoryTable<Row>, key: string): boolean {
    return this.#writable(table).delete(key);
  }

  /** The tables after this transaction. */
  get committed(): Committed {
    return this.#changed.size === 0 ? this.#committed : new Map([...this.#committed, ...this.#changed]);
  }

  #writable<Row>({ name }: MemoryTable<Row>): Map<string, unknown> {
    const known = this.#changed.get(name);
    if (known !== undefined) return known;
    const copy = new Map(this.#committed.get(name));
    this.#changed.set(name, copy);
    return copy;
  }
}

/** A page of a list: newest first, by ids of version 7, from behind the position on. */
export const pageOf = <Row extends { readonly id: string }>(
  rows: ReadonlyArray<Row>,
  { before, limit }: PagePosition,
): ReadonlyArray<Row> =>
  rows
    .filter(({ id }) => before === null || id < before)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);

const CurrentTransaction = Context.Reference<MemoryTransaction | null>(
  "waypost/database/MemoryStore/CurrentTransaction",
  { defaultValue: () => null },
);

/**
 * Reads and writes tables in memory. Transactions run one after another; others see their changes once they
 * are committed.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Reads the tables, within the current transaction if there is one. */
    readonly read: <A>(query: (tables: MemoryTransaction) => A) => Effect.Effect<A>;
    /** Changes the tables in the current transaction, or else in one of its own. */
    readonly write: <A>(change: (tables: MemoryTransaction) => A) => Effect.Effect<A>;
    /**
     * Runs the effect in the current transaction, or else in one of its own, which only its success commits.
     */
    readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>;
    /** The next number of a sequence, from 1. */
    readonly nextKey: (sequence: string) => number;
  }
>()("waypost/database/MemoryStore") {
  /** An empty store. */
  static readonly layer = Layer.effect(
    MemoryStore,
    Effect.map(Semaphore.make(1), (writer) => {
      let committed: Committed = new Map();
      const sequences = new Map<string, number>();
      const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.flatMap(CurrentTransaction, (current) => {
          if (current !== null) return effect;
          return writer.withPermit(
            Effect.suspend(() => {
              const own = new MemoryTransaction(committed);
              return Effect.tap(Effect.provideService(effect, CurrentTransaction, own), () =>
                Effect.sync(() => {
                  committed = own.committed;
                }),
              );
            }),
          );
        });
      return MemoryStore.of({
        read: (query) =>
          Effect.map(CurrentTransaction, (current) => query(current ?? new MemoryTransaction(committed))),
        write: (change) =>
          transaction(
            Effect.map(CurrentTransaction, (own) => change(own ?? new MemoryTransaction(committed))),
          ),
        transaction,
        nextKey: (sequence) => {
          const next = (sequences.get(sequence) ?? 0) + 1;
          sequences.set(sequence, next);
          return next;
        },
      });
    }),
  );
}

/** `Database` over the store: transactions that never conflict, and a database that is always there. */
export const memoryDatabase: Layer.Layer<Database, never, MemoryStore> = Layer.effect(
  Database,
  Effect.map(MemoryStore, ({ transaction }) =>
    Database.of({
      atomically: (effect) =>
        Effect.flatMap(CurrentTransaction, (current) =>
          transaction(current === null ? checkedBeforeCommit(effect) : effect),
        ) as never,
      isInTransaction: Effect.map(CurrentTransaction, (current) => current !== null),
      ready: Effect.succeed(true),
      isDiskFull: Effect.succeed(false),
    }),
  ),
);
