import { assert, describe, it } from "@effect/vitest";
import type { Outcome } from "../../src/doctor/HealthCheck.ts";
import { eventOutcomes } from "../../src/doctor/WorkHealthCheck.ts";

const verdicts = (outcomes: ReadonlyArray<Outcome>) => outcomes.map(({ verdict }) => verdict);
const observations = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.map(({ observation }) => observation).join("\n");

describe("eventOutcomes", () => {
  it("overdue delays, late deletions and events that do not come are named (running.doctor)", () => {
    const none = { undecided: 0, events_late: false };
    const unheard = {
      workspace: "Acme",
      environment: "production" as const,
      campaign: "Basket",
      event: "order.palced",
    };
    assert.deepStrictEqual(verdicts(eventOutcomes(none, [])), ["ok"]);
    assert.deepStrictEqual(verdicts(eventOutcomes({ undecided: 2, events_late: true }, [unheard])), [
      "problem",
      "warning",
      "warning",
    ]);
    assert.include(observations(eventOutcomes({ ...none, undecided: 1 }, [])), "1 delayed event or visit is");
    assert.include(observations(eventOutcomes(none, [unheard])), '"Basket" of Acme (production)');
    assert.include(observations(eventOutcomes(none, [unheard])), '"order.palced", which has not come');
  });
});
