import { slices } from "./scripts/check/slices.ts";

/**
 * The import rules of ARCHITECTURE.md, as errors: the order of slices, the roles of files, and the owners of
 * libraries. A new library gets a row in `owners`, a new slice a line in scripts/check/slices.ts.
 */

/** The browser's program of the console. It has rules of its own. */
const app = "^console/";
/** The libraries that it is built from. They are development dependencies: the build bundles them. */
const appLibraries =
  "preact|@preact/signals|maplibre-gl|topojson-client|terra-draw|terra-draw-maplibre-gl-adapter|pmtiles|" +
  "hucre";

/** The libraries of src/, by the name of the module, and the only files that may import them. */
const owners = [
  { name: "sharp", library: "sharp", files: "^src/media/formats/Images[.]ts$" },
  {
    name: "undici",
    library: "undici",
    files: "^src/(outgoing/PublicOrigins|media/store/S3Requests)[.]ts$",
  },
  { name: "s3-signature", library: "aws4fetch", files: "^src/media/store/S3Requests[.]ts$" },
  { name: "liquid", library: "liquidjs", files: "^src/notifications/templates/Template(|Expressions)[.]ts$" },
  {
    name: "csv",
    library: "csv-parse",
    files: "^src/wire/CsvRows[.]ts$",
  },
  { name: "tar", library: "modern-tar", files: "^src/backup/TarFile[.]ts$" },
  {
    name: "geometry",
    library:
      "@turf/[^/]+|robust-predicates|rbush|kdbush|flatbush|geokdbush|polyclip-ts|sweepline-intersections",
    files: "^src/(locations/(?!.*(Api|Http|Sql)[.]ts$)|positions/Geofences[.]ts$)",
  },
  {
    name: "sql",
    library: "@effect/sql-pg|effect/(dist|src)/sql|effect/sql",
    files: "^src/(database/|.*Sql[.]ts$)",
  },
];

/** A package in the graph: its folder if it resolves, otherwise its bare name. */
const packaged = (names) => `^(node_modules/)?(${names})(/|$)`;

/** The lists of endpoints. Handlers implement a whole interface; the clients use one. */
const interfaces = "(Platform|Device|Operator)Api";
/** The files of src/ itself that a slice imports beside the interfaces. */
const started = { serve: "Waypost", cli: "ApiDocuments" };
const clients = ["client", "doctor", "backup", "demo", "serve", "cli"];
const seesInterfaces = `Http[.]ts$|^src/(${clients.join("|")})/`;

const sliceOrder = slices.flatMap((slice, index) => {
  const allowed = slices.slice(0, index + 1);
  const rule = (name, from, files) => ({
    name,
    comment: `In src/${slice}/ this file may import only: ${allowed.join(", ")}; ${files}.`,
    severity: "error",
    from,
    to: { path: "^src/", pathNot: `^src/((${allowed.join("|")})/|${files}[.]ts$)` },
  });
  return [
    rule(`slice-order-${slice}`, { path: `^src/${slice}/`, pathNot: seesInterfaces }, "none"),
    rule(
      `slice-order-${slice}-handlers`,
      { path: `^src/${slice}/.*${clients.includes(slice) ? "" : "Http"}[.]ts$` },
      slice in started ? `(${interfaces}|${started[slice]})` : interfaces,
    ),
  ];
});

const oneOwner = owners.map(({ name, library, files }) => ({
  name: `one-owner-${name}`,
  comment: `Only ${files} imports this library: use the exports of that file.`,
  severity: "error",
  from: { path: "^src/", pathNot: files },
  to: { path: packaged(library) },
}));

export default {
  forbidden: [
    {
      name: "no-cycle",
      comment:
        "An import cycle: move the shared code into the file (or slice) that comes first. " +
        "Type-only cycles count.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolves",
      comment:
        "The import does not resolve: a typo, a missing .ts suffix or a package that is not installed.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "rollups-entry-points",
      comment:
        "Outside of src/reports/rollups/ only its entry points: RollupReader, Rollups and RollupStatus, " +
        "with their types.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/reports/rollups/" },
      to: {
        path: "^src/reports/rollups/",
        pathNot: "/(RollupReader|Rollups|RollupStatus|RollupStateSql|RollupTypes|reading/ScopeSplit)[.]ts$",
      },
    },
    ...sliceOrder,
    {
      name: "foreign-sql-or-http",
      comment:
        "A slice imports no *Sql or *Http of another slice: use its service. " +
        "ArrivedSql, CampaignStatusSql, DeltasSql, ExperimentCountsSql, ObstacleSql, SegmentRuleSql, " +
        "VariantSql and RecordedEventsSql hold parts of statements.",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: {
        path: "^src/.*(Sql|Http)[.]ts$",
        pathNot:
          "^src/($1/|campaigns/CampaignStatusSql[.]ts$|deltas/(DeltasSql|ExperimentCountsSql)[.]ts$|" +
          "devices/(Obstacle|SegmentRule)Sql[.]ts$|notifications/variants/VariantSql[.]ts$|" +
          "outbox/RecordedEventsSql[.]ts$|sending/deliveries/ArrivedSql[.]ts$)",
      },
    },
    {
      name: "contract-is-pure",
      comment: "*Api.ts is the contract, which a browser can import: no service, *Sql, *Http or database/.",
      severity: "error",
      from: { path: "^src/([^/]+)/([^/]+)Api[.]ts$" },
      to: { path: ["(Sql|Http)[.]ts$", "^src/database/", "^src/$1/$2[.]ts$"] },
    },
    {
      name: "contract-without-node",
      comment: "*Api.ts is the contract, which a browser can import: no node:* module.",
      severity: "error",
      from: { path: "^src/.*Api[.]ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "contract-reaches-no-io",
      comment: "*Api.ts reaches no *Sql, *Http or owner of a library, also not through other files.",
      severity: "error",
      from: { path: "^src/.*Api[.]ts$" },
      to: {
        path: ["^src/.*(Sql|Http)[.]ts$", "^src/(database/|media/formats/(Images|MediaInspection)[.]ts$)"],
        reachable: true,
      },
    },
    {
      name: "client-knows-the-contract-only",
      comment: "src/client/ runs in browsers and in other programs: it imports nothing but itself and types.",
      severity: "error",
      from: { path: "^src/client/", pathNot: "^src/client/location-files/" },
      to: {
        path: "^src/",
        pathNot: "^src/client/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "location-files-run-in-browsers",
      comment:
        "src/client/location-files/ runs in browsers: besides itself and types it imports only the pure " +
        "rules that the server has, too.",
      severity: "error",
      from: { path: "^src/client/location-files/" },
      to: {
        path: "^src/",
        pathNot:
          "^src/(client/location-files/|wire/(BoundedJson|CsvRows)[.]ts$|locations/ReferenceSystem[.]ts$)",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "client-without-node",
      comment: "src/client/ runs in browsers: it reaches no node:* module.",
      severity: "error",
      from: { path: "^src/client/" },
      to: { dependencyTypes: ["core"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "client-reaches-no-io",
      comment: "src/client/ reaches no *Sql, *Http or database/, also not through other files.",
      severity: "error",
      from: { path: "^src/client/" },
      to: { path: "^src/.*(Sql|Http)[.]ts$|^src/(database/|media/formats/Images[.]ts$)", reachable: true },
    },
    ...oneOwner,
    {
      name: "declared-libraries",
      comment:
        "src/ imports effect, @effect/platform-node and the libraries in `owners` of " +
        "`.dependency-cruiser.mjs`: add a row.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"],
        pathNot: packaged(["effect", "@effect/[^/]+", ...owners.map(({ library }) => library)].join("|")),
      },
    },
    {
      name: "no-development-library",
      comment: "src/ runs without development dependencies.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "console-app-libraries",
      comment:
        "The browser's program imports the libraries in `appLibraries` of .dependency-cruiser.mjs only.",
      severity: "error",
      from: { path: app },
      to: { path: "node_modules/", pathNot: packaged(appLibraries) },
    },
    {
      name: "console-app-runs-in-browsers",
      comment: "The browser's program imports no node:* module.",
      severity: "error",
      from: { path: app },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "console-app-imports-the-client",
      comment:
        "The browser's program imports of src/ only types, src/client/, which runs in browsers, the " +
        "sentences of Obstacle.ts and the days of recurrence rules: nothing of the server is bundled.",
      severity: "error",
      from: { path: app },
      to: {
        path: "^src/",
        pathNot: "^src/(client/|devices/Obstacle[.]ts$|time/Recurrence(Rule|Days)[.]ts$)",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "console-app-is-built",
      comment: "No program of src/ imports the browser's program: it is built into files.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: app },
    },
    {
      name: "sdk-stands-alone",
      comment: "The web SDK imports nothing but itself: no library, nothing of the server.",
      severity: "error",
      from: { path: "^sdk/" },
      to: { pathNot: "^sdk/" },
    },
    {
      name: "sdk-core-first",
      comment: "sdk/core/ runs without a browser, and knows neither page, worker nor inbox.",
      severity: "error",
      from: { path: "^sdk/core/" },
      to: { path: "^sdk/", pathNot: "^sdk/core/" },
    },
    {
      name: "program-stands-alone",
      comment: "src/ imports nothing of sdk/, test/, scripts/ or bin/.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(sdk|test|scripts|bin)/" },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|waypost-data)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["waypost-source", "import", "node", "default", "types"],
      mainFields: ["main", "types"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
    reporterOptions: { text: { highlightFocused: true } },
  },
};
