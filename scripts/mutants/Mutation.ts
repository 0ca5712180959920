/** A change to a source file: the text between two positions becomes another. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The operator, for people. */
  readonly operator: string;
}
