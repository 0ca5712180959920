import { slices } from "./scripts/check/slices.ts";

/**
 * The import rules of ARCHITECTURE.md, as errors. A slice imports only slices to its left; roles keep to what they
 * hold; each foreign library has one door. A new library gets its row in `doors`; a new slice in scripts/check/slices.ts.
 */

/** Foreign library (the module as imported) → the only files under src/ that may import it. */
const authenticators = [
  { name: "sharp", library: "sharp", authenticator: "^src/media/formats/Images[.]ts$" },
  { name: "mediabunny", library: "mediabunny", authenticator: "^src/media/formats/MediaInspection[.]ts$" },
  { name: "undici", library: "undici", authenticator: "^src/sending/push/transports/PushConnections[.]ts$" },
  { name: "s3-signature", library: "aws4fetch", authenticator: "^src/media/store/S3Requests[.]ts$" },
  {
    name: "geometry",
    library:
      "@turf/[^/]+|robust-predicates|rbush|kdbush|flatbush|geokdbush|polyclip-ts|sweepline-intersections",
    authenticator: "^src/(locations/(?!.*(Api|Http|Sql)[.]ts$)|positions/Geofences[.]ts$)",
  },
  {
    name: "sql",
    library: "@effect/sql-pg|effect/(dist|src)/sql|effect/sql",
    authenticator: "^src/(database/|.*Sql[.]ts$)",
  },
];

/** How a package shows in the graph: by its folder when it resolves, else by its bare name. */
const packaged = (names) => `^(node_modules/)?(${names})(/|$)`;

/** The tables of contents: handlers are built against the whole interface; client/ and operator/ are clients of it. */
const contents = "(Platform|Device|Operator)Api";
/** What the command line starts besides. */
const started = "(Platform|Device|Operator)Api|Waypost|ApiDocuments";
const clients = ["client", "doctor", "backup", "demo", "cli"];
const seesContents = `Http[.]ts$|^src/(${clients.join("|")})/`;

const sliceOrder = slices.flatMap((slice, at) => {
  const own = slices.slice(0, at + 1);
  const rule = (name, from, files) => ({
    name,
    comment: `In src/${slice}/ this file may import only: ${own.join(", ")}; ${files}.`,
    severity: "error",
    from,
    to: { path: "^src/", pathNot: `^src/((${own.join("|")})/|${files}[.]ts$)` },
  });
  return [
    rule(`slice-order-${slice}`, { path: `^src/${slice}/`, pathNot: seesContents }, "none"),
    rule(
      `slice-order-${slice}-handlers`,
      { path: `^src/${slice}/.*${clients.includes(slice) ? "" : "Http"}[.]ts$` },
      slice === "cli" ? `(${started})` : contents,
    ),
  ];
});

const oneDoor = authenticators.map(({ name, library, authenticator }) => ({
  name: `one-door-${name}`,
  comment: `This library is imported only by ${authenticator}; use what that file exports.`,
  severity: "error",
  from: { path: "^src/", pathNot: authenticator },
  to: { path: packaged(library) },
}));

export default {
  forbidden: [
    {
      name: "no-cycle",
      comment:
        "An import cycle: move what both need into the file (or slice) to the left. Type-only cycles count.",
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
        "Outside of src/reports/rollups/ only its entry points: RollupReader, Rollups and RollupStatus, with their types.",
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
        "Never another slice's *Sql or *Http: ask that slice's service. CampaignStatusSql and SegmentRuleSql are rules, no repositories.",
      severity: "error",
      from: { path: "^src/([^/]+)/" },
      to: {
        path: "^src/.*(Sql|Http)[.]ts$",
        pathNot: "^src/($1/|campaigns/CampaignStatusSql[.]ts$|devices/SegmentRuleSql[.]ts$)",
      },
    },
    {
      name: "contract-is-pure",
      comment:
        "*Api.ts is the contract, which a browser can import: never its service, *Sql, *Http, database/ or node:*.",
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
      comment: "What *Api.ts imports must not lead to *Sql, *Http or a foreign library's door either.",
      severity: "error",
      from: { path: "^src/.*Api[.]ts$" },
      to: {
        path: ["^src/.*(Sql|Http)[.]ts$", "^src/(database/|media/formats/(Images|MediaInspection)[.]ts$)"],
        reachable: true,
      },
    },
    {
      name: "client-knows-the-contract-only",
      comment:
        "src/client/ runs in browsers and in programs of others: it imports PlatformApi.ts, and types; never what leads to io.",
      severity: "error",
      from: { path: "^src/client/" },
      to: {
        path: "^src/",
        pathNot: "^src/(client/|PlatformApi[.]ts$)",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "client-reaches-no-io",
      comment: "What src/client/ imports must not lead to *Sql, *Http, database/ or a module of Node.js.",
      severity: "error",
      from: { path: "^src/client/" },
      to: { path: "^src/.*(Sql|Http)[.]ts$|^src/(database/|media/formats/Images[.]ts$)", reachable: true },
    },
    ...oneDoor,
    {
      name: "declared-libraries",
      comment:
        "src/ imports effect, @effect/platform-node and libraries with a door in .dependency-cruiser.mjs; a new one needs a door.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"],
        pathNot: packaged(
          ["effect", "@effect/[^/]+", ...authenticators.map(({ library }) => library)].join("|"),
        ),
      },
    },
    {
      name: "no-development-library",
      comment: "src/ runs with production dependencies only.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "program-stands-alone",
      comment: "src/ imports nothing of test/, scripts/ or bin/.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|scripts|bin)/" },
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
