import { useId } from "preact/hooks";
import { Field, type FieldProps } from "./Fields.tsx";

/** An IANA time zone: typed, with the known ones as suggestions. */
export const ZoneField = ({
  onValue,
  value,
  ...field
}: FieldProps & { readonly value: string; readonly onValue: (zone: string) => void }) => {
  const list = useId();
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type="text"
            list={list}
            value={value}
            autoComplete="off"
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <datalist id={list}>
            {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
};
