import { Clock, Context, Effect, Layer } from "effect";
import { batched } from "../database/Batched.ts";
import { TooManyRequests } from "../wire/ApiError.ts";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { type RateDemand, RateLimitsSql, type RateWindows } from "./RateLimitsSql.ts";
import { counted } from "../wire/Text.ts";

/** One window, as response headers show it. */
export interface RateWindow {
  readonly name: "minute" | "writes" | "day" | "events";
  readonly limit: number;
  readonly remaining: number;
  /** When it ends, in epoch milliseconds. */
  readonly resetsAt: number;
  readonly seconds: number;
}

/** Whether a request is granted, and the windows that apply to it. */
export interface RateLimitResult {
  readonly granted: boolean;
  readonly windows: ReadonlyArray<RateWindow>;
}

interface RateRequest {
  readonly tenant: Tenant;
  readonly isWrite: boolean;
  readonly now: number;
}

/** The highest limit of a statement, and that of a plan without one. */
const maxLimit = 2_147_483_647;
const keyOf = ({ environment, workspaceId }: TenantKey) => `${workspaceId}/${environment}`;

const limitsOf = ({ environment, workspace: { plan } }: Tenant) => ({
  perMinute: plan[`${environment}_requests_per_minute`] ?? Infinity,
  writesPerMinute: plan[`${environment}_writes_per_minute`] ?? Infinity,
  perDay: plan[`${environment}_requests_per_day`] ?? Infinity,
});

/**
 * Rate limits of environments, exact over all processes and restarts (contract I1). Requests that arrive
 * while a statement runs share the next one, so the cost per request falls as the load rises.
 */
export class RateLimits extends Context.Service<RateLimits>()("waypost/http/RateLimits", {
  make: Effect.gen(function* () {
    const repository = yield* RateLimitsSql;

    const take = yield* batched<RateRequest, RateLimitResult, never, never>({
      maxBatch: 1000,
      keyOf: ({ tenant }) => tenant.workspaceId,
      run: Effect.fnUntraced(function* (requests) {
        const demands = new Map<string, RateDemand>();
        for (const { isWrite, tenant } of requests) {
          const { environment, workspaceId } = tenant;
          const { perDay, perMinute, writesPerMinute } = limitsOf(tenant);
          const { reads, writes } = demands.get(keyOf(tenant)) ?? { reads: 0, writes: 0 };
          demands.set(keyOf(tenant), {
            workspaceId,
            environment,
            reads: isWrite ? reads : reads + 1,
            writes: isWrite ? writes + 1 : writes,
            perMinute: Math.min(perMinute, maxLimit),
            writesPerMinute: Math.min(writesPerMinute, maxLimit),
            perDay: Math.min(perDay, maxLimit),
          });
        }
        const now = Math.max(...requests.map((request) => request.now));
        const rows = yield* repository.take([...demands.values()], now);
        const grants = new Map(
          rows.map((row) => [keyOf({ ...row, workspaceId: row.workspace_id }), new Grants(row)]),
        );
        return requests.map(
          (request) => grants.get(keyOf(request.tenant))?.next(request) ?? { granted: true, windows: [] },
        );
      }),
    });

    return {
      /** Counts a request in its windows. A refused request is not counted. */
      take: Effect.fnUntraced(function* (tenant: Tenant, isWrite: boolean) {
        return yield* take({ tenant, isWrite, now: yield* Clock.currentTimeMillis });
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RateLimits, RateLimits.make);
}

/** Distributes the requests that a statement granted to a tenant, in order. */
class Grants {
  #reads: number;
  #writes: number;
  #minute: number;
  #written: number;
  #day: number;
  readonly #row: RateWindows;

  constructor(row: RateWindows) {
    const granted = row.granted_reads + row.granted_writes;
    this.#row = row;
    this.#reads = row.granted_reads;
    this.#writes = row.granted_writes;
    this.#minute = row.minute_used - granted;
    this.#day = row.day_used - granted;
    this.#written = row.writes_used - row.granted_writes;
  }

  next({ isWrite, tenant }: RateRequest): RateLimitResult {
    const granted = (isWrite ? this.#writes : this.#reads) > 0;
    if (granted) {
      if (isWrite) {
        this.#writes--;
        this.#written++;
      } else this.#reads--;
      this.#minute++;
      this.#day++;
    }
    // A refused request has every granted request of the batch before.
    const { day_used, minute_used, writes_used } = this.#row;
    const [minute, written, day] = granted
      ? [this.#minute, this.#written, this.#day]
      : [minute_used, writes_used, day_used];
    const limits = limitsOf(tenant);
    const windows = [
      rateWindow("minute", limits.perMinute, minute, this.#row.minute_opened, 60),
      ...(isWrite
        ? [rateWindow("writes", limits.writesPerMinute, written, this.#row.writes_opened, 60)]
        : []),
      rateWindow("day", limits.perDay, day, this.#row.day_opened, 86_400),
    ];
    return { granted, windows: windows.filter((window) => window.limit !== Infinity) };
  }
}

const rateWindow = (
  name: RateWindow["name"],
  limit: number,
  used: number,
  opened: Date,
  seconds: number,
): RateWindow => ({
  name,
  limit,
  remaining: Math.max(0, limit - used),
  resetsAt: opened.getTime() + seconds * 1000,
  seconds,
});

const secondsUntil = (instant: number, now: number) => Math.max(1, Math.ceil((instant - now) / 1000));

/**
 * The response headers (contract A5): the tightest window in the older form, all windows in that of the IETF
 * draft.
 */
export const rateLimitHeaders = (windows: ReadonlyArray<RateWindow>, now: number): Record<string, string> => {
  const [first, ...rest] = windows;
  if (first === undefined) return {};
  const tightest = rest.reduce(
    (least, window) => (window.remaining < least.remaining ? window : least),
    first,
  );
  return {
    "x-ratelimit-limit": String(tightest.limit),
    "x-ratelimit-remaining": String(tightest.remaining),
    "x-ratelimit-reset": String(Math.ceil(tightest.resetsAt / 1000)),
    "ratelimit-policy": windows.map((w) => `"${w.name}";q=${w.limit};w=${w.seconds}`).join(", "),
    ratelimit: windows
      .map((w) => `"${w.name}";r=${w.remaining};t=${secondsUntil(w.resetsAt, now)}`)
      .join(", "),
  };
};

/** The noun and the period of each limit. */
const nouns = {
  minute: ["request", "minute"],
  writes: ["change", "minute"],
  day: ["request", "day"],
  events: ["event", "minute"],
} as const;

/** The seconds until the last full window ends. */
export const retrySeconds = (windows: ReadonlyArray<RateWindow>, now: number): number => {
  const full = windows.filter((window) => window.remaining === 0);
  return secondsUntil(Math.max(now, ...full.map((window) => window.resetsAt)), now);
};

/** The 429 of a refused request: it can be repeated once the last full window has ended. */
export const rateLimited = (
  windows: ReadonlyArray<RateWindow>,
  now: number,
  owner: "workspace" | "device" = "workspace",
): TooManyRequests => {
  const full = windows.filter((window) => window.remaining === 0);
  const seconds = retrySeconds(windows, now);
  const limits = full.map(({ limit, name }) => `${counted(limit, nouns[name][0])} a ${nouns[name][1]}`);
  return TooManyRequests.of(
    "rate_limited",
    `This ${owner}'s limit of ${limits.join(" and ")} is used up: ` +
      `try again in ${counted(seconds, "second")}.`,
    seconds,
  );
};
