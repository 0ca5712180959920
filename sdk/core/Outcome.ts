import type { DeviceAnswer, DeviceState } from "./DeviceState.ts";
import { changed, type Entry, type Profile } from "./Entry.ts";

/** An entry that the server will never take, with its reasons. */
export interface DroppedEntry {
  readonly entry: Entry;
  readonly reasons: ReadonlyArray<string>;
}

/** The consequences of the answer to a request. */
export interface Outcome {
  readonly state: DeviceState;
  /** How many of the entries that it sent are done. */
  readonly done: number;
  readonly dropped: ReadonlyArray<DroppedEntry>;
  /** Messages that the answer brought. */
  readonly messages: ReadonlyArray<unknown>;
  /** Whether the inbox has more of them. */
  readonly more?: boolean | undefined;
}

/** The facts of an attempt from outside: the time, chance and a new installation id. */
export interface AttemptFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly newId: string;
}

const maxPause = 300_000;

/** A pause of at least `Retry-After`, else one that doubles with each failure, with jitter. */
const paused = (state: DeviceState, answer: DeviceAnswer | null, { now, random }: AttemptFacts) => {
  const backoff = Math.min(maxPause, 1_000 * 2 ** state.failures) * (0.5 + random / 2);
  const pause = Math.max(backoff, (answer?.retryAfter ?? 0) * 1_000);
  return { ...state, failures: state.failures + 1, pausedAt: now, retryAt: now + Math.round(pause) };
};

/** The end of the pause that a device is in; null for none, also after the clock was set back. */
export const pauseEnd = (
  { pausedAt, retryAt }: Pick<DeviceState, "pausedAt" | "retryAt">,
  now: number,
): number | null => (pausedAt <= now && now < retryAt ? retryAt : null);

const succeeded = (state: DeviceState): DeviceState => ({ ...state, failures: 0, retryAt: 0 });

const waits = (state: DeviceState): Outcome => ({ state, done: 0, dropped: [], messages: [] });

/** The fields of a profile that the server refuses; they are left out of the next registration. */
const refusedFields = ({ body, status }: DeviceAnswer): ReadonlyArray<string> => {
  if (body?.error?.code === "user_hash_required") return ["user_id", "user_hash"];
  return status === 422
    ? Object.keys(body?.error?.fields ?? {}).map((field) => field.replace(/\..*/, ""))
    : [];
};

/** The fields of a profile that are among some names, or are not. */
const partOf = (profile: Profile, names: ReadonlyArray<string>, isAmong: boolean): Profile =>
  Object.fromEntries(Object.entries(profile).filter(([name]) => names.includes(name) === isAmong));

const registered = (state: DeviceState, answer: DeviceAnswer, around: AttemptFacts): Outcome => {
  const { body, status } = answer;
  const token = body?.data?.device_token;
  if (status < 300 && token !== undefined) return waits({ ...succeeded(state), token });
  // The installation has a token that is lost here: this browser becomes a new one.
  if (status < 300 || body?.error?.code === "device_token_required")
    return waits({ ...succeeded(state), installation: around.newId });
  const refused = refusedFields(answer).filter((field) => field in state.profile);
  if (refused.length === 0) return waits(paused(state, answer, around));
  return {
    ...waits({ ...state, profile: partOf(state.profile, refused, false) }),
    dropped: [
      {
        entry: { type: "change", body: partOf(state.profile, refused, true) },
        reasons: [body?.error?.message ?? ""],
      },
    ],
  };
};

const isFinal = ({ body, status }: DeviceAnswer): boolean =>
  status === 422 || body?.error?.code === "user_hash_required";

/**
 * The consequences of the answer to a request that sent the first entries; null is a failed connection.
 * Entries are done only when the server says so: it counts a repeated one once. One that it will never take
 * is dropped and reported, one of a message that is gone is dropped (contract BW4, Y25).
 */
export const outcomeOf = (
  state: DeviceState,
  taken: ReadonlyArray<Entry>,
  answer: DeviceAnswer | null,
  around: AttemptFacts,
): Outcome => {
  if (answer === null || answer.status >= 500 || answer.status === 429)
    return waits(paused(state, answer, around));
  const [first] = taken;
  if (first === undefined) return registered(state, answer, around);
  const { body, status } = answer;
  if (status < 300) {
    const { deliveries = [], later, more, rejected = [] } = body?.data ?? {};
    const dropped = rejected.flatMap(({ index, reasons }) => {
      const entry = taken[index];
      return entry === undefined ? [] : [{ entry, reasons }];
    });
    // Later entries may have to wait.
    const next = answer.retryAfter === null ? succeeded(state) : paused(state, answer, around);
    // A later entry is sent again with what follows it: the server counts a repeated one once.
    const done = later?.[0] ?? taken.length;
    const kept = { ...next, failures: 0, isSingle: false, isRenewed: false };
    return { state: kept, done, dropped, messages: deliveries, more };
  }
  if (status === 401 && !state.isRenewed) return waits({ ...succeeded(state), token: null, isRenewed: true });
  if ("message" in first && (status === 404 || status === 410))
    return { ...waits(succeeded(state)), done: 1 };
  // Several entries may be too large together.
  if (!isFinal(answer))
    return waits(paused({ ...state, isSingle: state.isSingle || status === 413 }, answer, around));
  // One entry may be wrong among many that are right.
  if (taken.length > 1) return waits({ ...state, isSingle: true });
  const reasons = [body?.error?.message ?? ""];
  const profile = first.type === "change" ? withoutRefused(state.profile, first.body, answer) : state.profile;
  return {
    state: { ...succeeded(state), isSingle: false, profile },
    done: 1,
    dropped: [{ entry: first, reasons }],
    messages: [],
  };
};

/** The profile without the fields of a change that the server refused, which a registration would repeat. */
const withoutRefused = (profile: Profile, change: Profile, answer: DeviceAnswer): Profile => {
  const refused = refusedFields(answer).filter((field) => field in change);
  return changed(partOf(profile, refused, false), {});
};
