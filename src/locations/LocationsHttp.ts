import { Effect, type Schema } from "effect";
import { HttpServerResponse } from "effect/http";
import { Caller, callerData } from "../access/Caller.ts";
import { Cursors } from "../http/Cursors.ts";
import { compressedUnlessKnown } from "../http/CompressedText.ts";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import type { RequestInput } from "../wire/RequestBody.ts";
import { exactText, searchPattern } from "../wire/SearchText.ts";
import { ImportReader } from "./import/ImportReader.ts";
import { LocationImports } from "./LocationImports.ts";
import { readLocationSearch } from "./LocationSearch.ts";
import { isDryRun } from "./LocationsApi.ts";
import { SentLocation, SentLocationPatch } from "./LocationResource.ts";
import { type Change, Locations } from "./Locations.ts";

/** Handlers of `LocationsApi`. */
export const locationsHandlers = handlerGroup(
  PlatformApi,
  "locations",
  Effect.fnUntraced(function* (handlers) {
    const locations = yield* Locations;
    const imports = yield* LocationImports;
    const reader = yield* ImportReader;
    const cursors = yield* Cursors;
    const changed =
      <Fields extends typeof SentLocation.fields>(
        schema: Schema.Struct<Fields>,
        change: Change<Schema.Struct<Fields>["Type"] & object>,
      ) =>
      ({ params, ...input }: RequestInput & { readonly params: { readonly location: string } }) =>
        callerData(
          Effect.fnUntraced(function* (caller) {
            // A missing location is reported before any problem of the body (contract B1).
            yield* locations.find(caller, params.location);
            const body = yield* readParsedBody(schema, input);
            const { geometry } = body.fields as Partial<SentLocation>;
            const read = yield* reader.readGeometry(caller, geometry);
            return yield* change(caller, params.location, body, read);
          }),
        );

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* Caller;
          const { near, ...search } = yield* readLocationSearch(query);
          const scope = {
            endpoint: "GET /locations",
            owner: caller,
            filters: { ...search, near: near === null ? null : Object.values(near).join() },
            isLarge: true,
          } as const;
          const page = cursors.page(scope, query, (position) =>
            locations.page(caller, { ...search, near }, position),
          );
          // Sent as PostgreSQL built it: a schema would encode every position of a hundred polygons.
          return HttpServerResponse.jsonUnsafe(yield* page);
        }),
      )
      .handle("points", ({ query }) =>
        Effect.gen(function* () {
          const filters = { group: exactText(query.group), search: searchPattern(query.q) };
          const { text, version } = yield* locations.points(yield* Caller, filters);
          return yield* compressedUnlessKnown(text, version);
        }),
      )
      .handleRaw("import", ({ query, request }) =>
        Effect.gen(function* () {
          const caller = yield* Caller;
          const { features, release } = yield* reader.read(caller, request);
          const data = yield* Effect.ensuring(imports.run(caller, features, isDryRun(query)), release);
          // A schema would take 50 ms for 10,000 results.
          return HttpServerResponse.jsonUnsafe({ data });
        }),
      )
      .handle("get", ({ params }) => callerData((caller) => locations.find(caller, params.location)))
      .handleRaw("update", changed(SentLocationPatch, locations.update))
      .handleRaw("setShape", changed(SentLocation, locations.setShape))
      .handleRaw("setGroups", changed(SentLocation, locations.setGroups))
      .handle("delete", ({ params }) => callerData((caller) => locations.delete(caller, params.location)));
  }),
);
