import { Schema } from "effect";
import { isUuid } from "../../wire/Ids.ts";
import { shownId } from "../../wire/ShownFields.ts";
import { SendStatus } from "./Send.ts";

/** The query parameters that select sends. */
export const sendFilters = {
  campaign: Schema.optionalKey(
    shownId("Only sends of the campaign with this id.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62").check(
      Schema.makeFilter(isUuid, { message: "The {field} must be a UUID." }),
    ),
  ),
  status: Schema.optionalKey(SendStatus),
};
