/**
 * An argument as forms have it: numbers may be texts that are not numbers yet, and choices any text. The
 * names of fields and parameters are those of the API, whose answer says what is wrong with a value.
 */
export type Typed<Value> = Value extends string
  ? string
  : Value extends boolean
    ? boolean | string
    : Value extends number
      ? number | string
      : Value extends Date | ((...given: never) => unknown)
        ? Value
        : Value extends object
          ? { readonly [Name in keyof Value]: Typed<Value[Name]> }
          : Value;
