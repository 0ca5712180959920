import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { TestWaypost } from "../TestWaypost.ts";
import { message, notificationWorld, sent } from "./NotificationWorld.ts";

layer(TestWaypost.layer)("Triggers", (it) => {
  it.effect(
    "a geo campaign has on_enter, on_exit and on_dwell triggers, a push campaign fixed_time ones " +
      "(notifications.trigger)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const [geo, push] = [yield* world.geo(), yield* world.push({ starts_at: "2026-11-25" })];
        for (const trigger_type of ["on_enter", "on_exit"]) {
          assert.strictEqual((yield* world.sandbox(geo, { body: message({ trigger_type }) })).status, 201);
          const refused = yield* world.sandbox(push, { body: sent("09:00", { trigger_type }) });
          assert.deepStrictEqual(refused.body.error.fields, {
            trigger_type: [
              "A push campaign's notifications are sent at a fixed time: " +
                "the trigger type must be fixed_time.",
            ],
          });
        }
        const refused = yield* world.sandbox(geo, { body: message({ trigger_type: "fixed_time" }) });
        assert.deepStrictEqual(Object.keys(refused.body.error.fields), ["trigger_type"]);
        const other = yield* world.sandbox(geo, { body: message({ trigger_type: "at_sunset" }) });
        assert.deepStrictEqual(other.body.error.fields, {
          trigger_type: ["The trigger type must be on_enter, on_exit, on_dwell, fixed_time or on_event."],
        });
      }),
  );

  it.effect("an on_dwell trigger has minutes, and alone has them (P1.1, X20.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const [geo, push] = [yield* world.geo(), yield* world.push({ starts_at: "2026-11-25" })];
      const dwell = (trigger_config: unknown, trigger_type = "on_dwell") =>
        message({ trigger_type, trigger_config });
      for (const config of [{ minutes: 1 }, { minutes: 1440 }, { minutes: 10, max_silence_minutes: 1440 }]) {
        const made = yield* world.sandbox(geo, { body: dwell(config) });
        assert.deepStrictEqual(made.body.data?.trigger_config, config, JSON.stringify(made.body));
        const path = `${geo}/${made.body.data.id}`;
        const changed = yield* world.sandbox(path, { method: "PATCH", body: dwell({ minutes: 7 }) });
        assert.deepStrictEqual(changed.body.data.trigger_config, { minutes: 7 });
        const entering = yield* world.sandbox(path, { method: "PATCH", body: dwell(null, "on_enter") });
        assert.isNull(entering.body.data.trigger_config);
      }
      const cleared = yield* world.sandbox(geo, { body: dwell({ minutes: 5, max_silence_minutes: null }) });
      assert.deepStrictEqual(cleared.body.data.trigger_config, { minutes: 5 });

      const fields = (path: string, body: object) =>
        Effect.map(world.sandbox(path, { body }), (answer) => Object.keys(answer.body.error.fields));
      for (const config of [undefined, null, [], {}, { minutes: null }, { max_silence_minutes: 5 }])
        assert.deepStrictEqual(yield* fields(geo, dwell(config)), ["trigger_config.minutes"]);
      for (const minutes of [0, 1441, 1.5, "10", -1])
        assert.deepStrictEqual(yield* fields(geo, dwell({ minutes })), ["trigger_config.minutes"]);
      assert.deepStrictEqual(yield* fields(geo, dwell({ minutes: 5, max_silence_minutes: 0 })), [
        "trigger_config.max_silence_minutes",
      ]);
      assert.deepStrictEqual(yield* fields(geo, dwell({ minutes: 5, send_at: "09:00" })), [
        "trigger_config.send_at",
      ]);
      for (const type of ["on_enter", "on_exit"])
        assert.deepStrictEqual(yield* fields(geo, dwell({ minutes: 5, max_silence_minutes: 5 }, type)), [
          "trigger_config.minutes",
          "trigger_config.max_silence_minutes",
        ]);
      assert.deepStrictEqual(yield* fields(push, dwell({ minutes: 5, send_at: "09:00" }, "fixed_time")), [
        "trigger_config.minutes",
      ]);
      assert.deepStrictEqual(yield* fields(push, dwell({ minutes: 5, send_at: "09:00" })), ["trigger_type"]);
    }),
  );

  it.effect("a sending time can be local, unless it has passed everywhere in the world (P3.2, X26.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const geo = yield* world.geo();
      const local = (send_at: string, more: object = {}) =>
        sent(send_at, {
          trigger_config: { send_at, local: true, ...more },
        });
      // It is the 21st, 12:00 in UTC: in Kiritimati the 22nd, 02:00, and in UTC-12 the 21st, 00:00.
      const push = yield* world.push({ starts_at: "2026-11-21", timezone: "Asia/Tokyo" });
      const made = yield* world.sandbox(push, { body: local("00:00") });
      assert.deepStrictEqual(made.body.data?.trigger_config, {
        send_at: "2026-11-21 00:00",
        local: true,
        late: "skip",
      });
      const path = `${push}/${made.body.data.id}`;
      const change = (body: object) => world.sandbox(path, { method: "PATCH", body });
      const shown = made.body.data.trigger_config;
      const again = yield* change(sent("", { trigger_config: { ...shown, late: "send" } }));
      assert.deepStrictEqual(again.body.data?.trigger_config, { ...shown, late: "send" });
      const plain = yield* change(sent("23:00", { trigger_config: { send_at: "23:00", local: false } }));
      assert.deepStrictEqual(plain.body.data?.trigger_config, { send_at: "2026-11-21 23:00" });

      const fields = (at: string, body: object) =>
        Effect.map(world.sandbox(at, { body }), (answer) => Object.keys(answer.body.error.fields));
      yield* TestClock.adjust("1 minute");
      assert.deepStrictEqual(yield* fields(push, local("00:00")), ["trigger_config.send_at"]);
      assert.deepStrictEqual(yield* fields(push, local("2026-11-22 00:00")), ["trigger_config.send_at"]);
      assert.strictEqual((yield* world.sandbox(push, { body: local("00:01") })).status, 201);
      for (const local of [undefined, null, false])
        assert.deepStrictEqual(
          yield* fields(push, sent("23:30", { trigger_config: { send_at: "23:30", local, late: "skip" } })),
          ["trigger_config.late"],
        );
      assert.deepStrictEqual(yield* fields(push, local("23:30", { late: "later" })), ["trigger_config.late"]);
      assert.deepStrictEqual(yield* fields(geo, message({ trigger_config: { local: true } })), [
        "trigger_config.local",
      ]);
    }),
  );

  it.effect("a geo notification has no sending time; a push notification has one and no window (F2.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const [geo, push] = [yield* world.geo(), yield* world.push({ starts_at: "2026-11-25" })];
      const fields = (path: string, body: object) =>
        Effect.map(world.sandbox(path, { body }), (answer) => Object.keys(answer.body.error.fields));
      assert.deepStrictEqual(yield* fields(geo, message({ trigger_config: { send_at: "09:00" } })), [
        "trigger_config.send_at",
      ]);
      assert.deepStrictEqual(
        yield* fields(push, sent("09:00", { starts_at: "2026-11-25", ends_at: "2026-11-25 12:00" })),
        ["starts_at", "ends_at"],
      );
      for (const trigger_config of [undefined, null, [], {}, { send_at: null }]) {
        assert.deepStrictEqual(yield* fields(push, message({ trigger_type: "fixed_time", trigger_config })), [
          "trigger_config.send_at",
        ]);
      }
      assert.deepStrictEqual(
        yield* fields(push, message({ trigger_type: "fixed_time", trigger_config: "09:00" })),
        ["trigger_config"],
      );
    }),
  );

  it.effect(
    "a sending time is HH:MM, or the full time on the campaign's day in its zone " +
      "(F3.2, notifications.send_at, notifications.shown_send_at)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        // In Auckland this start is the 26th.
        const path = yield* world.push({ timezone: "Pacific/Auckland", starts_at: "2026-11-26 15:00" });
        for (const [written, shown] of [
          ["00:00", "2026-11-26 00:00"],
          ["23:59", "2026-11-26 23:59"],
          [" 09:30 ", "2026-11-26 09:30"],
          ["2026-11-26 09:30", "2026-11-26 09:30"],
        ] as const) {
          const made = yield* world.sandbox(path, { body: sent(written) });
          assert.strictEqual(made.body.data?.trigger_config.send_at, shown, JSON.stringify(made.body));
          assert.deepStrictEqual(
            [made.body.data.trigger_type, made.body.data.starts_at, made.body.data.ends_at],
            ["fixed_time", null, null],
          );
        }
        for (const written of [
          "2026-11-25 09:30",
          "2026-11-27 09:30",
          "2026-11-26",
          "24:00",
          "9:30",
          "09:30:00",
          "2026-11-26T09:30",
          "2026-02-30 09:30",
          "soon",
          "",
        ]) {
          const refused = yield* world.sandbox(path, { body: sent(written) });
          assert.deepStrictEqual(
            Object.keys(refused.body.error?.fields ?? {}),
            ["trigger_config.send_at"],
            written,
          );
        }
      }),
  );

  it.effect("a sending time cannot be in the past, to the instant (B6, notifications.send_at)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      // Today: it is 13:00 in Amsterdam.
      const path = yield* world.push({ starts_at: "2026-11-21" });
      assert.strictEqual((yield* world.sandbox(path, { body: sent("13:00") })).status, 201);
      const late = yield* world.sandbox(path, { body: sent("12:59") });
      assert.deepStrictEqual(late.body.error.fields, {
        "trigger_config.send_at": [
          "The sending time cannot be in the past (it is 2026-11-21 13:00 in Europe/Amsterdam).",
        ],
      });
      yield* TestClock.adjust("1 millis");
      assert.strictEqual((yield* world.sandbox(path, { body: sent("13:00") })).status, 422);
      assert.strictEqual((yield* world.sandbox(path, { body: sent("13:01") })).status, 201);
    }),
  );

  it.effect("once the sending time has passed, an update needs a later one (F6.1)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.push({ starts_at: "2026-11-21" });
      const { data } = (yield* world.sandbox(path, { body: sent("14:00") })).body;
      const patch = (body: object) => world.sandbox(`${path}/${data.id}`, { method: "PATCH", body });
      yield* TestClock.adjust("2 hours");
      assert.deepStrictEqual(Object.keys((yield* patch({ ...data, headline: "New" })).body.error.fields), [
        "trigger_config.send_at",
      ]);
      const moved = yield* patch(sent("16:00"));
      assert.strictEqual(moved.body.data.trigger_config.send_at, "2026-11-21 16:00");
    }),
  );

  it.effect(
    "a time in a gap is shown as moved, and writing that back keeps the stored time (E1, E11.1, F3.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const day = { starts_at: "2027-03-28" };
        const path = yield* world.push(day);
        const { data } = (yield* world.sandbox(path, { body: sent("02:30") })).body;
        assert.strictEqual(data.trigger_config.send_at, "2027-03-28 03:30");
        yield* world.sandbox(`${path}/${data.id}`, { method: "PATCH", body: data });
        // On another day there is no gap, and the time is shown as it was written.
        const campaign = (yield* world.sandbox(path.replace("/notifications", ""))).body.data;
        const moved = yield* world.sandbox(path.replace("/notifications", ""), {
          method: "PATCH",
          body: { name: campaign.name, type: "push", timezone: "Europe/Amsterdam", starts_at: "2027-03-29" },
        });
        assert.strictEqual(moved.status, 200);
        const after = (yield* world.sandbox(`${path}/${data.id}`)).body.data;
        assert.strictEqual(after.trigger_config.send_at, "2027-03-29 02:30");
      }),
  );

  it.effect(
    "a window must lie within the campaign and end after it starts (F2.4, notifications.window)",
    () =>
      Effect.gen(function* () {
        const world = yield* notificationWorld();
        const path = yield* world.geo({ starts_at: "2026-11-25 10:00", ends_at: "2026-11-30" });
        const fields = (starts_at: string | null, ends_at: string | null) =>
          Effect.map(world.sandbox(path, { body: message({ starts_at, ends_at }) }), ({ body }) =>
            Object.keys(body.error?.fields ?? {}),
          );
        for (const [start, end] of [
          ["2026-11-25 10:00", "2026-11-30"],
          ["2026-11-25 10:00", "2026-11-25 10:01"],
          ["2026-11-30 23:58", null],
          [null, "2026-11-25 10:01"],
          ["2026-11-26", "2026-11-26"],
        ] as const) {
          assert.deepStrictEqual(yield* fields(start, end), [], `${start} to ${end}`);
        }
        for (const [start, end, at] of [
          ["2026-11-25 09:59", null, ["starts_at"]],
          // A date alone is 00:00, which is before 10:00.
          ["2026-11-25", null, ["starts_at"]],
          ["2026-12-01", null, ["starts_at"]],
          [null, "2026-12-01 00:00", ["ends_at"]],
          [null, "2026-11-25 10:00", ["ends_at"]],
          ["2026-11-27", "2026-11-26", ["ends_at"]],
          ["2026-11-27 10:00", "2026-11-27 10:00", ["ends_at"]],
          ["2026-11-24", "2026-12-31", ["starts_at", "ends_at"]],
          ["2026-11-25T10:00", "tomorrow", ["starts_at", "ends_at"]],
        ] as const) {
          assert.deepStrictEqual(yield* fields(start, end), [...at], `${start} to ${end}`);
        }
      }),
  );

  it.effect("a window on a campaign without end can have any end (notifications.window)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo();
      const made = yield* world.sandbox(path, {
        body: message({ starts_at: "2030-01-01", ends_at: "2039-12-31" }),
      });
      assert.strictEqual(made.body.data.ends_at, "2039-12-31T22:59:59+00:00");
    }),
  );

  it.effect("a notification can be added to an ended campaign (E12.3)", () =>
    Effect.gen(function* () {
      const world = yield* notificationWorld();
      const path = yield* world.geo({ ends_at: "2026-11-21 14:00" });
      yield* TestClock.adjust("1 day");
      assert.strictEqual((yield* world.sandbox(path, { body: message() })).status, 201);
    }),
  );
});
