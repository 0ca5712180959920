import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { Tokens } from "../../src/access/Tokens.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { type Asks, given, ok } from "./Given.ts";
import { eventNow, type ReportedEvent } from "./GivenBodies.ts";

/** Options of a workspace. */
export type GivenOptions = Parameters<TestWaypost["Service"]["tenant"]>[0];

/** A workspace with makers and the device interface of both environments. */
export const givenWorkspace = (options: GivenOptions = {}) =>
  Effect.gen(function* () {
    const waypost = yield* TestWaypost;
    const sql = yield* SqlClient.SqlClient;
    const tokens = yield* Tokens;
    const { workspace, ...tenant } = yield* waypost.tenant(options);
    const { workspaceId } = yield* Effect.orDie((yield* Workspaces).find(workspace.id));
    const side = Effect.fnUntraced(function* (environment: Environment, platform: Asks) {
      const key = yield* Effect.orDie(
        tokens.issueSdkKey(workspaceId, environment, ParsedBody.of({ name: "Test app" })),
      );
      /** Registers an installation; `token` is sent as X-Device-Token. */
      const register = (installation: string, body: unknown = { platform: "android" }, token?: string) =>
        waypost.device(key.sdk_key)(`/devices/${encodeURIComponent(installation)}`, {
          method: "PUT",
          body,
          ...(token === undefined ? {} : { headers: { "x-device-token": token } }),
        });
      /** Registers a new installation; requests are sent with its token. */
      const device = (installation: string, body: object = {}) =>
        Effect.map(register(installation, { platform: "android", ...body }), ({ body: { data } }) => ({
          id: data.id as string,
          token: data.device_token as string,
          ask: waypost.device(data.device_token),
        }));
      /** A registered and approved device. */
      const phone = Effect.fnUntraced(function* (installation: string = randomUUID(), body: object = {}) {
        const own = yield* device(installation, body);
        const approved = sql`approved = true, approval_decided = true`;
        yield* Effect.orDie(sql`UPDATE device SET ${approved} WHERE id = ${own.id}`);
        const report = (events: unknown) => own.ask("/events", { body: { events } });
        return {
          ...own,
          report,
          /** Reports one event, by default of now, and returns the outcome. */
          sees: (type: "enter" | "exit", location_id: string, event: ReportedEvent = {}) =>
            Effect.map(
              Effect.flatMap(eventNow(location_id, { type, ...event }), (each) => report([each])),
              (answer): Outcome => ok(answer),
            ),
          /** The messages of its inbox, newest first. */
          inbox: (query = "") => Effect.map(own.ask(`/messages${query}`), (answer): Array<any> => ok(answer)),
        };
      });
      /** Sends requests of the operator to paths below those of the environment. */
      const asOperator: Asks = (path, ask) =>
        waypost.operator(`/workspaces/${workspace.id}/${environment}${path}`, ask);
      const { id: sdkKeyId, sdk_key: sdkKey } = key;
      const devices = { sdkKey, sdkKeyId, register, device, phone };
      return { environment, workspaceId, asOperator, ...devices, ...given(platform) };
    });
    return {
      waypost,
      workspace,
      platform: { sandbox: tenant.sandbox, production: tenant.production },
      sandbox: yield* side("sandbox", tenant.sandbox),
      production: yield* side("production", tenant.production),
    };
  });

/** One environment of it. */
export type GivenSide = Effect.Success<ReturnType<typeof givenWorkspace>>[Environment];

/** The outcome of reported events. */
interface Outcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: Array<{ index: number; reasons: Array<string> }>;
  readonly deliveries: Array<any>;
}
