import { Effect } from "effect";
import type { DeviceKey } from "../wire/Ids.ts";
import { delayedEvents } from "./custom/DelayedEvents.ts";
import { type DueDwell, hasLasted, isSilent } from "./Dwell.ts";
import { type DwellDevice, DwellsSql } from "./DwellsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { VisitsSql } from "./VisitsSql.ts";

/** A dwell that may fire, with the device that gets the message, and the notification of a custom event. */
export interface Candidate {
  readonly dwell: DueDwell;
  readonly deviceKey: DeviceKey;
  readonly device: DwellDevice;
  readonly match: TriggerMatch | null;
}

/**
 * Makes the function that finds which due dwells may fire: visits that have lasted until the minute, and
 * events with a device that may get the message. It locks their devices. Those in `gone` can never fire.
 */
export const dwellCandidates = Effect.gen(function* () {
  const repository = yield* DwellsSql;
  const visitsSql = yield* VisitsSql;
  const decideEvents = yield* delayedEvents;

  return Effect.fnUntraced(function* (due: ReadonlyArray<DueDwell>) {
    const visited = due.filter(({ event }) => event === null);
    const { messages, stopped } = yield* decideEvents(due.filter(({ event }) => event !== null));
    const subjects = [
      ...visited.map((dwell) => ({ dwell, deviceKey: dwell.deviceKey, match: null })),
      ...messages,
    ];
    const locked = yield* repository.lockDevices(
      subjects.map(({ deviceKey, dwell }) => ({ ...dwell, deviceKey })),
    );
    const devices = new Map(locked.map((device) => [device.ord - 1, device]));
    const visits = visited.length === 0 ? [] : yield* visitsSql.visits(visited);
    const gone = new Set(stopped);
    const candidates = subjects.flatMap((subject, index): ReadonlyArray<Candidate> => {
      const { dwell } = subject;
      const [device, visit] = [devices.get(index), visits[index]];
      const isVisit = dwell.event === null;
      // A device that unregisters ends its visits; an event asks for its device of the minute (contract Z31).
      const isKnown = device !== undefined && (!isVisit || device.registeredAt <= dwell.recordedAt);
      const isOver = isVisit && (dwell.locationId === null || visit === undefined || !hasLasted(visit));
      if (!isKnown || isOver) gone.add(dwell);
      else if (!isVisit || (visit !== undefined && !isSilent(dwell, visit))) return [{ ...subject, device }];
      return [];
    });
    return { candidates, gone };
  });
});
