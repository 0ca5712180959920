import { assert, describe, it } from "@effect/vitest";
import { Effect } from "effect";
import { delayedEvents } from "../../src/events/custom/DelayedEvents.ts";
import {
  type Attachment,
  type EventMatchRow,
  EventTriggersSql,
} from "../../src/events/custom/EventTriggersSql.ts";
import type { DueDwell } from "../../src/events/Dwell.ts";
import { VisitsSql } from "../../src/events/VisitsSql.ts";
import { DeviceKey } from "../../src/wire/Ids.ts";

const dwellOf = (deviceKey: number, attachmentId: string) =>
  ({
    workspaceId: 1,
    environment: "production",
    deviceKey: DeviceKey(deviceKey),
    attachmentId,
    dueAt: 1,
    event: { unit: deviceKey, userKey: null, properties: {}, unless: null },
  }) as unknown as DueDwell;

const matchOf = ({ attachmentId }: Attachment, index: number) =>
  ({
    ord: index + 1,
    attachment_id: attachmentId,
    campaign_starts: 0,
    campaign_ends: null,
    window_starts: null,
    window_ends: null,
    paused: false,
    audience: { match: "any", rules: [] },
  }) as unknown as EventMatchRow;

describe("Custom events that are due", () => {
  it.effect("a notification, which can have a megabyte, is read once for all its events (V4.6)", () =>
    Effect.gen(function* () {
      const read: Array<ReadonlyArray<string>> = [];
      const ofAttachments = (all: ReadonlyArray<Attachment>) => {
        read.push(all.map(({ attachmentId }) => attachmentId));
        return Effect.succeed(all.map(matchOf));
      };
      const decide = yield* delayedEvents.pipe(
        Effect.provideService(EventTriggersSql, { ofAttachments } as unknown as EventTriggersSql["Service"]),
        Effect.provideService(VisitsSql, {} as unknown as VisitsSql["Service"]),
      );
      const due = ["a", "b", "a", "a", "b"].map((name, index) => dwellOf(index + 1, name));
      const { messages } = yield* decide(due);
      assert.deepStrictEqual(read, [["a", "b"]]);
      assert.deepStrictEqual(
        messages.map(({ deviceKey, dwell, match }) => [deviceKey, dwell, match.attachment_id]),
        due.map((dwell) => [dwell.deviceKey, dwell, dwell.attachmentId]),
      );
    }),
  );
});
