import { Context, Effect } from "effect";
import { TakesLong } from "../database/Batched.ts";
import { Database } from "../database/Database.ts";
import { hasNeighbours } from "../database/RecentWorkspaces.ts";
import type { Message } from "../sending/rendering/Message.ts";
import { dwellsOf } from "./Dwell.ts";
import type { IncomingEvent } from "./IncomingEvent.ts";
import { canFire } from "./TriggerRule.ts";

/** Bounds of the work of events (contract TR1). Tests lower them. */
export const EventBounds = Context.Reference("waypost/events/EventBounds", {
  defaultValue: () => ({
    /** Messages, and rows that wait for their minute, of one transaction. One event may pass it alone. */
    messages: 1_000,
    /** The same while other workspaces send requests: a part then holds up their requests less. */
    messagesBeside: 250,
    /** The same for a workspace whose events share the transaction with those of others. */
    sharedMessages: 200,
    /** Notifications at locations that one transaction looks up. One location may pass it alone. */
    matchRows: 20_000,
    /** Characters of the texts that one transaction keeps for its answers. */
    textCharacters: 8_000_000,
    /** A request that has taken so many milliseconds, by a monotonic clock, begins no further transaction. */
    requestMillis: 10_000,
    clock: () => performance.now(),
    /** Messages of an answer, and their bytes. */
    answerMessages: 1_000,
    answerBytes: 1_000_000,
  }),
});
export type EventBounds = Context.Service.Shape<typeof EventBounds>;

/** The messages and waiting rows that an event can make. */
const costOf = (event: IncomingEvent): number =>
  event.problem === null
    ? event.triggerMatches.filter((match) => canFire(match, event)).length + dwellsOf(event).length
    : 0;

/** The events of a request, with the number of its entries that were worked before. */
interface PartRequest {
  readonly workspaceId: number;
  readonly worked: number;
  readonly events: ReadonlyArray<IncomingEvent>;
  /** The locations of the entries before this index are looked up; Infinity for all. */
  readonly end: number;
}

/** The workspace with the most notifications that may fire. */
const heaviestOf = (requests: ReadonlyArray<PartRequest>): number => {
  const matches = new Map<number, number>();
  for (const { events, workspaceId } of requests) {
    const own = new Set(events.map(({ triggerMatches }) => triggerMatches));
    const sum = [...own].reduce((rows, { length }) => rows + length, 0);
    matches.set(workspaceId, (matches.get(workspaceId) ?? 0) + sum);
  }
  return [...matches].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
};

/**
 * The entries of each request that one transaction works: those before an index, Infinity for all. Requests
 * of which less was worked come first. The first entry that makes messages has room in any case.
 * @throws TakesLong for a workspace with many messages among others
 */
export const partOf = (
  requests: ReadonlyArray<PartRequest>,
  { messages, messagesBeside, sharedMessages }: EventBounds,
  isAlone: boolean,
): ReadonlyArray<number> => {
  const ends = requests.map(({ end }) => end);
  const hasOthers = requests.some(({ workspaceId }) => hasNeighbours(workspaceId));
  const most = hasOthers ? Math.min(messages, messagesBeside) : messages;
  const isShared = !isAlone && new Set(requests.map(({ workspaceId }) => workspaceId)).size > 1;
  if (isShared && ends.some((end) => end < Infinity)) throw new TakesLong(heaviestOf(requests));
  const shares = new Map<number, number>();
  let [taken, isFull] = [0, false];
  const inOrder = [...requests.entries()].sort(([, one], [, other]) => one.worked - other.worked);
  for (const [request, { events, workspaceId }] of inOrder)
    for (const [index, entry] of Map.groupBy(events, (event) => event.index)) {
      const cost = isFull ? 0 : entry.reduce((sum, event) => sum + costOf(event), 0);
      const share = (shares.get(workspaceId) ?? 0) + cost;
      if (isShared && share > sharedMessages) throw new TakesLong(workspaceId);
      shares.set(workspaceId, share);
      isFull ||= Math.min(taken, cost) > 0 && taken + cost > most;
      taken += cost;
      if (isFull) {
        ends[request] = Math.min(index, ends[request] ?? 0);
        break;
      }
    }
  return ends;
};

/** The messages of an answer, within its bounds: silent ones first, which are in no inbox. */
export class AnsweredMessages {
  readonly #bounds: EventBounds;
  #kept: ReadonlyArray<{ readonly message: Message; readonly bytes: number }> = [];
  #isMore = false;

  constructor(bounds: EventBounds) {
    this.#bounds = bounds;
  }

  /** Adds the messages of a transaction; null for one that is left out. */
  add(messages: ReadonlyArray<Message | null>): void {
    if (messages.length === 0) return;
    const found = messages.flatMap((message) =>
      message === null ? [] : [{ message, bytes: Buffer.byteLength(JSON.stringify(message)) }],
    );
    const isSilent = ({ message }: { readonly message: Message }) => Number(message.silent === true);
    const all = [...this.#kept, ...found].sort((one, other) => isSilent(other) - isSilent(one));
    const { answerBytes, answerMessages } = this.#bounds;
    let bytes = 0;
    const end = all.findIndex((each, index) => {
      bytes += each.bytes;
      return index > 0 && (index >= answerMessages || bytes > answerBytes);
    });
    this.#kept = end === -1 ? all : all.slice(0, end);
    this.#isMore ||= end !== -1 || found.length < messages.length;
  }

  /** Whether further silent messages would have no room. */
  get isFull(): boolean {
    return this.#isMore && this.#kept.at(-1)?.message.silent === true;
  }

  /** The fields of the answer. */
  get fields() {
    const deliveries = this.#kept.map(({ message }) => message);
    return { deliveries, ...(this.#isMore && { more: true as const }) };
  }
}

/** Makes the function that works the entries of a request in parts, with the bounds of this process. */
export const eventParts = Effect.gen(function* () {
  const bounds = yield* EventBounds;

  /**
   * Works the entries of a request until its time is up: `part` works some from an index on, at most up to
   * another one, and gives how many. Returns the index of the first entry that is left, which is not 0. What
   * the database has no time for is left, too, once something was worked.
   */
  const inParts = Effect.fnUntraced(function* <E, R>(
    entries: number,
    messages: AnsweredMessages,
    part: (from: number, to: number) => Effect.Effect<number, E, R>,
  ) {
    const since = bounds.clock();
    let worked: number | null = yield* part(0, entries);
    let from = worked;
    while (
      from < entries &&
      !messages.isFull &&
      (from === 0 || bounds.clock() - since < bounds.requestMillis)
    ) {
      const isBegun = from > 0;
      // All that is left would be looked up again in each part.
      worked = yield* part(from, from + 2 * worked + 1).pipe(
        Effect.catchCauseIf(
          (cause) => isBegun && Database.isUnavailable(cause),
          () => Effect.succeed(null),
        ),
      );
      if (worked === null) break;
      from += worked;
    }
    return from;
  });
  return { bounds, inParts };
});

/** The indexes of the entries from one on, as an answer lists them; no field for none. */
export const laterFrom = (from: number, entries: number) =>
  from < entries ? { later: Array.from({ length: entries - from }, (_, index) => from + index) } : {};
