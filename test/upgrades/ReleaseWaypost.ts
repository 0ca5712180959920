import { Clock, Context, Effect, Layer, Redacted } from "effect";
import { Fingerprint } from "../../src/access/Fingerprint.ts";
import { Settings } from "../../src/config/Settings.ts";
import { Database } from "../../src/database/Database.ts";
import { DataDirectory } from "../../src/database/DataDirectory.ts";
import { EmbeddedPostgres } from "../../src/database/embedded/EmbeddedPostgres.ts";
import { migrate, type MigrationFile, MigrationFiles } from "../../src/database/migrations/Migrations.ts";
import { postgresLayer } from "../../src/database/Postgres.ts";
import { dataDirectoryMediaStore } from "../../src/media/store/DiskMediaStore.ts";
import { SendBatches } from "../../src/sending/sends/SendBatches.ts";
import { SendStarts } from "../../src/sending/sends/SendStarts.ts";
import { serviceLayer } from "../../src/Waypost.ts";
import { fakeThumbnails } from "../media/FakeThumbnails.ts";
import { fakeMediaWorkers } from "../media/worker/FakeMediaWorkers.ts";
import { testOperatorKey, TestWaypost } from "../TestWaypost.ts";
import { ownMigrations } from "./NextVersion.ts";

/** The keys of every fixture. */
export const keys = { operator: testOperatorKey, secret: "secret-key-of-the-tests-0123456789" };

const realClock = Layer.succeed(Clock.Clock, Context.get(Context.empty(), Clock.Clock));

/** The embedded database of a data directory, with these migrations applied. */
export const databaseIn = (directory: string, migrations: ReadonlyArray<MigrationFile>) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.make({ directory, isDurable: false }), ({ database, socketPath, username }) =>
      Layer.effectDiscard(migrate).pipe(
        Layer.provideMerge(Database.layerClient),
        Layer.provideMerge(
          postgresLayer(
            { _tag: "socket", path: socketPath, username, database },
            { connectTimeout: "Infinity" },
          ),
        ),
      ),
    ),
  ).pipe(Layer.provide(MigrationFiles.layerFiles(migrations)), Layer.provide(realClock), Layer.orDie);

/** A Waypost on a new or existing data directory, under the test clock. The test runs its jobs. */
export const waypostIn = (directory: string, migrations = ownMigrations) =>
  Layer.mergeAll(SendStarts.layer, SendBatches.layer).pipe(
    Layer.provideMerge(Layer.effect(TestWaypost, TestWaypost.make)),
    Layer.provideMerge(serviceLayer),
    Layer.provideMerge(Fingerprint.layer),
    Layer.provideMerge(databaseIn(directory, migrations)),
    Layer.provide(
      Settings.layerTest({
        port: 0,
        allowPrivateAddresses: true,
        roles: new Set(["api"]),
        dataDir: directory,
      }),
    ),
    Layer.provide([fakeMediaWorkers, fakeThumbnails]),
    Layer.provideMerge(dataDirectoryMediaStore),
    Layer.provide(
      Layer.succeed(DataDirectory, {
        path: directory,
        operatorKey: Redacted.make(keys.operator),
        secretKey: Redacted.make(keys.secret),
      }),
    ),
  );
