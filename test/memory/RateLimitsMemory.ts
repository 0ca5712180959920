import { Effect, Layer } from "effect";
import { MemoryStore, memoryTable } from "./MemoryStore.ts";
import {
  type RateDemand,
  RateLimitsRepository,
  type RateWindows,
} from "../../src/http/RateLimitsRepository.ts";

const minuteMillis = 60_000;
const dayMillis = 86_400_000;

const windows = memoryTable<RateWindows>("rate_window");

const keyOf = ({ environment, workspaceId }: RateDemand): string => `${workspaceId}/${environment}`;

/** A window, opened again at `now` if it has ended, or if it opened over a minute after `now`. */
const taken = (
  { opened, used }: { readonly opened: Date; readonly used: number },
  millis: number,
  now: number,
) => {
  const isOver = opened.getTime() <= now - millis || opened.getTime() > now + minuteMillis;
  return isOver ? { opened: new Date(now), used: 0 } : { opened, used };
};

/** Rate limit windows in memory. */
export const rateLimitsMemory = Layer.effect(
  RateLimitsRepository,
  Effect.map(MemoryStore, (store) =>
    RateLimitsRepository.of({
      take: (demands, now) =>
        store.write((tables) =>
          demands.map((demand) => {
            const never = new Date(-8.64e15);
            const stored = tables.rows(windows).get(keyOf(demand));
            const minute = taken(
              { opened: stored?.minute_opened ?? never, used: stored?.minute_used ?? 0 },
              minuteMillis,
              now,
            );
            const day = taken(
              { opened: stored?.day_opened ?? never, used: stored?.day_used ?? 0 },
              dayMillis,
              now,
            );
            const before = { opened: stored?.writes_opened ?? never, used: stored?.writes_used ?? 0 };
            const writes = demand.writes > 0 ? taken(before, minuteMillis, now) : before;
            const allowance = Math.max(0, Math.min(demand.perMinute - minute.used, demand.perDay - day.used));
            const grantedWrites = Math.max(
              0,
              Math.min(demand.writes, demand.writesPerMinute - writes.used, allowance),
            );
            const grantedReads = Math.min(demand.reads, allowance - grantedWrites);
            const granted = grantedReads + grantedWrites;
            return tables.put(windows, keyOf(demand), {
              workspace_id: demand.workspaceId,
              environment: demand.environment,
              minute_opened: minute.opened,
              minute_used: minute.used + granted,
              writes_opened: writes.opened,
              writes_used: writes.used + grantedWrites,
              day_opened: day.opened,
              day_used: day.used + granted,
              granted_reads: grantedReads,
              granted_writes: grantedWrites,
            });
          }),
        ),
    }),
  ),
);
