/** Fields that are bound to the values of forms. */

/** The names of a form's values that are texts. */
export type TextNames<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never;
}[keyof Values] &
  string;

/** A field of a form: the API's name, the value, and its change. */
export interface BoundField {
  readonly name: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Binds fields to the texts of an object, by its keys or by the API's names. Names begin with `within`. */
export const fieldsOf =
  <Values extends object>(values: Values, set: (changes: Partial<Values>) => void, within = "") =>
  (key: TextNames<Values>, name: string = key): BoundField => ({
    name: within + name,
    value: String(values[key] ?? ""),
    onValue: (value) => set({ [key]: value } as unknown as Partial<Values>),
  });
