import type { ComponentChildren } from "preact";

/** The kind of a button: the main action of a page, another one, one that destroys, or a plain text. */
export type ButtonVariant = "primary" | "secondary" | "danger" | "plain";

/** Properties of a button. */
export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly variant?: ButtonVariant;
  readonly type?: "button" | "submit";
  /** While its work runs, a button says so and ignores presses. */
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  /** Of a button that shows and hides something below it. */
  readonly isExpanded?: boolean;
  readonly onPress?: (() => void) | undefined;
  /** A name for screen readers, if the visible text needs more context. It begins with that text. */
  readonly label?: string;
}

/** A button. A busy or disabled one keeps the focus. */
export const Button = ({
  children,
  isBusy = false,
  isDisabled = false,
  isExpanded,
  isPressed,
  label,
  variant = "secondary",
  onPress,
  type = "button",
}: ButtonProps) => {
  const isOff = isBusy || isDisabled;
  return (
    <button
      type={type}
      class={`button button-${variant}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      aria-label={label}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
};

/** A link that looks like a button. */
export const ButtonLink = ({
  children,
  href,
  variant = "secondary",
}: {
  readonly children: ComponentChildren;
  readonly href: string;
  readonly variant?: ButtonVariant;
}) => (
  <a class={`button button-${variant}`} href={href}>
    {children}
  </a>
);
