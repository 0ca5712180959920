import { assert, describe, it } from "@effect/vitest";
import { factOutcomes, type Outcome } from "../../src/doctor/HealthCheck.ts";
import { unheardOutcomes } from "../../src/doctor/WorkHealthCheck.ts";
import { workRows } from "../../src/doctor/WorkRowsSql.ts";

const verdicts = (outcomes: ReadonlyArray<Outcome>) => outcomes.map(({ verdict }) => verdict);
const observations = (outcomes: ReadonlyArray<Outcome>) =>
  outcomes.map(({ observation }) => observation).join("\n");

// Statements are not made without a database.
const { events } = workRows((() => null) as never, 0, 14);
const eventOutcomes = (
  facts: Readonly<Record<string, number>>,
  unheard: Parameters<typeof unheardOutcomes>[0],
) => factOutcomes("fine", events, facts, unheardOutcomes(unheard));

describe("events", () => {
  it("overdue delays, late deletions and events that do not come are named (running.doctor)", () => {
    const none = {};
    const unheard = {
      workspace: "Acme",
      environment: "production" as const,
      campaign: "Basket",
      event: "order.palced",
    };
    assert.deepStrictEqual(verdicts(eventOutcomes(none, [])), ["ok"]);
    assert.deepStrictEqual(verdicts(eventOutcomes({ undecided: 2, events_late: 1 }, [unheard])), [
      "problem",
      "warning",
      "warning",
    ]);
    assert.include(observations(eventOutcomes({ ...none, undecided: 1 }, [])), "1 delayed event or visit is");
    assert.include(observations(eventOutcomes(none, [unheard])), '"Basket" of Acme (production)');
    assert.include(observations(eventOutcomes(none, [unheard])), '"order.palced", which has not come');
  });
});
