/** The frame of every page: its heading, its actions, its title, and what is wrong with its data. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ApiProblem } from "../data/ApiCall.ts";
import { takeFocus } from "../routing/Router.ts";
import { workspace } from "../session/Scope.ts";

interface PageFrameProps {
  /** The name of the page: its only `h1`. */
  readonly title: string;
  /** A sentence below the heading. */
  readonly lead?: ComponentChildren;
  /** Buttons and links beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its name as the only `h1`, in the title of the window too. */
export const PageFrame = ({ actions, children, lead, title }: PageFrameProps) => {
  const name = workspace.value?.name;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocus()) heading.current?.focus();
  }, []);
  useEffect(() => {
    document.title = [title, ...(name === undefined ? [] : [name]), "Waypost"].join(" · ");
  }, [title, name]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};

/** A problem of a read: the API's own sentence. Of a temporary one the last data stays on the page. */
export const LoadProblem = ({ problem }: { readonly problem: ApiProblem | undefined }) =>
  problem === undefined || problem.status === null ? null : <ProblemText text={problem.message} />;

/** Says at once what went wrong; nothing without a text. */
export const ProblemText = ({ text }: { readonly text: string | null | undefined }) =>
  text === null || text === undefined ? null : (
    <p class="notice notice-problem" role="alert">
      {text}
    </p>
  );

/** A page before its first data. */
export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
);
