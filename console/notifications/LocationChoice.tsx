import { platform } from "../data/Api.ts";
import { FoundField } from "../parts/form/SearchChoice.tsx";
import type { BoundField } from "../parts/form/BoundField.ts";
import { may } from "../session/SessionState.ts";

/** The location whose event triggers a message; templates can name it. */
export const LocationChoice = (field: BoundField) => (
  <FoundField
    {...field}
    label="At the location"
    list={may("locations:read") ? platform.locations.list : null}
    get={platform.locations.get}
    textOf={({ name }) => name}
    none="None"
  />
);
