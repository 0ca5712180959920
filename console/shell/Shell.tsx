/** The frame of a signed-in person: navigation, workspace, environment, and the way out. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { awaySince } from "../data/ApiCall.ts";
import { Button } from "../parts/Button.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { Select } from "../parts/form/Fields.tsx";
import { addressOf, changedAddress, navigate, path } from "../routing/Router.ts";
import { SearchKeys } from "../search/SearchKeys.tsx";
import { completeAddress, environment, environmentNames, workspaceId, workspaces } from "../session/Scope.ts";
import { signOut } from "../session/SignIn.ts";
import { currentSession, isOperator, isReportsOnly } from "../session/SessionState.ts";
import { AwayNotice } from "./AwayNotice.tsx";
import { NavigationIcon } from "./NavigationIcon.tsx";
import { pageTable } from "./PageTable.ts";

/** Whether a link's page, or a page below it, is open. */
const isOpen = (linked: string): boolean =>
  linked === "/" ? path.value === "/" : path.value === linked || path.value.startsWith(`${linked}/`);

const Navigation = () => (
  <nav aria-label="Pages">
    <ul>
      {pageTable.map(
        (page) =>
          page.navigation !== undefined &&
          page.isAllowed() && (
            <li key={page.path}>
              <a href={addressOf(page.path)} aria-current={isOpen(page.path) ? "page" : undefined}>
                <NavigationIcon path={page.path} />
                {page.navigation}
              </a>
            </li>
          ),
      )}
    </ul>
  </nav>
);

/** A list that is left for another workspace or environment keeps nothing of its address but the page. */
const listOf = (current: string): string => `/${current.split("/")[1] ?? ""}`;

const moveTo = (changes: Readonly<Record<string, string>>): void => {
  navigate(addressOf(listOf(path.value), changes));
  completeAddress();
};

const ScopeChoice = () => {
  const id = useId();
  const session = currentSession.value;
  const shownEnvironments = session?.environment
    ? [session.environment]
    : (["production", "sandbox"] as const);
  return (
    <div class="scope">
      {isOperator() && (
        <div class="scope-field">
          <label for={`${id}-workspace`}>Workspace</label>
          <Select
            id={`${id}-workspace`}
            value={workspaceId.value ?? ""}
            choices={workspaces.value?.map((each) => ({ value: each.id, text: each.name })) ?? []}
            onValue={(workspace) => moveTo({ workspace })}
          />
          <a class="scope-link" href={addressOf("/workspaces/new")}>
            New workspace
          </a>
        </div>
      )}
      {!isOperator() && <p class="workspace-name">{session?.workspace?.name}</p>}
      <div class="scope-field">
        <label for={`${id}-environment`}>Environment</label>
        <Select
          id={`${id}-environment`}
          value={environment.value}
          choices={shownEnvironments.map((value) => ({ value, text: environmentNames[value] }))}
          onValue={(chosen) => moveTo({ environment: chosen })}
        />
      </div>
    </div>
  );
};

const Person = () => {
  const [isAsking, setAsking] = useState(false);
  const session = currentSession.value;
  const who = session?.name ?? (isOperator() ? "Operator" : "Signed in with a token");
  const leave = async (): Promise<void> => {
    await signOut();
    navigate("/console", { isReplaced: true });
  };
  return (
    <div class="person">
      <p>{who}</p>
      <Button variant="plain" onPress={() => void leave().catch(() => setAsking(true))}>
        Sign out
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="You are still signed in"
          action="Try again"
          onConfirm={leave}
          onClose={() => setAsking(false)}
        >
          <p>The server did not answer, so the session could not be ended.</p>
        </ConfirmDialog>
      )}
    </div>
  );
};

const productionText = (): string =>
  isReportsOnly.value
    ? "Production: your access key sees reports alone until the operator enables the full API here."
    : "Production: messages reach the devices of real people.";

/** The frame around every page. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const isSandbox = environment.value === "sandbox";
  return (
    <div class={`shell${isSandbox ? " shell-sandbox" : ""}`} data-away={awaySince.value !== null}>
      <a class="skip" href={`${changedAddress({})}#main`}>
        Skip to content
      </a>
      <header class="side">
        <div class="side-top">
          <p class="brand">Waypost</p>
          <button
            type="button"
            class="button button-secondary menu-button"
            aria-expanded={isMenuOpen}
            aria-controls="side-menu"
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            Menu
          </button>
        </div>
        <div
          id="side-menu"
          class={isMenuOpen ? "side-menu is-open" : "side-menu"}
          onClick={(event) => {
            if (event.target instanceof HTMLAnchorElement) setMenuOpen(false);
          }}
        >
          <SearchKeys />
          <ScopeChoice />
          <Navigation />
          <Person />
        </div>
      </header>
      <div class="content">
        <aside
          class={isSandbox ? "strip sandbox-strip" : "strip"}
          aria-label={environmentNames[environment.value]}
        >
          {isSandbox ? "Sandbox: only approved test devices get messages." : productionText()}
        </aside>
        <AwayNotice />
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
};
