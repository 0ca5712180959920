import type { ComponentChildren } from "preact";

/** A list without items: what the items are for, and what to do first. */
export const EmptyState = ({
  action,
  children,
  title,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    {action}
  </div>
);
