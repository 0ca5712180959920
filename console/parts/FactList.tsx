import type { ComponentChildren } from "preact";

/** A name and what is known under it. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Facts about one thing. */
export const FactList = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) => (
  <dl class="fact-list">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
