import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { SqlClient } from "effect/sql";
import { randomUUID } from "node:crypto";
import { migrate, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { givenWorkspace } from "../given/GivenWorkspace.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { ownMigrations } from "./NextVersion.ts";

layer(TestWaypost.layer)("The upgrade of test devices", (it) => {
  it.effect(
    "in Production only devices that the activity says were approved stay so; Sandbox stays as it is (T6.3)",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient;
        const world = yield* givenWorkspace();
        const other = yield* givenWorkspace();
        const sides = { sandbox: world.sandbox, production: world.production, other: other.production };
        const device = (side: keyof typeof sides, ...decisions: ReadonlyArray<boolean>) =>
          Effect.gen(function* () {
            const { id } = yield* sides[side].device(randomUUID());
            for (const approved of decisions)
              yield* sides[side].platform(`/devices/${id}`, { method: "PATCH", body: { approved } });
            return { id, side };
          });
        // As a process without this migration registers it, decided on as given.
        const givenIn = (environment: string, id: string) =>
          sql`UPDATE device SET approved = true WHERE id = ${id} AND environment = ${environment}`;
        const never = yield* device("production");
        const elsewhere = yield* device("other");
        const withdrawn = yield* device("production", true, false);
        const approved = yield* device("production", true);
        const again = yield* device("production", true, false, true);
        const [inSandbox, notInSandbox] = [yield* device("sandbox", true), yield* device("sandbox")];
        for (const { id } of [never, elsewhere]) yield* givenIn("production", id);
        // No entry but one of an approval counts.
        yield* sql`
          INSERT INTO activity (workspace_id, environment, id, at, actor_type, actor_name, action,
            resource_type, resource_id, changes)
          SELECT workspace_id, environment, gen_random_uuid(), registered_at, 'operator', 'operator',
            'update', 'device', id::text, '{"approved": {"old": true, "new": false}}'
          FROM device WHERE id = ${never.id}`;
        yield* sql`ALTER TABLE device DROP COLUMN approval_decided`;
        yield* sql`CREATE TABLE later_migration AS SELECT * FROM schema_migration WHERE name >= '0022'`;
        yield* sql`DELETE FROM schema_migration WHERE name >= '0021'`;
        const upTo = ownMigrations.filter(({ name }) => name < "0022");
        yield* Effect.provide(migrate, MigrationFiles.layerFiles(upTo));
        yield* sql`INSERT INTO schema_migration SELECT * FROM later_migration`;

        // Processes of the previous version go on.
        const later = yield* device("production");
        yield* givenIn("production", later.id);
        const laterInSandbox = yield* device("sandbox");
        yield* givenIn("sandbox", laterInSandbox.id);
        const shown = ({ id, side }: { readonly id: string; readonly side: keyof typeof sides }) =>
          Effect.map(sides[side].platform(`/devices/${id}`), ({ body }) => body.data.approved as boolean);
        const expected = [
          [never, false],
          [elsewhere, false],
          [withdrawn, false],
          [approved, true],
          [again, true],
          [inSandbox, true],
          [notInSandbox, false],
          [later, false],
          [laterInSandbox, true],
        ] as const;
        for (const [index, [each, isApproved]] of expected.entries())
          assert.strictEqual(yield* shown(each), isApproved, `${index}`);
        const listed = (yield* world.production.platform("/devices?approved=true")).body.data;
        assert.deepStrictEqual(
          listed.map(({ id }: any) => id),
          [again.id, approved.id],
        );
        yield* world.production.platform(`/devices/${later.id}`, {
          method: "PATCH",
          body: { approved: true },
        });
        assert.isTrue(yield* shown(later));
        const entries = (yield* world.production.platform(`/activity?resource=${later.id}`)).body.data;
        assert.deepInclude(entries[0].changes, { approved: { old: false, new: true } });
      }).pipe(Effect.orDie),
  );
});
