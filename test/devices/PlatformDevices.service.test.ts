import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { TestClock } from "effect/testing";
import { randomUUID } from "node:crypto";
import { moveTo, sendWorld } from "../sending/sends/SendWorld.ts";
import { type Answer, testStart, TestWaypost } from "../TestWaypost.ts";

const codeOf = ({ body, status }: Answer) => [status, body.error?.code];
const idsOf = ({ body }: Answer): ReadonlyArray<string> => body.data.map(({ id }: { id: string }) => id);
const gold = { match: "all", conditions: [{ attribute: "plan", op: "eq", value: "gold" }] };

layer(TestWaypost.layer)("Segments, devices and sends in the platform API", (it) => {
  it.effect("the platform API shows the operator's segments, and the operator its own (S1.1)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const operator = `/workspaces/${workspace.id}/production/segments`;
      yield* production.phone(randomUUID(), { attributes: { plan: "gold" } });
      const made = yield* production.platform("/segments", { body: { name: "Gold", rule: gold } });
      assert.strictEqual(made.status, 201, JSON.stringify(made.body));
      const { id } = made.body.data;
      assert.strictEqual(made.body.data.device_count, 1);
      assert.deepStrictEqual((yield* waypost.operator(operator)).body.data, [made.body.data]);
      assert.deepStrictEqual((yield* production.platform(`/segments/${id}`)).body.data, made.body.data);
      const taken = yield* production.platform("/segments", { body: { name: "Gold", rule: {} } });
      assert.sameMembers(Object.keys(taken.body.error.fields), ["name", "rule.match", "rule.conditions"]);
      const renamed = yield* production.platform(`/segments/${id}`, {
        method: "PATCH",
        body: { name: "Golden" },
      });
      assert.strictEqual(renamed.body.data.name, "Golden");
      const gone = yield* production.platform(`/segments/${id}`, { method: "DELETE" });
      assert.deepStrictEqual(gone.body, { data: { id, deleted: true } });
      assert.deepStrictEqual((yield* production.platform("/segments")).body, {
        data: [],
        meta: { next_cursor: null },
      });
    }),
  );

  it.effect(
    "devices are listed by approval, platform and a part of the installation id, shown and approved (S1.2)",
    () =>
      Effect.gen(function* () {
        const { sandbox } = yield* sendWorld();
        const first = yield* sandbox.device("Phone-ONE_1", { platform: "ios" });
        const second = yield* sandbox.device("phone-two", { platform: "android" });
        const third = yield* sandbox.device("tablet-ÄRGER", { platform: "android" });
        const found = (query: string) => Effect.map(sandbox.platform(`/devices?${query}`), idsOf);
        assert.deepStrictEqual(yield* found(""), [third.id, second.id, first.id]);
        assert.deepStrictEqual(yield* found("platform=ios"), [first.id]);
        assert.deepStrictEqual(yield* found("q=PHONE"), [second.id, first.id]);
        assert.deepStrictEqual(yield* found("q=e_1"), [first.id]);
        assert.deepStrictEqual(yield* found("q=%25"), []);
        assert.deepStrictEqual(yield* found(`q=${encodeURIComponent("ärger")}`), [third.id]);
        assert.deepStrictEqual(yield* found("q="), [third.id, second.id, first.id]);
        const page = yield* sandbox.platform("/devices?limit=1&q=phone");
        const next: string = page.body.meta.next_cursor;
        assert.deepStrictEqual(yield* found(`q=phone&cursor=${next}`), [first.id]);
        const other = yield* sandbox.platform(`/devices?q=two&cursor=${next}`);
        assert.deepStrictEqual(codeOf(other), [422, "invalid_cursor"]);
        const wrong = yield* sandbox.platform(`/devices?platform=tv&approved=maybe&q=${"a".repeat(256)}`);
        assert.sameMembers(Object.keys(wrong.body.error.fields), ["platform", "approved", "q"]);

        const approve = { method: "PATCH", body: { approved: true } };
        const approved = yield* sandbox.platform(`/devices/${first.id}`, approve);
        assert.isTrue(approved.body.data.approved);
        assert.deepStrictEqual(
          (yield* sandbox.platform(`/devices/${first.id}`)).body.data,
          approved.body.data,
        );
        assert.deepStrictEqual(yield* found("approved=true"), [first.id]);
        yield* first.ask("/devices/me", { method: "DELETE" });
        assert.deepStrictEqual(codeOf(yield* sandbox.platform(`/devices/${first.id}`)), [404, "not_found"]);
        assert.deepStrictEqual(codeOf(yield* sandbox.platform(`/devices/${first.id}`, approve)), [
          404,
          "not_found",
        ]);
      }),
  );

  it.effect("a device's messages and events are listed newest first, each once over all pages (S1.3)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const location = yield* production.location({ name: "Dam" });
      yield* production.notification(yield* production.campaign({ location_ids: [location] }));
      const phone = yield* production.phone();
      const other = yield* production.phone();
      const messages: Array<string> = [];
      const events: Array<string> = [];
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.setTime(testStart + minute * 60_000);
        for (const type of ["enter", "exit"] as const) {
          events.unshift(randomUUID());
          const { deliveries } = yield* phone.sees(type, location, {
            id: events[0] as string,
            occurred_at: new Date(testStart + minute * 60_000 + (type === "exit" ? 30_000 : 0)).toISOString(),
          });
          messages.unshift(...deliveries.map(({ id }) => id as string));
        }
        yield* other.sees("enter", location);
      }
      for (const [path, expected] of [
        ["messages", messages],
        ["events", events],
      ] as const) {
        const listed: Array<string> = [];
        let cursor = "";
        do {
          const page = yield* production.platform(`/devices/${phone.id}/${path}?limit=2${cursor}`);
          listed.push(...idsOf(page));
          cursor = page.body.meta.next_cursor === null ? "" : `&cursor=${page.body.meta.next_cursor}`;
          if (cursor !== "") {
            const foreign = yield* production.platform(`/devices/${other.id}/${path}?limit=2${cursor}`);
            assert.deepStrictEqual(codeOf(foreign), [422, "invalid_cursor"]);
          }
        } while (cursor !== "");
        assert.deepStrictEqual(listed, expected);
      }
      const shown = yield* production.platform(`/devices/${phone.id}/messages`);
      assert.deepStrictEqual(shown.body.data, yield* phone.inbox());
      yield* production.platform(`/locations/${location}`, { method: "DELETE" });
      const [event] = (yield* production.platform(`/devices/${phone.id}/events`)).body.data;
      assert.deepStrictEqual(event, {
        id: events[0],
        type: "exit",
        location_id: location,
        location_name: null,
        occurred_at: "2026-11-21T12:02:30+00:00",
        received_at: "2026-11-21T12:02:00+00:00",
      });
    }),
  );

  it.effect("attributes are listed with how many devices have them and their common values (S1.4)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      const sql = yield* SqlClient.SqlClient;
      const phone = (attributes: object) => production.device(randomUUID(), { attributes });
      yield* phone({ plan: "gold", likes: ["tea", "tea", "cake"] });
      yield* phone({ plan: "gold", likes: ["tea"], age: 7 });
      yield* phone({ plan: "silver", age: "7", empty: [] });
      const leaving = yield* phone({ plan: "gone" });
      yield* leaving.ask("/devices/me", { method: "DELETE" });
      const { body } = yield* production.platform("/attributes");
      assert.deepStrictEqual(body.meta, { estimated: false });
      const of = (name: string) => body.data.find((each: any) => each.name === name);
      assert.deepStrictEqual(
        body.data.map(({ devices, name }: any) => [name, devices]),
        [
          ["plan", 3],
          ["age", 2],
          ["likes", 2],
          ["empty", 1],
        ],
      );
      assert.deepStrictEqual(of("plan").values, [
        { value: "gold", devices: 2 },
        { value: "silver", devices: 1 },
      ]);
      assert.deepStrictEqual(of("likes").values, [
        { value: "tea", devices: 2 },
        { value: "cake", devices: 1 },
      ]);
      assert.sameDeepMembers(of("age").values, [
        { value: 7, devices: 1 },
        { value: "7", devices: 1 },
      ]);
      assert.deepStrictEqual(of("empty").values, []);
      // Of many devices every fifth hundred is read.
      yield* Effect.orDie(sql`UPDATE tenant SET last_device_key = 150000
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production'`);
      const first = Effect.map(production.platform("/attributes"), ({ body: { data, meta } }) => {
        assert.deepStrictEqual(meta, { estimated: true });
        return data[0];
      });
      assert.deepInclude(yield* first, {
        name: "plan",
        devices: 15,
        values: [
          { value: "gold", devices: 10 },
          { value: "silver", devices: 5 },
        ],
      });
      // An estimate is kept for five seconds.
      yield* Effect.orDie(sql`UPDATE device SET attributes = '{"plan": "free"}'
        WHERE workspace_id = ${production.workspaceId} AND environment = 'production'`);
      yield* TestClock.adjust("4 seconds");
      assert.lengthOf((yield* first).values, 2);
      yield* TestClock.adjust("1 second");
      assert.deepStrictEqual((yield* first).values, [{ value: "free", devices: 15 }]);
    }),
  );

  it.effect("sends are listed and shown as to the operator (S1.5)", () =>
    Effect.gen(function* () {
      const { production, waypost, workspace } = yield* sendWorld();
      const campaign = yield* production.push();
      const another = yield* production.push();
      yield* production.sent(campaign, "15:00");
      yield* production.sent(another, "16:00");
      const own = (yield* waypost.operator(`/workspaces/${workspace.id}/production/sends`)).body.data;
      assert.lengthOf(own, 2);
      const listed = yield* production.platform("/sends");
      assert.deepStrictEqual(listed.body.data, own);
      const filtered = yield* production.platform(`/sends?campaign=${campaign}&status=scheduled`);
      assert.deepStrictEqual(filtered.body.data, own.slice(1));
      assert.deepStrictEqual((yield* production.platform(`/sends/${own[0].id}`)).body, {
        data: { ...own[0], failures: [] },
      });
      assert.deepStrictEqual(codeOf(yield* production.platform(`/sends/${campaign}`)), [404, "not_found"]);
      const wrong = yield* production.platform("/sends?campaign=x&status=late");
      assert.sameMembers(Object.keys(wrong.body.error.fields), ["campaign", "status"]);
    }),
  );

  it.effect("a send shows its failed deliveries by reason, the most frequent first (S1.5)", () =>
    Effect.gen(function* () {
      const { production } = yield* sendWorld();
      yield* production.phone();
      const push = (token: string, transport: string) => ({ push: { transport, token } });
      yield* production.phone(randomUUID(), push("a", "apns"));
      for (const token of ["b", "c"]) yield* production.phone(randomUUID(), push(token, "fcm"));
      yield* production.sent(yield* production.push(), "12:01");
      yield* moveTo("2026-11-21T12:01:00Z");
      const [{ id }] = yield* production.sends();
      const { body } = yield* production.platform(`/sends/${id}`);
      assert.deepInclude(body.data, {
        status: "done",
        targeted: 4,
        delivered: 1,
        failed: 3,
        failures: [
          { reason: "No credentials are set for fcm in this environment.", deliveries: 2 },
          { reason: "No credentials are set for apns in this environment.", deliveries: 1 },
        ],
      });
    }),
  );

  it.effect("a token with every ability of before has none of the new ones (S1.6)", () =>
    Effect.gen(function* () {
      const { waypost, workspace } = yield* sendWorld();
      const before = ["reports", "campaigns", "notifications", "locations", "media"] as const;
      const granted = before.flatMap((noun) =>
        noun === "reports" ? (["reports:read"] as const) : ([`${noun}:read`, `${noun}:write`] as const),
      );
      const { token } = yield* waypost.token(workspace, "sandbox", granted);
      const ask = waypost.platform("sandbox", token);
      assert.strictEqual((yield* ask("/campaigns")).status, 200);
      for (const path of ["/segments", "/devices", "/sends", "/attributes"]) {
        assert.deepStrictEqual(codeOf(yield* ask(path)), [403, "missing_ability"], path);
      }
    }),
  );
});
