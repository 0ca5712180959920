import { Field, type FieldProps } from "./Fields.tsx";
import { SearchChoice } from "./SearchChoice.tsx";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((value) => ({
  value,
  text: value.replaceAll("_", " "),
}));

/** "Central European Standard Time", for people who do not know a zone by its city. */
const nameOf = (timeZone: string): string =>
  new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "long" })
    .formatToParts()
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

/** An IANA time zone, found by its city. */
export const ZoneField = ({
  onValue,
  value,
  ...field
}: FieldProps & { readonly value: string; readonly onValue: (zone: string) => void }) => (
  <Field {...field}>
    {(attributes) => (
      <SearchChoice {...attributes} choices={zones} noteOf={nameOf} value={value} onValue={onValue} />
    )}
  </Field>
);
