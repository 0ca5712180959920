import { assert, layer } from "@effect/vitest";
import { Effect } from "effect";
import { randomUUID } from "node:crypto";
import { experiment, experimentVerdict } from "../../../scripts/chaos/ExperimentLedger.ts";
import { runCut } from "../../matrices/CutWorkers.ts";
import { whileTimeMoves } from "../../matrices/MovingTime.ts";
import { Dice } from "../Dice.ts";
import { at, drain, start } from "../ManualWorkers.ts";
import { anyCut, hasOpenSends, overCutConnections } from "../sends/SimulationWorld.ts";
import { sendWorld } from "../sends/SendWorld.ts";

layer(overCutConnections, { timeout: "5 minutes" })("Enrolments over lost connections", (it) => {
  it.effect(
    "whatever connection is lost, each unit is enrolled once, and the held out get nothing (U4)",
    () =>
      Effect.gen(function* () {
        const dice = new Dice(30);
        const { production } = yield* sendWorld();
        yield* production.crowd(60);
        const location = yield* production.location();
        const geo = yield* production.campaign({ location_ids: [location], ...experiment.campaign });
        yield* production.notification(geo, experiment.notification);
        const phones = yield* Effect.forEach(Array.from({ length: 5 }), () => production.phone());
        let cuts = 0;
        for (let round = 0; round < 3; round++) {
          const campaign = yield* production.push(experiment.campaign);
          const time = `12:${10 + round * 5}`;
          yield* production.sent(campaign, time, experiment.notification);
          if (round % 2 === 0) yield* production.sent(campaign, time);
          yield* at(`2026-11-21T${time}:00Z`);
          yield* start;
          for (let run = 0; yield* hasOpenSends(production.workspaceId); run++) {
            if (run >= 3) yield* whileTimeMoves(drain);
            else if ((yield* runCut({ run: drain }, 3, anyCut(dice))).wasCut) cuts++;
          }
          for (const phone of phones) {
            const event = {
              id: randomUUID(),
              type: "enter",
              location_id: location,
              occurred_at: `2026-11-21T${time}:00Z`,
            };
            let isAccepted = false;
            const report = Effect.map(phone.report([event]), ({ status }) => {
              isAccepted = status === 200;
            });
            if ((yield* runCut({ run: report }, 1, anyCut(dice))).wasCut) cuts++;
            while (!isAccepted) yield* report;
          }
        }
        assert.isAbove(cuts, 15);
        const { faults, figures } = yield* experimentVerdict;
        for (const [fault, count] of Object.entries(faults)) assert.strictEqual(count, 0, fault);
        assert.strictEqual(figures.enrolled, 3 * (60 + 5) + 5);
      }),
  );
});
