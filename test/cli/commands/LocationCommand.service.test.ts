import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { box, collection, pointFeature, polygonFeature } from "../../locations/Features.ts";
import { TestWaypost, testOperatorKey } from "../../TestWaypost.ts";
import { commandLine, runCli } from "../CommandLine.ts";

const importWorld = Effect.gen(function* () {
  const cli = yield* commandLine;
  const tenant = yield* cli.tenant();
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "waypost-locations-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  );
  const file = (name: string, content: unknown) =>
    Effect.promise(async () => {
      const path = join(folder, name);
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    });
  const read = (path: string) => Effect.promise(() => readFile(path, "utf8"));
  const isThere = (path: string) =>
    Effect.promise(() =>
      access(path).then(
        () => true,
        () => false,
      ),
    );
  const names = Effect.map(tenant.sandbox("/locations?limit=100"), ({ body }) =>
    body.data.map((each: { readonly name: string }) => each.name),
  );
  return { ...cli, ...tenant, file, read, isThere, names, into: `-w ${tenant.workspace.id} -e sandbox` };
});

layer(TestWaypost.shared)("waypost location import", (it) => {
  it.effect("hostile names reach the terminal with visible control and bidi characters (cli.terminal)", () =>
    Effect.gen(function* () {
      const { file, json, operator, run } = yield* importWorld;
      const name = "Evil\u001B]0;owned\u0007\r\nCreated 5\u009B31m\u202Egpj";
      const shown = "Evil\\u001b]0;owned\\u0007\\u000d\\u000aCreated 5\\u009b31m\\u202egpj";
      const { body, status } = yield* operator("/workspaces", { body: { name } });
      assert.strictEqual(status, 201);
      const { id } = body.data;
      const path = yield* file("one.geojson", collection(pointFeature({ name })));
      const outputs = [
        yield* run(`location import ${path} -w ${id} -e sandbox`),
        yield* run(`location import ${path} -w ${id} -e sandbox --dry-run`),
        yield* run(`workspace show ${id}`),
        yield* run("workspace list --limit 1"),
        yield* run("workspace list --limit 1", 60),
        yield* run(`workspace update ${id} --name Evil\u001B[2J\u202E --timezone A\u001Bb`),
      ];
      for (const { stderr, stdout } of outputs) {
        assert.notMatch(stdout + stderr, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
      }
      assert.include(outputs[0]?.stdout, `into sandbox of ${shown} in `);
      assert.include(outputs[2]?.stdout, shown);
      const listed = yield* run("workspace list --limit 1 --json");
      assert.notMatch(listed.stdout, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
      assert.strictEqual((yield* json(`workspace show ${id}`)).name, name);
    }),
  );

  it.effect(
    "refused features go to a file that can be imported again (cli.import, operator.import_command)",
    () =>
      Effect.gen(function* () {
        const { file, into, isThere, names, read, run } = yield* importWorld;
        const path = yield* file(
          "a.geojson",
          collection(pointFeature({ name: "Dam" }), pointFeature({ name: "Spui", radius: 1 }), 5),
        );
        const { code, stderr, stdout } = yield* run(`location import ${path} ${into}`);
        assert.strictEqual(code, 1);
        assert.match(stdout, /created +1\nupdated +0\nskipped +0\nfailed +2\n/);
        assert.include(stderr, `2 features were refused. They are in ${path}.refused.geojson`);
        const refused = yield* read(`${path}.refused.geojson`);
        const [spui, five] = JSON.parse(refused).features;
        assert.match(spui.refused[0], /radius must be between 50 and 1000/);
        assert.deepInclude(five, { sent: 5, geometry: null });
        assert.isFalse(yield* isThere(`${path}.waypost-import.json`));

        const corrected = yield* file(
          "b.geojson",
          collection({ ...spui, properties: { ...spui.properties, radius: 60 } }),
        );
        const again = yield* run(`location import ${corrected} ${into} --json`);
        assert.strictEqual(again.code, 0);
        assert.deepInclude(JSON.parse(again.stdout), {
          format: "geojson",
          features: 1,
          created: 1,
          refused_file: null,
        });
        assert.sameMembers(yield* names, ["Dam", "Spui"]);
      }),
  );

  it.effect(
    "--split makes a location of each polygon, and --id-from takes the ids of features (G7.3, G7.4)",
    () =>
      Effect.gen(function* () {
        const { file, into, names, run, sandbox } = yield* importWorld;
        const coordinates = [box(0, 0, 1, 1), box(2, 2, 3, 3)].map((ring) => [ring]);
        const islands = {
          ...pointFeature({ name: "Isles" }),
          id: 12,
          geometry: { type: "MultiPolygon", coordinates },
        };
        const path = yield* file("a.geojson", collection(islands, { ...pointFeature(), id: "dam" }));
        const refused = yield* run(`location import ${path} ${into} --dry-run`);
        assert.match(refused.stderr, /^1 feature was refused\. It is in /m);
        for (const summary of ["created", "updated"]) {
          const { code, stdout } = yield* run(`location import ${path} ${into} --split --id-from id --json`);
          assert.deepStrictEqual([code, JSON.parse(stdout).features, JSON.parse(stdout)[summary]], [0, 3, 3]);
        }
        assert.sameMembers(yield* names, ["Isles (1 of 2)", "Isles (2 of 2)", "Dam"]);
        const { body } = yield* sandbox("/locations");
        assert.sameMembers(
          body.data.map((each: { readonly external_id: string }) => each.external_id),
          ["12#1", "12#2", "dam"],
        );
        const csv = yield* file("a.csv", "name,lat,lng,radius\nA,1,2,100\n");
        assert.strictEqual((yield* run(`location import ${csv} ${into} --split`)).code, 2);
      }),
  );

  it.effect(
    "an import takes CSV and feature lines; a dry run writes nothing (cli.import, operator.import_command)",
    () =>
      Effect.gen(function* () {
        const { file, into, isThere, json, names, read, run, sandbox } = yield* importWorld;
        const rows = [
          "Name;Latitude;Longitude;Radius;Group;City",
          '"Dam; Square";52.373;4.893;150;Centre;Amsterdam',
          "Far;91;4.9;150;;Nowhere",
          "Comma;52,1,37;4.9;150;;Delft",
        ];
        const csv = yield* file("c.csv", `\uFEFF${rows.join("\r\n")}\r\n`);
        const dry = yield* run(`location import ${csv} ${into} --dry-run`);
        assert.strictEqual(dry.code, 1);
        assert.include(dry.stdout, "Nothing was written");
        assert.lengthOf(yield* names, 0);
        assert.strictEqual((yield* run(`location import ${csv} ${into}`)).code, 1);
        const lines = (yield* read(`${csv}.refused.csv`)).split("\n");
        assert.strictEqual(lines[0], `${rows[0]};refused`);
        assert.match(lines[1] ?? "", /^Far;91;4.9;150;;Nowhere;.*latitude/);
        assert.match(lines[2] ?? "", /^Comma;52,1,37;4.9;150;;Delft;.*number/);
        assert.deepStrictEqual((yield* sandbox("/location-groups")).body.data[0].name, "Centre");

        const feature = JSON.stringify(pointFeature({ name: "Line" }));
        const result = yield* json(
          `location import ${yield* file("d.txt", `${feature}\n${feature}\n`)} ${into}`,
        );
        assert.deepInclude(result, { format: "ndjson", features: 2, created: 2, failed: 0 });
        assert.sameMembers(yield* names, ["Dam; Square", "Line", "Line"]);
        assert.isFalse(yield* isThere(`${csv}.waypost-import.json`));

        // The format is detected from the content if the extension does not name it.
        const plain = yield* json(
          `location import ${yield* file("e.txt", "name,lat,lng,radius\nT,1,2,150\n")} ${into}`,
        );
        assert.deepInclude(plain, { format: "csv", created: 1 });
        const workbook = yield* run(`location import ${yield* file("e.xlsx", "PK\u0003\u0004…")} ${into}`);
        assert.match(workbook.stderr, /save its table as CSV/);
      }),
  );

  it.effect(
    "an import refuses a broken file as a whole and says where it is broken (operator.import_command)",
    () =>
      Effect.gen(function* () {
        const { file, into, names, run } = yield* importWorld;
        const whole = JSON.stringify(collection(pointFeature(), pointFeature()));
        const broken = yield* file("e.geojson", whole.slice(0, -20));
        const answer = yield* run(`location import ${broken} ${into}`);
        assert.deepStrictEqual([answer.code, answer.stdout], [1, ""]);
        assert.match(answer.stderr, /truncated after 1 features/);
        const none = yield* run(`location import ${broken}.none ${into}`);
        assert.match(none.stderr, /There is no file/);
        const nowhere = yield* run(`location import ${broken} -w Nowhere -e sandbox`);
        assert.match(nowhere.stderr, /There is no workspace called "Nowhere"/);
        assert.strictEqual((yield* run(`location import ${broken} ${into} --format xml`)).code, 2);
        assert.lengthOf(yield* names, 0);
      }),
  );

  it.effect("an import draws its progress on a terminal only (cli.import)", () =>
    Effect.gen(function* () {
      const { file, origin, workspace } = yield* importWorld;
      const path = yield* file("f.geojson", collection(pointFeature()));
      const environment = { WAYPOST_URL: origin, WAYPOST_OPERATOR_KEY: testOperatorKey };
      const parameters = ["location", "import", path, "-w", workspace.id, "-e", "sandbox"];
      let drawn = "";
      const terminal = { columns: 60, write: (text: string) => void (drawn += text) };
      const shown = yield* runCli(parameters, environment, null, terminal);
      assert.deepStrictEqual([shown.code, shown.stderr], [0, ""]);
      assert.include(drawn, "\r[########################] 100%  1 of 1 locations\u001B[K");
      assert.isTrue(drawn.endsWith("\r\u001B[K"));
      for (const line of drawn.split("\r")) assert.isAtMost(line.length, 60 + 3);
      const silent = yield* runCli(parameters, environment);
      assert.deepStrictEqual([silent.code, silent.stderr], [0, ""]);
    }),
  );
});

layer(TestWaypost.shared)("waypost location change", (it) => {
  it.effect("location change moves, resizes, groups and renames, each for itself (cli.location_change)", () =>
    Effect.gen(function* () {
      const { into, json, origin, run, sandbox } = yield* importWorld;
      const body = collection(
        pointFeature({ name: "Dam", group: "Old", external_id: "d" }),
        polygonFeature(box(0, 0, 2, 1)),
      );
      const { results } = (yield* sandbox("/locations/import", { body })).body.data;
      const [dam, area]: ReadonlyArray<string> = results.map(({ id }: { readonly id: string }) => id);
      const change = (flags: string, id = dam) => json(`location change ${id} ${into} ${flags}`);
      const read = Effect.map(sandbox(`/locations/${dam}`), (answer) => answer.body.data);
      const before = yield* read;
      assert.deepStrictEqual(yield* change(""), before);
      assert.deepInclude(yield* change("--radius 200"), { geometry: before.geometry, radius_meters: 200 });
      assert.deepInclude(yield* change("--group A --group B --name Square"), {
        name: "Square",
        groups: ["A", "B"],
      });
      assert.deepInclude(yield* change("--no-groups"), { groups: [], radius_meters: 200, external_id: "d" });
      const point = { type: "Point", coordinates: [5, 52] };
      const environment = { WAYPOST_URL: origin, WAYPOST_OPERATOR_KEY: testOperatorKey };
      const parameters = `location change ${dam} ${into} --radius 60 --json --geometry`.split(" ");
      const { stdout } = yield* runCli([...parameters, JSON.stringify(point)], environment);
      const moved = JSON.parse(stdout);
      assert.deepInclude(moved, { geometry: point, radius_meters: 60 });
      assert.deepStrictEqual(yield* read, moved);
      const refused = yield* run(`location change ${area} ${into} --radius 100 --name Lost`);
      assert.deepStrictEqual([refused.code, refused.stdout], [2, ""]);
      assert.include(refused.stderr, "--radius is for circles");
      const bad = yield* run(`location change ${dam} ${into} --radius 10 --name Lost`);
      assert.strictEqual(bad.code, 1);
      assert.include(bad.stderr, "The radius must be between 50 and 1000 metres");
      assert.deepStrictEqual(yield* read, moved);
    }),
  );
});
