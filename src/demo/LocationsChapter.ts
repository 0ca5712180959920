import { Effect } from "effect";
import { readFile } from "node:fs/promises";
import { bundledText } from "../database/embedded/BundledRuntime.ts";
import { DemoFailed } from "./DemoFailed.ts";
import { type DemoStage, pick } from "./DemoContext.ts";
import { at, textAt } from "./ExpectedFigures.ts";
import type { Credentials } from "./WorkspaceChapters.ts";

const fileName = "docs/examples/places.geojson";
const groupName = "Noord-Holland";
const cityName = "Amsterdam";

/** The places that the rest of the story happens at. */
export interface Places {
  readonly groupId: string;
  readonly groupName: string;
  readonly groupSize: number;
  readonly cityId: string;
}

interface Feature {
  readonly properties: { readonly name: string; readonly group: string };
}

const readPlaces = Effect.tryPromise({
  try: async () => {
    const text =
      bundledText(fileName) ?? (await readFile(new URL(`../../${fileName}`, import.meta.url), "utf8"));
    return { text, features: (JSON.parse(text) as { readonly features: ReadonlyArray<Feature> }).features };
  },
  catch: (error) => new DemoFailed({ message: `${fileName} cannot be read: ${String(error)}` }),
});

/** Real places come in by a GeoJSON import: tried out, done, and sent again without harm. */
export const locationsChapter = Effect.fnUntraced(function* (stage: DemoStage, credentials: Credentials) {
  const { ask, figures, narrator, sandbox } = stage;
  const credential = credentials.sandboxToken;
  const { features, text } = yield* readPlaces;
  yield* narrator.chapter(
    "Places",
    `Locations are made by importing GeoJSON: ${features.length} real cities and counties, each with a group. First a dry ` +
      "run, which writes nothing; then the import under an Idempotency-Key; then the same again, as after a lost answer.",
  );
  const file = { name: fileName, text };
  const send = (query: string, headers: Readonly<Record<string, string>>) =>
    ask({
      method: "POST",
      base: sandbox,
      path: `/locations/import${query}`,
      credential,
      headers,
      file,
      status: 200,
      show: (answer, answered) => ({
        ...pick(at(answer, "data"), "dry_run", "summary"),
        ...(answered.has("idempotent-replayed")
          ? { "Idempotent-Replayed": answered.get("idempotent-replayed") }
          : {}),
      }),
    });
  const allCreated = { created: features.length, updated: 0, skipped: 0, failed: 0 };
  const geojson = { "Content-Type": "application/geo+json" };
  const keyed = { ...geojson, "Idempotency-Key": "acme-places-1" };
  const tried = yield* send("?dry_run=1", geojson);
  yield* figures.is("the summary of the dry run", at(tried.body, "data", "summary"), allCreated);
  const imported = yield* send("", keyed);
  yield* figures.is("the summary of the import", at(imported.body, "data", "summary"), allCreated);
  const again = yield* send("", keyed);
  yield* figures.is("the answer to the import sent again", again.body, imported.body);
  yield* figures.is("its mark as a replay", again.headers.get("idempotent-replayed"), "true");

  const list = yield* ask({
    base: sandbox,
    path: "/locations?limit=2",
    credential,
    status: 200,
    show: (answer) => ({
      data: [0, 1].map((place) => pick(at(answer, "data", place), "name", "type", "radius_meters", "groups")),
      meta: at(answer, "meta"),
    }),
  });
  yield* figures.is("the locations on a page of two", at(list.body, "data", "length"), 2);

  const groupSize = features.filter(({ properties }) => properties.group === groupName).length;
  const groups = yield* ask({
    base: sandbox,
    path: `/location-groups?name=${encodeURIComponent(groupName)}`,
    credential,
    status: 200,
    show: (answer) => pick(at(answer, "data", 0), "id", "name", "location_count"),
  });
  const groupId = yield* textAt(groups.body, "data", 0, "id");
  yield* figures.is(`the locations of ${groupName}`, at(groups.body, "data", 0, "location_count"), groupSize);

  const cityAt = features.findIndex(({ properties }) => properties.name === cityName);
  const cityId = yield* textAt(imported.body, "data", "results", cityAt, "id");
  const city = yield* ask({
    base: sandbox,
    path: `/locations/${cityId}`,
    credential,
    status: 200,
    show: (answer) => pick(at(answer, "data"), "name", "type", "geometry", "radius_meters", "groups"),
  });
  yield* figures.is(`the groups of ${cityName}`, at(city.body, "data", "groups"), [groupName]);
  const places: Places = { groupId, groupName, groupSize, cityId };
  return places;
});
