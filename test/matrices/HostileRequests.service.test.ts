import { layer } from "@effect/vitest";
import { documentNames } from "../../src/ApiDocuments.ts";
import { TestWaypost } from "../TestWaypost.ts";
import { walkHostileRequests } from "./HostileWalk.ts";

// `HostileRequests.long.test.ts` sends thousands.
layer(TestWaypost.layer)("Some hostile requests", (it) => {
  it.effect.each(documentNames)(
    "the %s interface stands some hostile requests (B3, errors.hostile)",
    (name) => walkHostileRequests(name, 300),
  );
});
