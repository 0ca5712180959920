/** The parameters of reports, how they order rows, and how they round: in whole numbers only. */

/** The parameters of a request, with both ends of the range. */
export type QueryParameters = { readonly start: string; readonly end: string } & {
  readonly [
    name in
      | "campaign"
      | "location"
      | "location_group"
      | "activation"
      | "campaign_status"
      | "content_type"
      | "status"
  ]?: string;
};

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Orders rows by name, then by id. */
export const byName = (a: Named, b: Named): number =>
  Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || (a.id < b.id ? -1 : 1);

/** A quotient of whole numbers to one decimal, half away from zero, in whole numbers only. */
export const oneDecimal = (part: number, whole: number): number =>
  Number((20n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole))) / 10;

/** A part of a whole in percent, to one decimal. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : oneDecimal(100 * part, whole);
