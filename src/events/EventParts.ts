import { Context, Effect } from "effect";
import { TakesLong } from "../database/Batched.ts";
import { Database } from "../database/Database.ts";
import { hasNeighbours } from "../database/RecentWorkspaces.ts";
import type { Message } from "../sending/rendering/Message.ts";
import type { Located } from "./EventStages.ts";

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

/** The events of a request, with the number of its entries that were worked before. */
interface PartRequest {
  readonly workspaceId: number;
  readonly worked: number;
  readonly events: ReadonlyArray<Pick<Located, "index" | "problem" | "fires" | "waits">>;
  /** The locations of the entries before this index are looked up; Infinity for all. */
  readonly end: number;
}

/** The messages and waiting rows that the events of an entry can make. */
const costOf = (entry: PartRequest["events"]): number =>
  entry.reduce(
    (sum, { fires, problem, waits }) => sum + (problem === null ? fires.length + waits.length : 0),
    0,
  );

/** The workspace whose events make the most messages. */
const heaviestOf = (requests: ReadonlyArray<PartRequest>): number =>
  [...Map.groupBy(requests, ({ workspaceId }) => workspaceId)]
    .map(([workspaceId, own]) => ({ workspaceId, cost: costOf(own.flatMap(({ events }) => events)) }))
    .reduce((one, other) => (other.cost > one.cost ? other : one)).workspaceId;

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
  const workspaces = new Set(requests.map(({ workspaceId }) => workspaceId));
  const most = [...workspaces].some(hasNeighbours) ? Math.min(messages, messagesBeside) : messages;
  const isShared = !isAlone && workspaces.size > 1;
  if (isShared && ends.some((end) => end < Infinity)) throw new TakesLong(heaviestOf(requests));
  const shares = new Map<number, number>();
  let [taken, isFull] = [0, false];
  const inOrder = [...requests.entries()].sort(([, one], [, other]) => one.worked - other.worked);
  for (const [request, { end, events, workspaceId }] of inOrder)
    for (const [index, entry] of Map.groupBy(events, (event) => event.index)) {
      const cost = isFull ? 0 : costOf(entry);
      const share = (shares.get(workspaceId) ?? 0) + cost;
      if (isShared && share > sharedMessages) throw new TakesLong(workspaceId);
      shares.set(workspaceId, share);
      isFull ||= Math.min(taken, cost) > 0 && taken + cost > most;
      taken += cost;
      if (!isFull) continue;
      ends[request] = Math.min(index, end);
      break;
    }
  return ends;
};

interface KeptMessages {
  readonly messages: ReadonlyArray<{ readonly message: Message; readonly bytes: number }>;
  /** Whether some have no room. */
  readonly isMore: boolean;
  /** Whether further silent messages would have no room. */
  readonly isFull: boolean;
}

/** The messages of an answer before those of its first transaction. */
export const noMessages: KeptMessages = { messages: [], isMore: false, isFull: false };

/**
 * The messages of an answer after those of a further transaction (null for one that is left out), within the
 * bounds of an answer: silent ones first, which are in no inbox.
 */
export const withMessages = (
  kept: KeptMessages,
  further: ReadonlyArray<Message | null>,
  { answerBytes, answerMessages }: EventBounds,
): KeptMessages => {
  if (further.length === 0) return kept;
  const found = further
    .filter((message) => message !== null)
    .map((message) => ({ message, bytes: Buffer.byteLength(JSON.stringify(message)) }));
  const isSilent = ({ message }: KeptMessages["messages"][number]) => Number(message.silent === true);
  const all = [...kept.messages, ...found].sort((one, other) => isSilent(other) - isSilent(one));
  let bytes = 0;
  const end = all.findIndex((each, index) => {
    bytes += each.bytes;
    return index > 0 && (index >= answerMessages || bytes > answerBytes);
  });
  const messages = end === -1 ? all : all.slice(0, end);
  const isMore = kept.isMore || end !== -1 || found.length < further.length;
  return { messages, isMore, isFull: isMore && messages.at(-1)?.message.silent === true };
};

/** Makes the function that works the entries of a request in parts, with the bounds of this process. */
export const eventParts = Effect.gen(function* () {
  const bounds = yield* EventBounds;

  /**
   * Works the entries of a request until its time is up: `part` works some from an index on, at most up to
   * another one, and gives how many with their messages. Returns the index of the first entry that is left,
   * which is not 0, and the fields of the answer about messages. What the database has no time for is left,
   * too, once something was worked, and what comes after silent messages that fill the answer.
   */
  return Effect.fnUntraced(function* <E, R>(
    entries: number,
    part: (
      from: number,
      to: number,
    ) => Effect.Effect<{ readonly entries: number; readonly messages: ReadonlyArray<Message | null> }, E, R>,
  ) {
    const since = bounds.clock();
    let kept = noMessages;
    let [worked, size] = [0, entries];
    const hasTime = () => worked === 0 || bounds.clock() - since < bounds.requestMillis;
    do {
      const isBegun = worked > 0;
      const done = yield* part(worked, worked + size).pipe(
        Effect.catchCauseIf(
          (cause) => isBegun && Database.isUnavailable(cause),
          () => Effect.succeed(null),
        ),
      );
      if (done === null) break;
      kept = withMessages(kept, done.messages, bounds);
      worked += done.entries;
      // All that is left would be looked up again in each part.
      size = 2 * done.entries + 1;
    } while (worked < entries && !kept.isFull && hasTime());
    const deliveries = kept.messages.map(({ message }) => message);
    return { worked, deliveries, ...(kept.isMore && { more: true as const }) };
  });
});

/** The indexes of the entries from one on, as an answer lists them; no field for none. */
export const laterFrom = (from: number, entries: number) =>
  from < entries ? { later: Array.from({ length: entries - from }, (_, index) => from + index) } : {};
