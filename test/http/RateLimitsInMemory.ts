import { Effect, Layer } from "effect";
import { type RateDemand, RateLimitsSql, type RateWindows } from "../../src/http/RateLimitsSql.ts";

const minuteMillis = 60_000;
const dayMillis = 86_400_000;
const never = new Date(-8.64e15);

const keyOf = ({ environment, workspaceId }: RateDemand): string => `${workspaceId}/${environment}`;

/** A window, opened again at `now` if it has ended, or if it opened over a minute after `now`. */
const taken = (opened: Date, used: number, millis: number, now: number) => {
  const isOver = opened.getTime() <= now - millis || opened.getTime() > now + minuteMillis;
  return isOver ? { opened: new Date(now), used: 0 } : { opened, used };
};

const grant = (demand: RateDemand, stored: RateWindows | undefined, now: number): RateWindows => {
  const minute = taken(stored?.minute_opened ?? never, stored?.minute_used ?? 0, minuteMillis, now);
  const day = taken(stored?.day_opened ?? never, stored?.day_used ?? 0, dayMillis, now);
  const before = { opened: stored?.writes_opened ?? never, used: stored?.writes_used ?? 0 };
  const writes = demand.writes > 0 ? taken(before.opened, before.used, minuteMillis, now) : before;
  const allowance = Math.max(0, Math.min(demand.perMinute - minute.used, demand.perDay - day.used));
  const ofWrites = Math.max(0, Math.min(demand.writes, demand.writesPerMinute - writes.used, allowance));
  const ofReads = Math.min(demand.reads, allowance - ofWrites);
  return {
    workspace_id: demand.workspaceId,
    environment: demand.environment,
    minute_opened: minute.opened,
    minute_used: minute.used + ofReads + ofWrites,
    writes_opened: writes.opened,
    writes_used: writes.used + ofWrites,
    day_opened: day.opened,
    day_used: day.used + ofReads + ofWrites,
    granted_reads: ofReads,
    granted_writes: ofWrites,
  };
};

/** Rate limit windows in memory. */
export const rateLimitsInMemory = Layer.sync(RateLimitsSql, () => {
  const windows = new Map<string, RateWindows>();
  return {
    take: (demands, now) =>
      Effect.sync(() =>
        demands.map((demand) => {
          const granted = grant(demand, windows.get(keyOf(demand)), now);
          windows.set(keyOf(demand), granted);
          return granted;
        }),
      ),
  };
});
