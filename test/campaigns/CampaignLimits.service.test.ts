import { assert, layer } from "@effect/vitest";
import { Effect, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { type Answer, testStart, TestWaypost } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

const code = ({ body, status }: Answer) => (status < 300 ? status : body.error.code);

layer(TestWaypost.layer)("Campaign limits", (it) => {
  it.effect("a limit of more campaigns than there can be refuses none (E9)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 3_000_000_000 } });
      for (const name of ["1", "2"]) {
        assert.strictEqual(code(yield* world.sandbox("/campaigns", { body: push({ name }) })), 201);
      }
      assert.lengthOf((yield* world.sandbox("/campaigns")).body.data, 2);
    }),
  );

  it.effect(
    "max_campaigns refuses one more campaign with the limit and the count, per environment " +
      "(E9.1, campaigns.limit, errors.limit_exceeded, limits.campaigns)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld({ plan: { max_campaigns: 2 } });
        for (const ask of [world.sandbox, world.production]) {
          const make = (name: string) => ask("/campaigns", { body: push({ name }) });
          assert.strictEqual(code(yield* make("1")), 201);
          assert.strictEqual(code(yield* make("2")), 201);
          const refused = yield* make("3");
          assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "limit_exceeded"]);
          assert.hasAllKeys(refused.body.error.fields, ["max_campaigns"]);
          assert.include(refused.body.error.fields.max_campaigns[0], "allows 2 campaigns");
          assert.include(refused.body.error.fields.max_campaigns[0], "there are 2");
        }
      }),
  );

  it.effect("problems of a draft are reported before the limits of the plan (B1.6)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 0 } });
      assert.strictEqual(
        code(yield* world.sandbox("/campaigns", { body: push({ name: "" }) })),
        "validation_failed",
      );
      assert.strictEqual(code(yield* world.sandbox("/campaigns", { body: push() })), "limit_exceeded");
    }),
  );

  it.effect(
    "deleted and ended campaigns do not count, nor does a new one that has already ended (E9.1, E12)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
        const location = yield* world.location();
        const make = (name: string, more: object) =>
          world.sandbox("/campaigns", { body: geo([location], { name, timezone: "UTC", ...more }) });
        const short = { starts_at: "2026-11-21", ends_at: "2026-11-21 12:01" };
        const first = yield* make("1", short);
        assert.strictEqual(code(first), 201);
        assert.strictEqual(code(yield* make("2", short)), "limit_exceeded");
        assert.strictEqual(code(yield* make("3", { ...short, ends_at: "2026-11-21 11:00" })), 201);
        yield* TestClock.adjust("61 seconds");
        const second = yield* make("4", {});
        assert.strictEqual(code(second), 201);
        assert.strictEqual(code(yield* make("5", {})), "limit_exceeded");
        yield* world.sandbox(`/campaigns/${second.body.data.id}`, { method: "DELETE" });
        assert.strictEqual(code(yield* make("5", {})), 201);
      }),
  );

  it.effect(
    "an update that makes an ended campaign count again is checked, and no other update (E9.3, E12.2)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
        const location = yield* world.location();
        for (const ask of [world.sandbox, world.production]) {
          yield* TestClock.setTime(testStart);
          const here = ask === world.sandbox ? location : yield* world.location("production");
          const draft = (name: string, end: string | null) =>
            geo([here], { name, timezone: "UTC", starts_at: "2026-11-21", ends_at: end });
          const ended = yield* ask("/campaigns", { body: draft("1", "2026-11-21 12:01") });
          yield* TestClock.adjust("61 seconds");
          const live = yield* ask("/campaigns", { body: draft("2", null) });
          assert.strictEqual(code(live), 201);
          const patch = (id: string, body: object) => ask(`/campaigns/${id}`, { method: "PATCH", body });
          assert.strictEqual(code(yield* patch(ended.body.data.id, draft("1", null))), "limit_exceeded");
          assert.strictEqual(code(yield* patch(ended.body.data.id, draft("1b", "2026-11-21 12:00"))), 200);
          assert.strictEqual(code(yield* patch(live.body.data.id, draft("2b", "2026-12-24"))), 200);
        }
      }),
  );

  it.effect(
    "in Sandbox paused campaigns do not count, and publishing one checks the limit " +
      "(E9.2, campaigns.s_counts)",
    () =>
      Effect.gen(function* () {
        const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
        const location = yield* world.location();
        const act = (id: string, action: string) =>
          world.sandbox(`/campaigns/${id}/${action}`, { method: "POST" });
        const first = (yield* world.sandbox("/campaigns", { body: push({ name: "1" }) })).body.data.id;
        yield* act(first, "pause");
        const second = (yield* world.sandbox("/campaigns", { body: push({ name: "2" }) })).body.data.id;
        assert.strictEqual(code(yield* act(first, "publish")), "limit_exceeded");
        assert.isTrue((yield* world.sandbox(`/campaigns/${first}`)).body.data.paused);
        // A campaign that already counts can be published any number of times.
        assert.strictEqual(code(yield* act(second, "publish")), 200);
        // A paused campaign does not count, whatever dates an update gives it.
        const patched = yield* world.sandbox(`/campaigns/${first}`, {
          method: "PATCH",
          body: geo([location], { name: "1" }),
        });
        assert.strictEqual(code(patched), 200);
        yield* act(second, "pause");
        assert.strictEqual(code(yield* act(first, "publish")), 200);
      }),
  );

  it.effect("in Sandbox publishing a paused campaign that has ended does not check the limit (E9.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
      const location = yield* world.location();
      const body = geo([location], { name: "1", timezone: "UTC", ends_at: "2026-11-21 12:01" });
      const first = (yield* world.sandbox("/campaigns", { body })).body.data.id;
      yield* world.sandbox(`/campaigns/${first}/pause`, { method: "POST" });
      yield* world.sandbox("/campaigns", { body: push() });
      yield* TestClock.adjust("61 seconds");
      assert.strictEqual(code(yield* world.sandbox(`/campaigns/${first}/publish`, { method: "POST" })), 200);
    }),
  );

  it.effect("in Production paused campaigns count, and publishing one does not check the limit (E9.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
      const first = (yield* world.production("/campaigns", { body: push({ name: "1" }) })).body.data.id;
      yield* world.production(`/campaigns/${first}/pause`, { method: "POST" });
      assert.strictEqual(
        code(yield* world.production("/campaigns", { body: push({ name: "2" }) })),
        "limit_exceeded",
      );
      assert.strictEqual(
        code(yield* world.production(`/campaigns/${first}/publish`, { method: "POST" })),
        200,
      );
    }),
  );

  it.effect(
    "of concurrent creates and publishes with room for one campaign, exactly one succeeds (E9.4)",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          const world = yield* campaignWorld({ plan: { max_campaigns: 2 } });
          yield* world.sandbox("/campaigns", { body: push({ name: "live" }) });
          const paused = (yield* world.sandbox("/campaigns", { body: push({ name: "paused" }) })).body.data
            .id;
          yield* world.sandbox(`/campaigns/${paused}/pause`, { method: "POST" });
          const answers = yield* Effect.all(
            [
              ...["a", "b", "c"].map((name) => world.sandbox("/campaigns", { body: push({ name }) })),
              world.sandbox(`/campaigns/${paused}/publish`, { method: "POST" }),
            ],
            { concurrency: "unbounded" },
          );
          const refused = answers.filter((answer) => code(answer) === "limit_exceeded");
          assert.lengthOf(refused, 3, answers.map(code).join());
        }
      }),
  );

  it.effect(
    "an ended trial refuses create and publish, after 404 and 422 (B1.6, E9.5, errors.trial_ended)",
    () =>
      Effect.gen(function* () {
        const workspaces = yield* Workspaces;
        const world = yield* campaignWorld();
        const id = (yield* world.sandbox("/campaigns", { body: push() })).body.data.id;
        yield* Effect.orDie(workspaces.update(world.workspace.id, ParsedBody.of({ trial_ended: true })));
        const post = (path: string, body?: unknown) =>
          Effect.map(world.sandbox(path, { method: "POST", body }), code);
        assert.strictEqual(yield* post("/campaigns", push({ name: "2" })), "trial_ended");
        assert.strictEqual(yield* post("/campaigns", push()), "validation_failed");
        assert.strictEqual(yield* post(`/campaigns/${id}/publish`), "trial_ended");
        assert.strictEqual(yield* post(`/campaigns/${id}/pause`), 200);
        assert.strictEqual(yield* post(`/campaigns/${id}/publish`), "trial_ended");
        assert.strictEqual(yield* post(`/campaigns/${world.workspace.id}/publish`), "not_found");
        const patched = yield* world.sandbox(`/campaigns/${id}`, {
          method: "PATCH",
          body: push({ name: "new" }),
        });
        assert.strictEqual(patched.status, 200);
      }),
  );

  it.effect("concurrent creates with one Idempotency-Key make one campaign (J1, J2, J3.2)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const headers = { "idempotency-key": "create-black-friday" };
      const sending = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 6 }, () => world.sandbox("/campaigns", { body: push(), headers })),
          { concurrency: "unbounded" },
        ),
      );
      // Duplicates wait by the clock of the test. Another request lets the server work in the meantime.
      while (sending.pollUnsafe() === undefined) {
        yield* world.sandbox("/me");
        yield* TestClock.adjust("10 millis");
      }
      const answers = yield* Fiber.join(sending);
      const [first, ...others] = answers.toSorted(
        (a, b) => Number(a.headers.has("idempotent-replayed")) - Number(b.headers.has("idempotent-replayed")),
      );
      assert.strictEqual(first?.status, 201);
      assert.isFalse(first?.headers.has("idempotent-replayed"));
      for (const replay of others) {
        assert.strictEqual(replay.headers.get("idempotent-replayed"), "true");
        assert.deepStrictEqual([replay.status, replay.body], [201, first?.body]);
      }
      assert.lengthOf((yield* world.sandbox("/campaigns")).body.data, 1);
    }),
  );

  it.effect("a refused create stores nothing, so its key can be used again (J3.1, idempotency.4)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 1 } });
      const headers = { "idempotency-key": "again" };
      const create = (body: object) => world.sandbox("/campaigns", { body, headers });
      assert.strictEqual(code(yield* create(push({ name: "" }))), "validation_failed");
      const other = (yield* world.sandbox("/campaigns", { body: push({ name: "other" }) })).body.data.id;
      assert.strictEqual(code(yield* create(push())), "limit_exceeded");
      yield* world.sandbox(`/campaigns/${other}`, { method: "DELETE" });
      const made = yield* create(push());
      assert.strictEqual(made.status, 201);
      assert.deepStrictEqual((yield* create(push())).body, made.body);
    }),
  );
});
