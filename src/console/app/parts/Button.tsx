import type { ComponentChildren } from "preact";

/** How a button looks: the main action of a page, another one, one that destroys, or a plain text. */
export type ButtonLook = "primary" | "secondary" | "danger" | "plain";

/** Properties of a button. */
export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly look?: ButtonLook;
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
  look = "secondary",
  onPress,
  type = "button",
}: ButtonProps) => {
  const isOff = isBusy || isDisabled;
  return (
    <button
      type={type}
      class={`button button-${look}`}
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
  look = "secondary",
}: {
  readonly children: ComponentChildren;
  readonly href: string;
  readonly look?: ButtonLook;
}) => (
  <a class={`button button-${look}`} href={href}>
    {children}
  </a>
);
