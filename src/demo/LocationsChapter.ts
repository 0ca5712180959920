import { Effect } from "effect";
import { readFile } from "node:fs/promises";
import { bundledText } from "../database/embedded/BundledRuntime.ts";
import { pick } from "./DemoClient.ts";
import type { DemoContext } from "./DemoContext.ts";
import { failed } from "./DemoFailed.ts";
import { at } from "./ExpectedFigures.ts";
import type { DemoWorkspace } from "./WorkspaceChapters.ts";

const fileName = "docs/examples/locations.geojson";
const groupName = "Noord-Holland";
const cityName = "Amsterdam";

interface Feature {
  readonly properties: { readonly name: string; readonly group: string };
}

const readExample = Effect.tryPromise({
  try: async () => {
    const text =
      bundledText(fileName) ?? (await readFile(new URL(`../../${fileName}`, import.meta.url), "utf8"));
    return { text, features: (JSON.parse(text) as { readonly features: ReadonlyArray<Feature> }).features };
  },
  catch: (error) => failed(`${fileName} cannot be read: ${String(error)}`),
});

/** Imports real locations: as a dry run, then for good, then once more under the same Idempotency-Key. */
export const locationsChapter = Effect.fnUntraced(function* (
  { figures, narrator, send }: DemoContext,
  { sandbox }: DemoWorkspace,
) {
  const { features, text } = yield* readExample;
  yield* narrator.chapter(
    "Locations",
    `Locations are imported as GeoJSON: here ${features.length} real cities and counties, each in a group. ` +
      "First comes a dry run, which writes nothing. Then comes the import, with an Idempotency-Key. " +
      "Finally the same request is sent again, as if the response had been lost.",
  );
  const file = { name: fileName, text };
  const importFile = (query: string, headers: Readonly<Record<string, string>>) =>
    send(sandbox, `POST /locations/import${query}`, {
      headers: { "Content-Type": "application/geo+json", ...headers },
      file,
      show: (response) => {
        const replayed = response.headers.get("idempotent-replayed");
        return {
          ...pick(response.data(), ["dry_run", "summary"]),
          ...(replayed === null ? {} : { "Idempotent-Replayed": replayed }),
        };
      },
    });
  const allCreated = { created: features.length, updated: 0, skipped: 0, failed: 0 };
  const key = { "Idempotency-Key": "acme-locations-1" };
  const dryRun = yield* importFile("?dry_run=1", {});
  yield* figures.check("the summary of the dry run", dryRun.data("summary"), allCreated);
  const imported = yield* importFile("", key);
  yield* figures.check("the summary of the import", imported.data("summary"), allCreated);
  const repeated = yield* importFile("", key);
  yield* figures.check("the response to the repeated import", repeated.body, imported.body);
  yield* figures.check(
    "the header of the repeated import",
    repeated.headers.get("idempotent-replayed"),
    "true",
  );

  const list = yield* send(sandbox, "GET /locations?limit=2", {
    show: (response) => ({
      data: [0, 1].map((index) => pick(response.data(index), ["name", "type", "radius_meters", "groups"])),
      meta: at(response.body, "meta"),
    }),
  });
  yield* figures.check("the locations on a page of two", list.data("length"), 2);

  const groupSize = features.filter(({ properties }) => properties.group === groupName).length;
  const groups = yield* send(sandbox, `GET /location-groups?name=${encodeURIComponent(groupName)}`, {
    show: (response) => pick(response.data(0), ["id", "name", "location_count"]),
  });
  yield* figures.check(`the locations of ${groupName}`, groups.data(0, "location_count"), groupSize);

  const cityIndex = features.findIndex(({ properties }) => properties.name === cityName);
  const cityId = yield* imported.text("results", cityIndex, "id");
  const city = yield* send(sandbox, `GET /locations/${cityId}`, {
    show: ["name", "type", "geometry", "radius_meters", "groups"],
  });
  yield* figures.check(`the groups of ${cityName}`, city.data("groups"), [groupName]);
  return { groupId: yield* groups.text(0, "id"), groupName, groupSize, cityId };
});

/** The locations that the later chapters use. */
export type DemoLocations = Effect.Success<ReturnType<typeof locationsChapter>>;
