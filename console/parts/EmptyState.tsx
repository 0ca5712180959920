import type { ComponentChildren } from "preact";

/** What a list without items says: what the items are for, and what to do first. */
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
