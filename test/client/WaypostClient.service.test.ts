import { assert, describe, it as plain, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { WaypostClient, type WaypostError } from "waypost/client";
import { TestWaypost } from "../TestWaypost.ts";
import { faultyProxy } from "./FaultyProxy.ts";
import { push, tenantClient, testClient } from "./TestClient.ts";

const feature = (name: string, externalId: string) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [4.8936, 52.3731] },
  properties: { name, radius: 150, external_id: externalId, group: "Amsterdam" },
});
const collection = (count: number) => ({
  type: "FeatureCollection" as const,
  features: Array.from({ length: count }, (_, index) => feature(`Location ${index}`, `p-${index}`)),
});

const all = async <T>(list: AsyncIterable<T>): Promise<Array<T>> => {
  const items: Array<T> = [];
  for await (const item of list) items.push(item);
  return items;
};

layer(TestWaypost.layer)("WaypostClient", (it) => {
  it.effect("the client creates, updates and deletes campaigns and their notifications", () =>
    Effect.gen(function* () {
      const { client, sandbox } = yield* tenantClient;
      yield* Effect.promise(async () => {
        const made = await client.campaigns.create(push("Opening"));
        assert.strictEqual(made.status, "scheduled");
        assert.deepStrictEqual(await client.campaigns.get(made.id), made);
        const renamed = await client.campaigns.update(made.id, push("Opening week"));
        assert.strictEqual(renamed.name, "Opening week");
        assert.strictEqual((await client.campaigns.pause(made.id)).status, "paused");
        assert.strictEqual((await client.campaigns.publish(made.id)).status, "scheduled");

        const draft = {
          name: "Hello",
          type: "message",
          headline: "Welcome",
          body: "Coffee is on us.",
          trigger_type: "fixed_time",
          trigger_config: { send_at: "09:30" },
        } as const;
        const notification = await client.notifications.create(made.id, draft);
        assert.strictEqual(notification.trigger_config?.send_at, "2026-12-01 09:30");
        assert.deepStrictEqual(await client.notifications.get(made.id, notification.id), notification);
        const changed = await client.notifications.update(made.id, notification.id, {
          ...draft,
          headline: "Hi",
        });
        assert.strictEqual(changed.headline, "Hi");
        const listed = [];
        for await (const each of client.notifications.list(made.id)) listed.push(each.id);
        assert.deepStrictEqual(listed, [notification.id]);
        assert.deepStrictEqual(await client.notifications.delete(made.id, notification.id), {
          id: notification.id,
          deleted: true,
        });
        assert.deepStrictEqual(await client.campaigns.delete(made.id), { id: made.id, deleted: true });
      });
      assert.deepStrictEqual((yield* sandbox("/campaigns")).body.data, []);
    }),
  );

  it.effect("an import takes an object, a path, a file URL or a Blob, and a dry run writes nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* tenantClient;
      const path = join(mkdtempSync(join(tmpdir(), "waypost-client-")), "locations.json");
      writeFileSync(path, JSON.stringify(collection(2)));
      yield* Effect.promise(async () => {
        const dry = await client.locations.import(path, { dryRun: true });
        assert.deepStrictEqual([dry.dry_run, dry.summary.created], [true, 2]);
        assert.strictEqual((await client.locations.import(path)).summary.created, 2);
        assert.strictEqual((await client.locations.import(pathToFileURL(path))).summary.updated, 2);
        const blob = new Blob([JSON.stringify(collection(3))]);
        assert.deepStrictEqual((await client.locations.import(blob)).summary, {
          created: 1,
          updated: 2,
          skipped: 0,
          failed: 0,
        });
        const object = await client.locations.import({
          type: "FeatureCollection",
          features: [feature("P", "p-0"), {}],
        });
        assert.strictEqual(object.results[1]?.status, "failed");
        assert.isNotEmpty(object.results[1]?.reasons);

        const [first] = await all(client.locations.list({ updated_since: new Date(0) }));
        assert.deepStrictEqual(first?.geometry, { type: "Point", coordinates: [4.8936, 52.3731] });
        const id = first?.id ?? "";
        assert.strictEqual((await client.locations.update(id, { address: "Dam 1" })).address, "Dam 1");
        assert.strictEqual((await client.locations.get(id)).address, "Dam 1");
        const [group] = await all(client.locationGroups.list({ name: "Amsterdam" }));
        assert.strictEqual((await client.locationGroups.get(group?.id ?? "")).location_count, 3);
        assert.strictEqual((await client.locations.delete(id)).deleted, true);
      });
    }),
  );

  it.effect("an upload takes a path or a Blob, and happens once however often the response is lost", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { tokens } = yield* waypost.tenant();
      const proxy = yield* faultyProxy(waypost.origin, ["lose", "cut"]);
      const { client, settle } = yield* testClient({ url: proxy.url, token: tokens.sandbox });
      const path = join(mkdtempSync(join(tmpdir(), "waypost-client-")), "Überraschung.png");
      writeFileSync(path, "image of a cup");
      const cup = yield* settle(() => client.media.upload(path, { name: "A cup" }));
      assert.deepStrictEqual([cup.name, cup.type, cup.size_bytes], ["A cup", "image", 14]);
      assert.strictEqual(proxy.seen.length, 3);
      const named = yield* settle(() => client.media.upload(path));
      assert.strictEqual(named.name, "Überraschung.png");
      const film = yield* settle(() => client.media.upload(new File(["video of a cup"], "cup.mp4")));
      assert.strictEqual(film.name, "cup.mp4");
      // Only a single file names the notifications that show it.
      assert.deepStrictEqual(yield* settle(() => client.media.get(film.id)), { ...film, notifications: [] });
      const images = yield* settle(() => all(client.media.list({ type: "image" })));
      assert.deepStrictEqual(
        images.map(({ id }) => id),
        [named.id, cup.id],
      );
      assert.strictEqual((yield* settle(() => client.media.delete(film.id))).deleted, true);
    }),
  );

  it.effect("a list returns each location exactly once while others are imported (contract D1)", () =>
    Effect.gen(function* () {
      const { client } = yield* tenantClient;
      yield* Effect.promise(async () => {
        await client.locations.import(collection(7));
        const seen: Array<string> = [];
        let late = 0;
        for await (const { name } of client.locations.list({ limit: 2 })) {
          seen.push(name);
          late++;
          await client.locations.import({
            type: "FeatureCollection",
            features: [feature(`Late ${late}`, `late-${late}`)],
          });
        }
        assert.deepStrictEqual(
          seen.toSorted(),
          collection(7).features.map((each) => each.properties.name),
        );
      });
    }),
  );

  it.effect("a list continues at a cursor, and fetches only the pages that are read", () =>
    Effect.gen(function* () {
      const waypost = yield* TestWaypost;
      const { tokens } = yield* waypost.tenant();
      const proxy = yield* faultyProxy(waypost.origin);
      const client = new WaypostClient({ url: proxy.url, token: tokens.sandbox });
      yield* Effect.promise(async () => {
        for (const name of ["A", "B", "C"]) await client.campaigns.create(push(name));
        const list = client.campaigns.list({ limit: 2 });
        const { value: first } = await list.pages().next();
        assert.deepStrictEqual(
          first?.items.map(({ name }) => name),
          ["C", "B"],
        );
        const rest = await all(client.campaigns.list({ cursor: first?.nextCursor ?? "" }));
        assert.deepStrictEqual(
          rest.map(({ name }) => name),
          ["A"],
        );
        for await (const { name } of list) if (name === "C") break;
      });
      const asked = proxy.seen
        .filter(({ method }) => method === "GET")
        .map(({ url }) => new URL(url, proxy.url).searchParams);
      assert.deepStrictEqual(
        asked.map((query) => [query.get("limit"), query.has("cursor")]),
        [
          ["2", false],
          ["100", true],
          ["2", false],
        ],
      );
    }),
  );

  it.effect("reports come with their range of days, and as CSV (M5.9)", () =>
    Effect.gen(function* () {
      const { client } = yield* tenantClient;
      yield* Effect.promise(async () => {
        await client.campaigns.create(push("Reported"));
        const range = { start: "2026-11-20", end: "2026-11-21" };
        const summary = await client.reports.summary(range);
        assert.strictEqual(summary.data.daily.length, 2);
        assert.deepStrictEqual(summary.meta, { ...range, timezone: "UTC" });
        const rows = await client.reports.campaigns({ status: "scheduled" });
        assert.deepStrictEqual(
          rows.data.map(({ name }) => name),
          ["Reported"],
        );
        assert.deepStrictEqual((await client.reports.locations()).data, []);
        assert.deepStrictEqual((await client.reports.notifications()).data, []);
        assert.deepStrictEqual((await client.reports.surveys()).data, []);
        assert.deepStrictEqual((await client.reports.interactions()).data, []);
        const csv = await client.reports.summary.csv(range);
        assert.isTrue(csv.startsWith("date,delivered,devices_reached,geofence_entries,geofence_exits\r\n"));
        const ids = [randomUUID(), randomUUID()] as const;
        const surveys = client.surveyResults;
        const calls = [surveys.results, surveys.results.csv, surveys.answers.csv];
        for (const call of [...calls, (...of: typeof ids) => all(surveys.answers(...of))]) {
          const error = await call(...ids).catch((refused: unknown) => refused);
          assert.strictEqual((error as WaypostError).code, "not_found");
        }
      });
    }),
  );

  it.effect("a change with ifMatch applies to that version only (client.versions)", () =>
    Effect.gen(function* () {
      const { client } = yield* tenantClient;
      yield* Effect.promise(async () => {
        const made = await client.campaigns.create(push("First"));
        const { data, version } = await client.campaigns.get.withVersion(made.id);
        assert.deepStrictEqual(data, made);
        const changed = await client.campaigns.update(made.id, push("Second"), { ifMatch: version });
        assert.strictEqual(changed.name, "Second");
        const error = await client.campaigns
          .delete(made.id, { ifMatch: version })
          .catch((refused: unknown) => refused);
        assert.strictEqual((error as WaypostError).code, "version_conflict");
        assert.strictEqual((error as WaypostError).status, 412);
        assert.strictEqual((await client.campaigns.get(made.id)).name, "Second");
      });
    }),
  );

  it.effect("the token selects the environment, or a base address does", () =>
    Effect.gen(function* () {
      const { origin, tokens } = yield* tenantClient;
      for (const environment of ["sandbox", "production"] as const) {
        const token = tokens[environment];
        const base = `${origin}${environment === "sandbox" ? "/sandbox" : ""}/platform/v1/`;
        for (const url of [origin, `${origin}/`, base, new URL(base)]) {
          const me = yield* Effect.promise(() => new WaypostClient({ url, token }).me());
          assert.strictEqual(me.environment, environment);
        }
      }
    }),
  );
});

describe("WaypostClient without a server", () => {
  const token = "wps_token";

  plain("invalid settings are refused with a TypeError", () => {
    for (const [settings, sentence] of [
      [{ url: "push.example.com", token }, /is not an address/],
      [{ url: "ftp://push.example.com", token }, /must start with https/],
      [{ url: "https://push.example.com", token: "" }, /needs a platform API token/],
      [
        { url: "https://push.example.com", token: undefined as unknown as string },
        /needs a platform API token/,
      ],
      [{ url: "https://push.example.com", token: "wp\ns_" }, /needs a platform API token/],
      [{ url: "https://push.example.com", token: "sdk_key" }, /neither with wps_/],
    ] as const)
      assert.throws(() => new WaypostClient(settings), sentence);
  });

  plain("an id that would change the path is refused", async () => {
    const client = new WaypostClient({
      url: "http://localhost",
      token,
      fetch: () => assert.fail("A request was sent."),
    });
    for (const id of ["", " ", ".", "..", undefined as unknown as string])
      await client.campaigns.delete(id).then(
        () => assert.fail("The call should be refused."),
        (error: unknown) =>
          assert.match(String(error), /TypeError: The id of the campaign is missing or invalid/),
      );
  });
});
