import { Effect, Latch } from "effect";
import { pageBytes, type Spool } from "./Spool.ts";

const encoder = new TextEncoder();

/** A file between one fiber that writes it and one that reads it: its last bytes are in memory. */
export class SpooledFile<E> {
  readonly #spool: Spool["Service"];
  readonly #workspaceId: number;
  readonly #onFull: () => void;
  /** The numbers of its pages on disk, which are before the tail. */
  readonly #pages: Array<number> = [];
  #tail: Uint8Array = new Uint8Array();
  #isStoring = false;
  #end: Effect.Effect<null, E> | null = null;
  readonly #changed = Latch.makeUnsafe(false);

  /** `onFull` is called when the writer waits for the reader, because the spool has no room. */
  constructor(spool: Spool["Service"], workspaceId: number, onFull: () => void) {
    this.#spool = spool;
    this.#workspaceId = workspaceId;
    this.#onFull = onFull;
  }

  /** Adds text. Waits for the reader while there is no room. */
  readonly write = Effect.fnUntraced({ self: this }, function* (text: string) {
    this.#tail = Buffer.concat([this.#tail, encoder.encode(text)]);
    this.#changed.openUnsafe();
    while (this.#tail.length >= pageBytes) {
      const isStored = yield* this.#store();
      if (isStored) continue;
      this.#onFull();
      yield* this.#change;
    }
  });

  /** Ends the file; a failure comes to the reader behind what was written. */
  end(end: Effect.Effect<null, E>): void {
    this.#end = end;
    this.#changed.openUnsafe();
  }

  /** The next bytes; null behind the last ones. */
  readonly read: Effect.Effect<Uint8Array | null, E> = Effect.suspend(() => {
    const page = this.#pages.shift();
    if (page !== undefined)
      return Effect.ensuring(
        Effect.promise(() => this.#spool.read(page)),
        Effect.sync(() => {
          this.#spool.release(this.#workspaceId, page);
          this.#changed.openUnsafe();
        }),
      );
    if (this.#tail.length > 0 && !this.#isStoring) {
      const part = this.#cut();
      this.#changed.openUnsafe();
      return Effect.succeed(part);
    }
    return this.#end ?? Effect.andThen(this.#change, this.read);
  });

  /** Gives back the pages that were not read. The writer has ended. */
  close(): void {
    for (const page of this.#pages.splice(0)) this.#spool.release(this.#workspaceId, page);
  }

  /** Waits for what the other fiber does next. An open latch resumes it at once. */
  get #change(): Effect.Effect<void> {
    this.#changed.closeUnsafe();
    return this.#changed.await;
  }

  #cut(): Uint8Array {
    const part = this.#tail.subarray(0, pageBytes);
    this.#tail = this.#tail.subarray(pageBytes);
    return part;
  }

  /** Moves a page of the tail to the disk. It ends before another file can have the page. */
  #store(): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const part = this.#tail.subarray(0, pageBytes);
      // The reader took some of it before this fiber ran.
      if (part.length < pageBytes) return Effect.succeed(null);
      this.#isStoring = true;
      return Effect.tryPromise(() => this.#spool.write(this.#workspaceId, part));
    }).pipe(
      Effect.catch((error) => Effect.as(Effect.logWarning("A file cannot be spooled", error), null)),
      Effect.map((page) => {
        this.#isStoring = false;
        if (page !== null) {
          this.#pages.push(page);
          this.#cut();
        }
        this.#changed.openUnsafe();
        return page !== null || this.#tail.length < pageBytes;
      }),
      Effect.uninterruptible,
    );
  }
}
