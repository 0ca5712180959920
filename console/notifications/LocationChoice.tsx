import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { SelectField } from "../parts/form/Fields.tsx";
import type { BoundField } from "../parts/form/Form.tsx";
import { may } from "../session/SessionState.ts";

/** The location whose event triggers a message; templates can name it. */
export const LocationChoice = (field: BoundField) => {
  const { data } = useData(may("locations:read") ? platform.locations.list({ limit: 100 }) : null, {
    millis: Infinity,
  });
  const found = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }));
  return <SelectField {...field} label="At the location" choices={[{ value: "", text: "None" }, ...found]} />;
};
