import { Clock, Context, Effect, Layer, Predicate } from "effect";
import { batched } from "../../database/Batched.ts";
import { pruneInPages } from "../../database/Pruning.ts";
import { rateLimited, rateLimitHeaders, type RateWindow, retrySeconds } from "../../http/RateLimits.ts";
import type { TooManyRequests } from "../../wire/ApiError.ts";
import { Worker } from "../../workers/Worker.ts";
import type { DeviceCaller } from "../DeviceCaller.ts";
import {
  type AddedCount,
  DeviceLimitsSql,
  isOpenAt,
  minuteMillis,
  type StoredMinute,
} from "./DeviceLimitsSql.ts";

type LimitedDevice = Pick<DeviceCaller["Service"], "workspaceId" | "environment" | "workspace" | "deviceKey">;

/** The part of a limit that a process counts by itself, until half of the limit is used. */
const ownShare = 0.01;
const maxKnown = 100_000;
const page = 1_000;

/** A minute of a device as this process knows it. `opened` is in epoch milliseconds. */
interface KnownMinute {
  opened: number;
  /** The count that is stored, or on its way. */
  stored: number;
  /** The count that only this process knows: negative if less was granted or worked than is stored. */
  own: number;
}

/** The granted part of a count, with its minute and the window after it; null without a limit. */
interface Grant {
  readonly granted: number;
  readonly minute: KnownMinute | null;
  readonly window: RateWindow | null;
}

/** The window of a device's request, and the headers of its response, which show its limits. */
export const LimitedRequest = Context.Reference<{
  readonly window: RateWindow | null;
  readonly headers: Record<string, string>;
}>("waypost/devices/LimitedRequest", { defaultValue: () => ({ window: null, headers: {} }) });

/** Limits of the requests and events of a device in a minute (contract TR2, docs/decisions/0008). */
export class DeviceLimits extends Context.Service<
  DeviceLimits,
  {
    /** Counts a request. */
    readonly takeRequest: (device: LimitedDevice) => Effect.Effect<Grant>;
    /**
     * Runs a report of so many events or positions. `run` gets how many the limit allows, and lists those
     * that it leaves in `later`, which do not count.
     */
    readonly report: <A extends { readonly later?: ReadonlyArray<number> }, E, R>(
      device: LimitedDevice,
      count: number,
      run: (allowed: number) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | TooManyRequests, R>;
    /** Deletes the minutes that are over, page by page; gives how many. */
    readonly prune: Effect.Effect<number>;
  }
>()("waypost/devices/DeviceLimits") {
  static readonly layer = Layer.effect(
    DeviceLimits,
    Effect.gen(function* () {
      const repository = yield* DeviceLimitsSql;
      const known = new Map<string, KnownMinute>();
      const minuteOf = (key: string, now: number): KnownMinute => {
        const last = known.get(key);
        if (last !== undefined && isOpenAt(last.opened, now)) return last;
        if (known.size >= maxKnown) known.clear();
        const minute = { opened: now, stored: 0, own: 0 };
        known.set(key, minute);
        return minute;
      };

      /** Adds a count to the stored one. Returns the minute right after it. */
      const add = yield* batched<AddedCount, StoredMinute, never, never>({
        maxBatch: 500,
        keyOf: ({ workspaceId }) => workspaceId,
        run: (counts) => Effect.flatMap(Clock.currentTimeMillis, (now) => repository.add(counts, now)),
      });

      const take = Effect.fnUntraced(function* (
        { deviceKey, environment, workspace, workspaceId }: LimitedDevice,
        counted: AddedCount["counted"],
        count: number,
      ): Effect.fn.Return<Grant> {
        const limit = workspace.plan[`device_${counted}_per_minute`];
        if (limit === null) return { granted: count, minute: null, window: null };
        const minute = minuteOf(
          `${workspaceId}/${environment}/${deviceKey}/${counted}`,
          yield* Clock.currentTimeMillis,
        );
        let granted = Math.min(count, Math.max(0, limit - minute.stored - minute.own));
        minute.own += granted;
        let used = minute.stored + minute.own;
        const free = minute.stored < limit / 2 ? Math.floor(limit * ownShare) : 0;
        // A device that has used up its limit costs no statement.
        if (granted > 0 && minute.own > free) {
          const { opened, own } = minute;
          minute.stored = used;
          minute.own = 0;
          const after = yield* add({ workspaceId, environment, deviceKey, counted, opened, count: own });
          used = after.used;
          const refused = Math.min(granted, Math.max(0, used - limit));
          granted -= refused;
          minute.own -= refused;
          minute.opened = after.opened;
          minute.stored = Math.max(minute.stored, used);
        }
        const name = counted === "events" ? "events" : "minute";
        const [resetsAt, seconds] = [minute.opened + minuteMillis, minuteMillis / 1000];
        const window = { name, limit, remaining: Math.max(0, limit - used), resetsAt, seconds } as const;
        return { granted, minute, window };
      });

      return DeviceLimits.of({
        takeRequest: (device) => take(device, "requests", 1),

        report: Effect.fnUntraced(function* (device, count, run) {
          const { granted, minute, window } = yield* take(device, "events", count);
          const request = yield* LimitedRequest;
          const windows = [request.window, window].filter(Predicate.isNotNull);
          const now = yield* Clock.currentTimeMillis;
          Object.assign(request.headers, rateLimitHeaders(windows, now));
          if (granted === 0) return yield* rateLimited(windows, now, "device");
          if (granted < count) request.headers["retry-after"] = String(retrySeconds(windows, now));
          const outcome = yield* run(granted);
          if (minute !== null) minute.own -= granted + (outcome.later?.length ?? 0) - count;
          return outcome;
        }),

        prune: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          pruneInPages("device_rates", page, (limit) => repository.prune(now - minuteMillis, limit)),
        ),
      });
    }),
  ).pipe(Layer.provide(DeviceLimitsSql.layer));
}

/** The job that prunes the minutes of devices. Two workers share the rows. */
export const deviceRatePruning = Layer.effectDiscard(
  Effect.flatMap(DeviceLimits, ({ prune }) => Worker.every("device_rate_pruning", "10 minutes", prune)),
);
