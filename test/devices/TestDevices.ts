import { Effect } from "effect";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { type Answer, type Ask, TestWaypost } from "../TestWaypost.ts";

/** The device interface of one environment, with an SDK key of its own. */
export interface DeviceSide {
  readonly environment: Environment;
  readonly workspaceId: number;
  readonly sdkKey: string;
  readonly sdkKeyId: string;
  /** Registers an installation; `token` is sent as X-Device-Token. */
  readonly register: (installation: string, body?: unknown, token?: string) => Effect.Effect<Answer>;
  /** Registers and approves a new installation; requests are sent with its token. */
  readonly device: (
    installation: string,
    body?: object,
  ) => Effect.Effect<{
    readonly id: string;
    readonly token: string;
    readonly ask: (path: string, ask?: Ask) => Effect.Effect<Answer>;
  }>;
}

/** A workspace with its platform APIs and the device interface of both environments. */
export const devicesOf = (options: Parameters<TestWaypost["Service"]["tenant"]>[0] = {}) =>
  Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const tenant = yield* waypost.tenant(options);
    const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(tenant.workspace.id));
    const tokens = yield* Tokens;
    const side = (environment: Environment) =>
      Effect.gen(function* () {
        const key = yield* Effect.orDie(
          tokens.issueSdkKey(workspaceId, environment, ParsedBody.of({ name: "Test app" })),
        );
        const register: DeviceSide["register"] = (installation, body = { platform: "android" }, token) =>
          waypost.device(key.sdk_key)(`/devices/${encodeURIComponent(installation)}`, {
            method: "PUT",
            body,
            ...(token === undefined ? {} : { headers: { "x-device-token": token } }),
          });
        return {
          environment,
          workspaceId,
          sdkKey: key.sdk_key,
          sdkKeyId: key.id,
          register,
          device: (installation, body = {}) =>
            Effect.gen(function* () {
              const { data } = (yield* register(installation, { platform: "android", ...body })).body;
              return {
                id: data.id as string,
                token: data.device_token as string,
                ask: waypost.device(data.device_token),
              };
            }),
        } satisfies DeviceSide;
      });
    return {
      waypost,
      workspace: tenant.workspace,
      platform: { sandbox: tenant.sandbox, production: tenant.production },
      sandbox: yield* side("sandbox"),
      production: yield* side("production"),
    };
  });
