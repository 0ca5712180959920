import { useState } from "preact/hooks";
import { Field, type FieldProps } from "../parts/form/Fields.tsx";
import type { BoundField } from "../parts/form/BoundField.ts";
import { SearchChoice } from "../parts/form/SearchChoice.tsx";
import { knownLanguages, languageName, languageTag } from "./Languages.ts";

/** A language by its name. A tag such as fr-CH can be typed, too; a text that is no language is refused. */
export const LanguageField = ({
  none,
  onValue,
  value,
  ...field
}: BoundField & Omit<FieldProps, "name"> & { readonly none?: string }) => {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const found = knownLanguages().filter(
    (tag) => tag.toLowerCase() === wanted || languageName(tag).toLowerCase().includes(wanted),
  );
  const tags = new Set([languageTag(typed), value, ...found]);
  const choices = [...tags].flatMap((tag) => (tag ? [{ value: tag, text: languageName(tag) }] : []));
  return (
    <Field {...field}>
      {(attributes) => (
        <SearchChoice
          {...attributes}
          value={value}
          onValue={onValue}
          onSearch={setTyped}
          noteOf={(tag) => tag}
          choices={none === undefined || wanted !== "" ? choices : [{ value: "", text: none }, ...choices]}
        />
      )}
    </Field>
  );
};
