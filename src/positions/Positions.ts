import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { batchedByWorkspace } from "../database/WorkspaceGroups.ts";
import type { DeviceCaller } from "../devices/DeviceCaller.ts";
import { endedMeanwhile } from "../devices/Devices.ts";
import { eventParts, laterFrom } from "../events/EventParts.ts";
import { EventRecorder } from "../events/EventRecorder.ts";
import type { PartOutcome } from "../events/EventStages.ts";
import { isTransition } from "../events/IncomingEvent.ts";
import { LocationIndexes } from "../locations/LocationIndexes.ts";
import { counter } from "../telemetry/KnownSeries.ts";
import { utcText } from "../time/LocalTime.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import { mapSliced } from "../workers/TimeSlices.ts";
import type { DeviceLocationState, LocatedPosition } from "./DeviceLocationState.ts";
import { isCoarse, parsePosition, type Position } from "./Position.ts";
import { PositionBatch, type PositionRequest } from "./PositionBatch.ts";
import type { PositionsBody, PositionsOutcome } from "./PositionsApi.ts";
import { PositionsSql } from "./PositionsSql.ts";

const maxRequests = 128;
/** A batch with so many positions takes no further request: others would wait for it. */
const maxPositions = 1_000;
/** How long a batch with transitions gathers, in milliseconds: it is seven statements, whatever its size. */
const gatherMillis = 4;
/** The same for batches of the fast path, which are one or two statements. */
const fastGatherMillis = 2;

/** The positions of a request that one transaction followed: those before `end`. */
interface MovedOutcome extends Pick<PositionsOutcome, "accepted" | "stale" | "transitions"> {
  readonly messages: PartOutcome["messages"];
  readonly end: number;
}
const countOutcome = counter(
  "waypost_positions_total",
  "Reported positions, by outcome: accepted, stale, rejected.",
  { outcome: ["accepted", "stale", "rejected"] },
);

const countTransition = counter(
  "waypost_position_transitions_total",
  "Enters and exits detected in positions, by type.",
  { type: ["enter", "exit"] },
);

/** Counts the outcome of one request. */
const countPositions = Effect.fnUntraced(function* (report: PositionsOutcome) {
  const { accepted, rejected, stale, transitions } = report;
  if (accepted > 0) yield* countOutcome({ outcome: "accepted" }, accepted);
  if (stale > 0) yield* countOutcome({ outcome: "stale" }, stale);
  if (rejected.length > 0) yield* countOutcome({ outcome: "rejected" }, rejected.length);
  for (const { type } of transitions) yield* countTransition({ type });
});

/** Positions that devices report. Their enters and exits are recorded by `events/EventRecorder.ts`. */
export class Positions extends Context.Service<Positions>()("waypost/positions/Positions", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* PositionsSql;
    const recorder = yield* EventRecorder;
    const indexes = yield* LocationIndexes;
    const inParts = yield* eventParts;

    /** Stores new last positions. Returns the devices whose stored one is no longer that of `before`. */
    const storeLast = Effect.fnUntraced(function* (
      batch: PositionBatch,
      states: ReadonlyArray<DeviceLocationState | null>,
      before: ReadonlyArray<number | undefined>,
    ) {
      const newer = batch.devices.flatMap((device, index) => {
        const lastAt = states[index]?.lastAt;
        const previousAt = before[index];
        return lastAt === undefined || lastAt === previousAt
          ? []
          : [{ ...device, index, lastAt, previousAt: previousAt ?? null }];
      });
      if (newer.length === 0) return new Set<number>();
      const stored = yield* repository.storeLast(newer);
      const overtaken = new Set(newer.map(({ index }) => index));
      for (const { ord } of stored) overtaken.delete(newer[ord - 1]?.index ?? -1);
      return overtaken;
    });

    /**
     * Fast path for devices that have entered or left no location, as most have not. It locks no device, and
     * one statement answers nearly all. Null for a request with transitions, or one that another request has
     * overtaken.
     */
    const reportUnmoved = Effect.fnUntraced(function* (batch: PositionBatch) {
      const known = yield* repository.storeUnmoved(batch.unmoved());
      const states = batch.states(
        known,
        known.filter(({ location_key }) => location_key === null),
      );
      const before = states.map((state) => state?.lastAt);
      const followed = yield* mapSliced(batch.requests, (_, request) => batch.follow(request, states));
      const moving = new Set([
        ...batch.deviceOf.filter((_, request) => (followed[request]?.transitions ?? []).length > 0),
        ...batch.atMissingLocations(states).map(({ device }) => device),
      ]);
      const unmoved = states.map((state, device) => (moving.has(device) ? null : state));
      const overtaken = yield* storeLast(batch, unmoved, before);
      return batch.requests.map(({ positions }, request) => {
        const device = batch.deviceOf[request] ?? -1;
        if (moving.has(device) || overtaken.has(device)) return null;
        // Without a state, `storeUnmoved` has stored them all.
        const { accepted, stale } = followed[request] ?? { accepted: positions.length, stale: 0 };
        return { accepted, stale, transitions: [], messages: [], end: positions.length };
      });
    });

    /**
     * Processes a batch in one transaction, as far as it has room (contract TR1). It locks the devices, so
     * that two requests of a device never detect the same enter. The states, the events and the deliveries
     * they trigger commit together.
     */
    const reportMoved = Effect.fnUntraced(function* (
      batch: PositionBatch,
      isAlone: boolean,
    ): Effect.fn.Return<ReadonlyArray<MovedOutcome | null>> {
      const registered = yield* repository.lock(batch.devices);
      const states = batch.states(yield* repository.known(batch.devices), registered);
      const before = states.map((state) => state?.lastAt);
      const followed = yield* mapSliced(batch.requests, (_, request) => batch.follow(request, states));
      const part = yield* recorder.locate(batch.eventRequests(followed), isAlone);
      // A position that is later must not have been followed.
      if (part.ends.some(Number.isFinite)) return yield* reportMoved(batch.upTo(part.ends), isAlone);

      const missing = batch.atMissingLocations(states);
      if (missing.length > 0) yield* repository.deleteMissing(missing);
      // Only the locked states tell the transitions, so their messages are rendered within the transaction.
      const outcomes = yield* recorder.record(part, isAlone);

      yield* storeLast(batch, states, before);
      return followed.map((result, request) => {
        const outcome = outcomes[request] ?? null;
        if (result === null || outcome === null) return null;
        return {
          accepted: result.accepted,
          stale: result.stale,
          transitions: outcome.accepted.filter(isTransition).map(({ locationId, occurredAt, type }) => ({
            type,
            location_id: locationId,
            occurred_at: utcText(occurredAt),
          })),
          messages: outcome.messages,
          end: batch.requests[request]?.positions.length ?? 0,
        };
      });
    });

    const limits = {
      maxBatch: maxRequests,
      keyOf: ({ caller }: PositionRequest): number => caller.workspaceId,
      sizeOf: ({ positions }: PositionRequest): number => positions.length,
      maxSize: maxPositions,
    };
    const unmoved = yield* batchedByWorkspace({
      ...limits,
      run: (requests) => reportUnmoved(new PositionBatch(requests)),
      pause: fastGatherMillis,
    });
    const moved = yield* batchedByWorkspace({
      ...limits,
      run: (requests, isAlone) =>
        database.atomically(Effect.suspend(() => reportMoved(new PositionBatch(requests), isAlone))),
      pause: gatherMillis,
    });

    return {
      /**
       * Processes 1 to 100 positions, in parts; an invalid one is rejected alone (contract L9). Those from
       * `allowed` on are later. @throws 401, 422
       */
      report: Effect.fnUntraced(function* (
        caller: DeviceCaller["Service"],
        body: ParsedBody<PositionsBody>,
        allowed?: number,
      ) {
        const sent = (yield* body.complete).positions;
        const now = yield* Clock.currentTimeMillis;
        const read = sent.slice(0, allowed).map((position) => parsePosition(position, now));
        const rejected = read.flatMap((position, index) =>
          "reasons" in position ? [{ index, reasons: position.reasons }] : [],
        );
        const sound = read.flatMap((position) => ("reasons" in position ? [] : [position.value]));
        // Includes every location whose creation was answered before this request came.
        const index = yield* indexes.current(caller, caller.locationsVersion);
        const locate = (position: Position): LocatedPosition => ({
          position,
          locations: isCoarse(position) ? [] : index.at([position.longitude, position.latitude]),
        });
        const positions = yield* mapSliced(sound, locate);
        const parts: Array<MovedOutcome> = [];
        const { worked, ...messages } = yield* inParts(positions.length, (from, to) =>
          Effect.gen(function* () {
            const request = { caller, now, index, positions: positions.slice(from, to), worked: from };
            const still = from === 0 ? yield* unmoved(request) : null;
            const part = still ?? (yield* moved(request)) ?? (yield* endedMeanwhile);
            parts.push(part);
            return { entries: part.end, messages: part.messages };
          }),
        );
        const left = positions[worked]?.position;
        const end =
          left === undefined ? read.length : read.findIndex((each) => "value" in each && each.value === left);
        const response: PositionsOutcome = {
          accepted: parts.reduce((sum, { accepted }) => sum + accepted, 0),
          stale: parts.reduce((sum, { stale }) => sum + stale, 0),
          rejected: rejected.filter((each) => each.index < end),
          transitions: parts.flatMap(({ transitions }) => transitions),
          ...messages,
          ...laterFrom(end, sent.length),
        };
        yield* countPositions(response);
        return response;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(Positions, Positions.make).pipe(Layer.provide(PositionsSql.layer));
}
