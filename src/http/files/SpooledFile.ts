import { Effect, Latch } from "effect";
import { pageBytes, type Spool } from "./Spool.ts";

/** A part of a file that waits for the client. It is in memory until a page of the spool has it. */
interface Part {
  bytes: Uint8Array | null;
  readonly length: number;
  page: number | null;
  isTaken: boolean;
}

const encoder = new TextEncoder();

/** A file between one fiber that writes it and one that reads it, in memory of two pages and in the spool. */
export class SpooledFile<E> {
  readonly #spool: Spool["Service"];
  readonly #workspaceId: number;
  readonly #onFull: () => void;
  readonly #parts: Array<Part> = [];
  /** The last bytes, less than a page. */
  #tail: Uint8Array = new Uint8Array();
  #end: Effect.Effect<null, E> | null = null;
  readonly #written = Latch.makeUnsafe(false);
  readonly #taken = Latch.makeUnsafe(false);

  /** `onFull` is called when the writer waits for the reader, because the spool has no room. */
  constructor(spool: Spool["Service"], workspaceId: number, onFull: () => void) {
    this.#spool = spool;
    this.#workspaceId = workspaceId;
    this.#onFull = onFull;
  }

  /** Adds text. Waits for the reader while there is no room. */
  readonly write = Effect.fnUntraced({ self: this }, function* (text: string) {
    this.#tail = Buffer.concat([this.#tail, encoder.encode(text)]);
    this.#written.openUnsafe();
    while (this.#tail.length >= pageBytes) {
      const part = this.#cut();
      this.#parts.push(part);
      for (;;) {
        yield* this.#store(part);
        if (part.isTaken || part.page !== null) break;
        this.#onFull();
        this.#taken.closeUnsafe();
        yield* this.#taken.await;
      }
    }
  });

  /** Ends the file; a failure comes to the reader behind what was written. */
  end(end: Effect.Effect<null, E>): void {
    this.#end = end;
    this.#written.openUnsafe();
  }

  /** The next bytes; null behind the last ones. */
  readonly read: Effect.Effect<Uint8Array | null, E> = Effect.suspend(() => {
    const part = this.#parts.shift() ?? (this.#tail.length > 0 ? this.#cut() : null);
    if (part === null && this.#end !== null) return this.#end;
    if (part === null) {
      this.#written.closeUnsafe();
      return Effect.andThen(this.#written.await, this.read);
    }
    part.isTaken = true;
    const { bytes, length, page } = part;
    const loaded =
      page === null ? Effect.succeed(bytes) : Effect.promise(() => this.#spool.read(page, length));
    return Effect.ensuring(
      loaded,
      Effect.sync(() => {
        if (page !== null) this.#spool.release(this.#workspaceId, page);
        this.#taken.openUnsafe();
      }),
    );
  });

  /** Gives back the pages of what was not read. The writer has ended. */
  close(): void {
    for (const { page } of this.#parts.splice(0))
      if (page !== null) this.#spool.release(this.#workspaceId, page);
  }

  #cut(): Part {
    const bytes = this.#tail.subarray(0, pageBytes);
    this.#tail = this.#tail.subarray(pageBytes);
    return { bytes, length: bytes.length, page: null, isTaken: false };
  }

  /** Moves a part to the spool, if it has room and the reader does not take the part meanwhile. */
  #store(part: Part): Effect.Effect<void> {
    const { bytes } = part;
    if (bytes === null || part.isTaken) return Effect.void;
    return Effect.tryPromise(() => this.#spool.write(this.#workspaceId, bytes)).pipe(
      Effect.catch((error) => Effect.as(Effect.logWarning("A file cannot be spooled", error), null)),
      Effect.map((page) => {
        if (page === null) return;
        if (part.isTaken) return this.#spool.release(this.#workspaceId, page);
        part.page = page;
        part.bytes = null;
      }),
      // A page is written to its end before another file has it.
      Effect.uninterruptible,
    );
  }
}
