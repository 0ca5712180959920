import { Clock, Context, Effect, Layer } from "effect";
import { randomUUID } from "node:crypto";
import { RegisteredDevices } from "../../devices/RegisteredDevices.ts";
import { NotFound, type Unprocessable } from "../../wire/ApiError.ts";
import type { ParsedBody } from "../../wire/ParsedBody.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import { monotonicMillis } from "../../time/MonotonicTime.ts";
import { attemptTimeoutMillis, timedOut } from "./PushAttempts.ts";
import { PushChannels } from "./PushChannels.ts";
import { isProvider, unknownTransport } from "../credentials/PushCredential.ts";
import type { PushContent } from "./PushPayload.ts";
import type { TransportTest, TransportTestDraft } from "./TransportTest.ts";
import { awaitOutcome, type PushOutcome } from "./transports/PushTransport.ts";

/** The content of a test push. It belongs to no campaign and to no notification. */
const noId = "00000000-0000-0000-0000-000000000000";
const content: PushContent = {
  type: "message",
  campaign_id: noId,
  notification_id: noId,
  headline: "Test",
  body: "This push tests the connection to the push service.",
  media: null,
  cta_label: null,
  cta_url: null,
  push: null,
  language: null,
};

const outcomes = {
  Accepted: "accepted",
  Gone: "gone",
  Refused: "refused",
  Unauthorized: "unauthorized",
  Unavailable: "unavailable",
} as const satisfies Record<PushOutcome["_tag"], TransportTest["outcome"]>;

/** Sends single pushes that test the credentials of a transport (contract S7). */
export class TransportTests extends Context.Service<
  TransportTests,
  {
    /**
     * Sends one push now, to a device of any approval, and gives what came back. No delivery is stored, and
     * an address that is gone is not marked. @throws 404 for an unknown transport, 422
     */
    readonly run: (
      tenant: Tenant,
      transport: string,
      body: ParsedBody<TransportTestDraft>,
    ) => Effect.Effect<TransportTest, NotFound | Unprocessable>;
  }
>()("waypost/sending/push/TransportTests") {
  static readonly layer = Layer.effect(
    TransportTests,
    Effect.gen(function* () {
      const devices = yield* RegisteredDevices;
      const channels = yield* PushChannels;
      const clock = yield* Clock.Clock;

      return TransportTests.of({
        run: Effect.fn("TransportTests.run")(function* (tenant, transport, body) {
          if (!isProvider(transport)) return yield* NotFound.of(unknownTransport);
          const { fields, problems } = body;
          const device =
            fields.device_id === undefined ? null : yield* devices.pushAddress(tenant, fields.device_id);
          if (fields.device_id !== undefined && device?.transport !== transport) {
            problems.add(
              "device_id",
              device === null
                ? "There is no registered device with this id in this workspace and environment."
                : `The device's transport is ${device.transport}: choose a device with ${transport}.`,
            );
          }
          const { environment, workspaceId } = tenant;
          const channel = yield* channels.of({ workspaceId, environment, transport });
          if (channel === null) {
            problems.add(
              "transport",
              `No credentials are set for ${transport} in this environment: set them.`,
            );
          }
          const { device_id } = yield* body.complete;
          if (channel === null || device === null) {
            return yield* Effect.die(new Error("A checked test has no channel or device"));
          }
          const push = { id: randomUUID(), content, firstAt: null, address: device.address };
          const began = monotonicMillis(clock);
          const outcome = yield* Effect.timeoutOrElse(
            awaitOutcome((report) => channel.send(push, report)),
            { duration: attemptTimeoutMillis, orElse: () => Effect.succeed(timedOut) },
          );
          return {
            transport,
            device_id,
            accepted: outcome._tag === "Accepted",
            outcome: outcomes[outcome._tag],
            reason: outcome._tag === "Accepted" ? null : outcome.reason,
            duration_ms: Math.round(monotonicMillis(clock) - began),
          };
        }),
      });
    }),
  ).pipe(Layer.provide(PushChannels.layer));
}
