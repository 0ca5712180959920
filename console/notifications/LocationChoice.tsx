import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { SelectField } from "../parts/form/Fields.tsx";
import { may } from "../session/SessionState.ts";

/** The location whose event triggers a message; templates can name it. */
export const LocationChoice = ({
  onValue,
  value,
}: {
  readonly value: string;
  readonly onValue: (id: string) => void;
}) => {
  const { data } = useData(may("locations:read") ? platform.locations.list({ limit: 100 }) : null, {
    millis: Infinity,
  });
  const found = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }));
  return (
    <SelectField
      name="location_id"
      label="At the location"
      choices={[{ value: "", text: "None" }, ...found]}
      value={value}
      onValue={onValue}
    />
  );
};
