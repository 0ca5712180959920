import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a page under a heading of its own. */
export const CardSection = ({
  actions,
  children,
  id,
  title,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The id of the heading, where something leads to it. */
  readonly id?: string;
}) => {
  const own = useId();
  return (
    <section class="card card-section" aria-labelledby={id ?? own}>
      <div class="card-head">
        <h2 id={id ?? own} tabIndex={-1} dir="auto">
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
};
