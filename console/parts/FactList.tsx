import type { ComponentChildren } from "preact";

/** A name and what is known under it. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about one thing: side by side, or as lines of a summary. */
export const FactList = ({
  facts,
  kind = "fact-list",
}: {
  readonly facts: ReadonlyArray<Fact>;
  readonly kind?: "fact-list" | "summary" | "summary card";
}) => (
  <dl class={kind}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
