import { assert, layer } from "@effect/vitest";
import { Effect, Exit } from "effect";
import { SqlClient } from "effect/sql";
import { type Actor, CurrentActor } from "../../src/access/Actor.ts";
import { CampaignDraft } from "../../src/campaigns/CampaignDraft.ts";
import { Campaigns } from "../../src/campaigns/Campaigns.ts";
import { BeforeCommit, CommitRefused } from "../../src/database/BeforeCommit.ts";
import { idAt } from "../../src/wire/Ids.ts";
import { parseFields } from "../../src/wire/ParsedBody.ts";
import { TestWaypost, testStart } from "../TestWaypost.ts";
import { campaignWorld, geo, push } from "./CampaignWorld.ts";

type World = Effect.Success<ReturnType<typeof campaignWorld>>;

interface Create {
  readonly body: { readonly [field: string]: unknown };
  readonly actor?: Actor;
  /** The check of the access before the commit. */
  readonly check?: Effect.Effect<void>;
}

/** Creates campaigns of Sandbox at the same time. */
const createAll = (world: World, creates: ReadonlyArray<Create>) =>
  Effect.gen(function* () {
    const campaigns = yield* Campaigns;
    // The plan of the workspace as it is now.
    const tenant = world.tenantOf("sandbox");
    return yield* Effect.forEach(
      creates,
      ({ actor = null, body, check = Effect.void }) =>
        campaigns
          .create(tenant, parseFields(CampaignDraft, body))
          .pipe(
            Effect.provideService(CurrentActor, actor),
            Effect.provideService(BeforeCommit, check),
            Effect.exit,
          ),
      { concurrency: "unbounded" },
    );
  });

/** The problem of a create: its fields or its code; null for none. */
const problemOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return null;
  const [reason] = exit.cause.reasons;
  if (reason?._tag !== "Fail") return reason?._tag === "Die" ? reason.defect : reason;
  const { error } = reason.error as { readonly error: { readonly code: string; readonly fields?: object } };
  return error.code === "validation_failed" ? Object.keys(error.fields ?? {}) : error.code;
};

const actors: ReadonlyArray<Actor> = ["Ann", "Bob"].map((name) => ({
  type: "token",
  id: idAt(testStart),
  name,
}));

/** The names of the stored campaigns, in order. */
const stored = ({ workspaceId }: World) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient;
    return yield* sql<{ readonly name: string }>`
      SELECT name FROM campaign WHERE workspace_id = ${workspaceId} ORDER BY name`;
  });

layer(TestWaypost.shared)("Creates at the same time", (it) => {
  it.effect("each is answered as it is stored, and is in the activity of its actor (S5)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const sql = yield* SqlClient.SqlClient;
      const targets = [yield* world.location(), yield* world.location()];
      const segment = yield* world.segment("Everyone");
      const group = yield* world.group("North");
      const exits = yield* createAll(
        world,
        Array.from({ length: 12 }, (_, n) => {
          const name = `Campaign ${n + 10}`;
          const bodies = [
            geo(targets, { name }),
            push({ name, segmentation_ids: [segment], paused: true }),
            geo([targets[1] ?? ""], { name, location_group_ids: [group] }),
          ];
          return { body: bodies[n % 3] ?? {}, actor: actors[n % 2] ?? assert.fail() };
        }),
      );
      const rows = yield* stored(world);
      const entries = yield* sql<{ readonly name: string; readonly actor: string; readonly named: boolean }>`
        SELECT a.resource_name AS name, a.actor_name AS actor, a.changes ? 'name' AS named FROM activity a
        WHERE a.workspace_id = ${world.workspaceId} AND a.resource_type = 'campaign'
        ORDER BY a.resource_name`;
      assert.deepStrictEqual(
        entries,
        rows.map(({ name }, n) => ({ name, actor: actors[n % 2]?.name ?? "", named: true })),
      );
      assert.lengthOf(entries, 12);
      for (const exit of exits) {
        const created = Exit.isSuccess(exit) ? exit.value : assert.fail("A create failed.");
        const { body } = yield* world.sandbox(`/campaigns/${created.id}`);
        assert.deepStrictEqual(created, body.data);
      }
    }),
  );

  it.effect("each that cannot be stored gets its own problem, and the others are stored (B4.1, E8.1)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const location = yield* world.location();
      const foreign = yield* world.location("production");
      const exits = yield* createAll(
        world,
        [
          push({ name: "Free" }),
          push({ name: "Taken" }),
          push({ name: "Taken" }),
          geo([location, foreign], { name: "Foreign" }),
          geo([location], { name: "Local" }),
          push({ name: "" }),
          geo([location], { name: "Free too", location_group_names: ["None"] }),
        ].map((body) => ({ body })),
      );
      const [free, first, second, ...others] = exits.map(problemOf);
      assert.isNull(free);
      assert.sameDeepMembers([first, second], [["name"], null]);
      assert.deepStrictEqual(others, [["location_ids.1"], null, ["name"], ["location_group_names.0"]]);
      assert.deepStrictEqual(
        (yield* stored(world)).map(({ name }) => name),
        ["Free", "Local", "Taken"],
      );
    }),
  );

  it.effect("no more are stored than the plan allows, and those that do not count are (E9.4)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld({ plan: { max_campaigns: 3 } });
      const exits = yield* createAll(
        world,
        Array.from({ length: 10 }, (_, n) => ({
          body: push({ name: `Campaign ${n}`, paused: n % 5 === 4 }),
        })),
      );
      const problems = exits.map(problemOf);
      assert.lengthOf(
        problems.filter((problem) => problem === "limit_exceeded"),
        5,
      );
      assert.lengthOf(
        problems.filter((problem) => problem === null),
        5,
      );
      assert.isNull(problems[4]);
      assert.isNull(problems[9]);
      assert.lengthOf(yield* stored(world), 5);
    }),
  );

  it.effect("one whose access ends meanwhile is not stored, and the others are (B2.6)", () =>
    Effect.gen(function* () {
      const world = yield* campaignWorld();
      const ended = Effect.die(new CommitRefused({ reason: "revoked" }));
      const [ann, bob] = actors as [Actor, Actor];
      const exits = yield* createAll(world, [
        { body: push({ name: "First" }), actor: ann },
        { body: push({ name: "Second" }), actor: bob, check: ended },
        { body: push({ name: "Third" }), actor: ann },
      ]);
      assert.deepStrictEqual(exits.map(problemOf), [null, new CommitRefused({ reason: "revoked" }), null]);
      assert.deepStrictEqual(
        (yield* stored(world)).map(({ name }) => name),
        ["First", "Third"],
      );
    }),
  );
});
