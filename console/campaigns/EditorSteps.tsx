/** The steps of the editor of campaigns, their addresses, and the step of each field. */
import { useEffect, useRef } from "preact/hooks";
import { changedAddress, parameter } from "../routing/Router.ts";

/** The steps in their order. */
export const steps = [
  ["message", "Message"],
  ["who", "Who and where"],
  ["when", "When"],
  ["review", "Review"],
] as const;

/** A step. */
export type Step = (typeof steps)[number][0];

/** The step of the address. */
export const stepOfAddress = (): Step => steps.find(([key]) => key === parameter("step"))?.[0] ?? "message";

/** The address of a step of the editor that is open. */
export const stepAddress = (step: Step): string =>
  changedAddress({ step: step === "message" ? undefined : step });

/** The step with a field of a campaign. */
export const stepOfField = (field: string): Step => {
  if (field === "name" || field === "type") return "message";
  return /^(?:location|segment|holdout|goal)/.test(field) ? "who" : "when";
};

/** The step with a field of a notification. */
export const stepOfMessageField = (field: string): Step =>
  /^(?:trigger|starts_at|ends_at)/.test(field) ? "when" : "message";

/** Links to all steps. `problems` counts what is to be changed on each. */
export const StepLinks = ({
  chosen,
  problems,
}: {
  readonly chosen: Step;
  readonly problems: (step: Step) => number;
}) => (
  <nav aria-label="Steps">
    <ol class="steps">
      {steps.map(([key, text]) => (
        <li key={key}>
          <a href={stepAddress(key)} aria-current={key === chosen ? "step" : undefined}>
            {text}
          </a>
          {problems(key) > 0 && <span class="problem"> {problems(key)} to change</span>}
        </li>
      ))}
    </ol>
  </nav>
);

/** The heading of the step, which takes the focus when it is gone to. */
export const StepHeading = ({ step }: { readonly step: Step }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    scrollTo(0, 0);
    heading.current?.focus();
  }, [step]);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {steps.find(([key]) => key === step)?.[1]}
    </h2>
  );
};
