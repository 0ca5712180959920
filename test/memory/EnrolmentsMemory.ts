import { Effect, Layer } from "effect";
import { EnrolmentsRepository } from "../../src/campaigns/EnrolmentsRepository.ts";

/** Nothing is sent in memory, so nobody is enrolled. */
export const enrolmentsMemory = Layer.succeed(
  EnrolmentsRepository,
  EnrolmentsRepository.of({ hasArms: () => Effect.succeed(false), isEnrolled: () => Effect.succeed(false) }),
);
