import { assert, describe, it } from "@effect/vitest";
import { plainMessage, plainName, plainSentence } from "../../console/data/PlainWords.ts";

describe("the words of the console", () => {
  it("names of fields, headers and values in the API's sentences become words (console.words)", () => {
    const sentences = [
      [
        "A geo campaign needs at least one location or location group: send location_ids, " +
          "location_group_ids or location_group_names.",
        "A geo campaign needs at least one location or location group.",
      ],
      [
        "Only on_dwell triggers have it: leave it out.",
        "Only “Being inside for some minutes” has it: leave it out.",
      ],
      [
        "The plan allows 10 locations (max_locations) and there are 10 already; delete some.",
        "The plan allows 10 locations and there are 10 already; delete some.",
      ],
      [
        "The start cannot be before today (2026-11-21 in Europe/Amsterdam).",
        "The start cannot be before today (21 Nov 2026 in Europe/Amsterdam).",
      ],
      [
        "The {x} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
        "The {x} must be a date-time such as 2026-11-21T09:30:00Z, or a date such as 2026-11-21.",
      ],
      ["The name is required. (and 2 more: see fields)", "The name is required. There is more to change: 2."],
      [
        "The url must lead to the public internet: a.test does not.",
        "The address must lead to the public internet: a.test does not.",
      ],
      ["The name is required: it cannot be empty.", "The name is required: it cannot be empty."],
    ] as const;
    for (const [sentence, plain] of sentences) assert.strictEqual(plainSentence(sentence), plain);
    assert.strictEqual(
      plainSentence("Name the workspace by its id in the header.", "Waypost-Workspace"),
      "Choose a workspace.",
    );
    assert.strictEqual(
      plainMessage("missing_ability", "This endpoint needs the ability campaigns:write."),
      "Your access key does not allow this.",
    );
    assert.strictEqual(plainName("quiet_hours.from"), "quiet hours: from");
  });

  it("a name that somebody chose stays as it is (console.words)", () => {
    const sentence =
      'The name "on_enter 2026-11-21 \\"url\\"" is taken by another campaign: choose another one.';
    assert.strictEqual(plainSentence(sentence), sentence);
  });
});
