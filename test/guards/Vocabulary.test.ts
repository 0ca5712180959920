import { assert, describe, it } from "@effect/vitest";
import { lineLength, maxColumns, vocabulary, vocabularyRules } from "../../scripts/check/vocabulary.ts";

const anyFile = "src/http/Server.ts";

const found = (text: string, path = anyFile): ReadonlyArray<string> =>
  vocabulary({ path, text }).map(({ message }) => /^"([^"]*)"/.exec(message)?.[1] ?? message);

/** A text with a banned word, the word, a text that resembles it, and the file if the rule has a scope. */
type Case = readonly [banned: string, word: string, allowed: string, path?: string];

const cases: ReadonlyArray<Case> = [
  ["The door of the interface", "door", "doorstep, indoor"],
  ["class PlatformDoor {", "Door", "class PlatformAuthenticator {"],
  ["const gates = 1;", "gates", "delegates aggregates of investigations"],
  ["a Knock at it", "Knock", "a knockout"],
  ["admits the request", "admits", "administers the request"],
  ["interface Admission {", "Admission", "an administration"],
  ["the gateway refuses", "gateway", "502 Bad Gateway and 504 Gateway Timeout"],
  ["an errand of the request", "errand", "errandless"],
  ["class NamedChanges {", "NamedChanges", "named changes"],
  ["its twin waits", "twin", "twinkling between"],
  ["const vitals = 1;", "vitals", "vital for this process"],
  ["the run of a Checkup", "Checkup", "a check up to now"],
  ["the doctor examines it", "examines", "for example"],
  ["class LaneAtWork {", "Lane", "on a plane"],
  ["pushes that are under way", "under way", "under the way"],
  ["PushesUnderWay", "UnderWay", "understand"],
  ["pushes are handed over", "handed over", "the status handed_over and the span push.hand_over"],
  ["const handOverPush = 1;", "handOver", "handle over"],
  ["class PushServices {", "PushServices", "push services"],
  ["a service is left alone", "left alone", "left aligned"],
  ["const patience = 1;", "patience", "patients"],
  ["const mostNamed = 1;", "mostNamed", "most named"],
  ["const longestPause = 1;", "longestPause", "the longest pause"],
  ["const fewAtOnce = 1;", "fewAtOnce", "few at once"],
  ["a Sighting of a device", "Sighting", "oversight"],
  ["firings of an event", "firings", "confirming"],
  ["interface Report {", "interface Report", "interface TransitionReport {", "src/events/Events.ts"],
  ["a shot at it", "shot", "a snapshot", "src/events/Events.ts"],
  ["const fixes = 1;", "fixes", "a suffix and a prefix", "test/positions/Positions.service.test.ts"],
  ["states.map((track) => track)", "track", "tracking", "src/positions/Positions.ts"],
  ["the stay of a device", "the stay", "the rows stay in the table"],
  ["interface OpenStays {", "Stays", "it always stays there"],
  ["places of an environment", "places", "it takes place in place of another; replaces"],
  ["class PlaceIndex {", "PlaceI", "a placeholder"],
  ["rows of the feed", "feed", "feedback"],
  ["const isFed = true;", "Fed", "federated"],
  ["counted from base rows", "base rows", "database rows"],
  ["made anew", "anew", "a new one"],
  ["distrusts the rollups", "distrusts", "trusts the rollups"],
  ["class RolledCounts {", "RolledC", "rolledUpFrom"],
  ["as it was told", "told", "tolerated"],
  ["TelemetryChores", "Chores", "choreography"],
  ["it looks at the database", "looks at", "look up, looks like, lookup"],
  ["const lookMillis = 1;", "lookM", "const lookup = 1;"],
  ["they wait for their turn", "their turn", "turns it on in returning"],
  ["weighs the report", "weighs", "weight"],
  ["judged by its bytes", "judged", "judgement"],
  ["at a glance", "glance", "glancing"],
  ["the origin of a delivery", "origin", "original", "schema/0010_deliveries.sql"],
  ["const deviceNo = 1;", "deviceNo", "deviceNow"],
  ["campaign_nos int[]", "campaign_nos", "campaign_notes"],
  ["what it Carried", "Carried", "carried out"],
  ["interface Surroundings {", "Surroundings", "it surrounds"],
  ["class Submission {", "Submission", "submitted"],
  ["RememberedLookup", "Remembered", "a reminder"],
  ["class MediaChild {", "MediaChild", "children of media"],
  ["const port = Config.port;", "Config", "mediaConfig.port, Effect.Config"],
  ["a lock of ours", "of ours", "of hours"],
  ["known by now", "by now", "by nowhere"],
  ["whoever asks", "whoever", "who asks"],
  ["what became of it", "what became of", "what it became"],
  ["it tells of each page", "tells of", "it tells often"],
  ["a clock that nobody sets", "nobody sets", "nobody setsid"],
  ["the transaction at hand", "at hand", "at handlers"],
  ["it waits in vain", "in vain", "in vaincre"],
  ["the send goes on", "goes on", "the send goes online"],
];

describe("vocabulary", () => {
  it.each(cases.map(([banned, word, , path = anyFile]) => [banned, word, path] as const))(
    '"%s" has a banned word',
    (banned, word, path) => {
      assert.include(found(banned, path), word);
    },
  );

  it.each(cases.map(([, , allowed, path = anyFile]) => [allowed, path] as const))(
    '"%s" has no banned word',
    (allowed, path) => {
      assert.deepStrictEqual(found(allowed, path), []);
    },
  );

  it("every rule has a case", () => {
    const untested = vocabularyRules.filter(
      ({ files, pattern }) =>
        !cases.some(
          ([banned, , , path = anyFile]) => pattern.test(banned) && (files === undefined || files.test(path)),
        ),
    );
    assert.deepStrictEqual(untested, []);
  });

  it("a rule with a scope covers only the files of its scope", () => {
    const scoped: ReadonlyArray<readonly [text: string, path: string]> = [
      ["the tracks and fixes of a shot", "src/media/formats/WebmElements.ts"],
      ["the origin of a push service", "src/sending/push/transports/WebPush.ts"],
      ["const mostNamed = 1;", "docs/client.md"],
      ["a submission", "docs/states.md"],
      ["const port = Config.port;", "scripts/bench/run.ts"],
    ];
    for (const [text, path] of scoped) assert.deepStrictEqual(found(text, path), [], path);
  });

  it("names from outside the code base are allowed, and the rest of their line is still checked", () => {
    assert.deepStrictEqual(found("curl @docs/examples/places.geojson"), []);
    assert.deepStrictEqual(found("isVideoTrack(track)", "src/events/Events.ts"), ["track"]);
    assert.deepStrictEqual(found("`handed_over` by the door"), ["door"]);
  });

  it("the list and its test are exempt, and other checks are not", () => {
    assert.deepStrictEqual(found("door", "scripts/check/vocabulary.ts"), []);
    assert.deepStrictEqual(found("door", "test/guards/Vocabulary.test.ts"), []);
    assert.deepStrictEqual(found("door", "scripts/check/rules.ts"), ["door"]);
  });

  it("a finding names the file, the line and the term to write instead", () => {
    assert.deepStrictEqual(vocabulary({ path: anyFile, text: "one\na chore\n" }), [
      { file: anyFile, line: 2, message: '"chore" is not used here; write: job.' },
    ]);
  });
});

describe("lines", () => {
  const long = "word ".repeat(30);
  const linesFound = (path: string, text: string) => lineLength({ path, text }).map(({ line }) => line);

  it("a line has at most 110 columns", () => {
    assert.deepStrictEqual(linesFound(anyFile, "x".repeat(maxColumns)), []);
    assert.deepStrictEqual(linesFound(anyFile, `a\n${"x".repeat(maxColumns + 1)}`), [2]);
    assert.deepStrictEqual(linesFound("docs/states.md", `a\n${long}`), [2]);
  });

  it("tables, links and fenced code in Markdown may be longer", () => {
    for (const text of [`| ${long} |`, `[${long}](page.md)`, `https://example.com ${long}`])
      assert.deepStrictEqual(linesFound("docs/states.md", text), [], text);
    assert.deepStrictEqual(linesFound("docs/states.md", `\`\`\`sh\n${long}\n\`\`\`\n${long}`), [4]);
    assert.deepStrictEqual(linesFound(anyFile, `| ${long} |`), [1]);
  });

  it("long addresses in code may be longer, imports may not", () => {
    assert.deepStrictEqual(linesFound(anyFile, `import { a } from "${"x".repeat(120)}";`), [1]);
    assert.deepStrictEqual(linesFound(anyFile, `// https://example.com/${"x".repeat(120)}`), []);
  });
});
