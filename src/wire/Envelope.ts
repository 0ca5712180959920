import { Schema } from "effect";
import { shownId, shownText } from "./ShownFields.ts";
import { wholeParameter } from "./Text.ts";

/** The body of a success: the result under `data`. */
export const Data = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: schema });

/** One page of a list, newest first, with the cursor of the next page or null (contract D1, D2). */
export const PageOf = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({
    data: Schema.Array(schema),
    meta: Schema.Struct({
      next_cursor: Schema.NullOr(
        shownText(
          "Send it as `cursor` to get the next page; null on the last page.",
          "eyJ2IjoxfQ.c2lnbmF0dXJl",
        ),
      ),
    }),
  });

/** The `data` of every successful DELETE (contract A4). */
export interface DeletedResource {
  readonly id: string;
  readonly deleted: true;
}

/** The response of every successful DELETE (contract A4). */
export const Deleted = Data(
  Schema.Struct({
    id: shownId("Id of the deleted resource.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
    deleted: Schema.Literal(true).annotate({ description: "Always true.", examples: [true] }),
  }),
);

/** Query parameters of every list. */
export const PageQuery = {
  cursor: Schema.optionalKey(
    shownText(
      "The previous page's `meta.next_cursor`; leave out for the first page.",
      "eyJ2IjoxfQ.c2lnbmF0dXJl",
    ),
  ),
  limit: Schema.optionalKey(
    wholeParameter({
      min: 1,
      max: 100,
      description: "The most items on the page; 20 if left out.",
      example: 50,
    }),
  ),
};
