import type { Profile } from "./Entry.ts";

/** The state of an installation and of its last attempts. It is stored between them. */
export interface DeviceState {
  /** The id of the installation, made once. */
  readonly installation: string;
  /** The token that the server issued; null before, and after one that ended. */
  readonly token: string | null;
  readonly profile: Profile;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** The time of the last attempt that failed, in epoch milliseconds. */
  readonly pausedAt: number;
  /** No request is made before this instant, in epoch milliseconds. */
  readonly retryAt: number;
  /** Whether entries go singly, because the server refused several together. */
  readonly isSingle: boolean;
  /** Whether the device has registered again and no request has succeeded since. */
  readonly isRenewed: boolean;
}

/** The state of a new installation. */
export const newDevice = (installation: string, profile: Profile): DeviceState => ({
  installation,
  token: null,
  profile,
  failures: 0,
  pausedAt: 0,
  retryAt: 0,
  isSingle: false,
  isRenewed: false,
});

/** A request to the device interface. */
export interface DeviceRequest {
  readonly method: "PUT" | "PATCH" | "POST";
  /** Below `/device/v1`. */
  readonly path: string;
  /** Null for a registration, which is made with the SDK key. */
  readonly token: string | null;
  readonly body: unknown;
}

/** The server's answer to a request. */
export interface DeviceAnswer {
  readonly status: number;
  /** Seconds of the header `Retry-After`; null without it. */
  readonly retryAfter: number | null;
  /** The parsed body; null for one that is no JSON. */
  readonly body: {
    readonly data?: {
      readonly device_token?: string;
      readonly public_key?: string | null;
      readonly rejected?: ReadonlyArray<{ readonly index: number; readonly reasons: ReadonlyArray<string> }>;
      readonly deliveries?: ReadonlyArray<unknown>;
      /** The indexes of what was not worked: it is sent again. */
      readonly later?: ReadonlyArray<number>;
      /** Whether the inbox has more messages. */
      readonly more?: boolean;
    };
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly fields?: Readonly<Record<string, unknown>>;
    };
  } | null;
}
