/** The program: who is signed in, the page of the address, and the frame around it. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ApiProblem, awaySince } from "../data/ApiCall.ts";
import { Button } from "../parts/Button.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { LoadProblem, Loading, PageFrame } from "../parts/PageFrame.tsx";
import { Toasts } from "../parts/Toasts.tsx";
import { followLinks, navigate, addressOf, path } from "../routing/Router.ts";
import { environment, workspace, workspaces } from "../session/Scope.ts";
import { SignInPage } from "../session/SignInPage.tsx";
import { loadWorkspaces, resumeSession } from "../session/SignIn.ts";
import { askForSession, currentSession, isOperator, isSessionKnown } from "../session/SessionState.ts";
import { AwayNotice } from "./AwayNotice.tsx";
import type { PageProps } from "./PageProps.ts";
import { findPage, type FoundPage, pageTable, type PageRow } from "./PageTable.ts";
import { Shell } from "./Shell.tsx";

const retryMillis = 3_000;

/** Components of pages that were opened before. */
const loadedPages = new Map<PageRow, ComponentType<PageProps>>();

const NotFoundPage = () => (
  <PageFrame title="Not found">
    <EmptyState
      title="There is nothing at this address"
      action={<a href={addressOf("/")}>Go to the start</a>}
    >
      It may have been deleted, or the address was not copied whole.
    </EmptyState>
  </PageFrame>
);

const ForbiddenPage = () => (
  <PageFrame title="Not allowed">
    <EmptyState title="Your access key does not allow this page">
      Abilities are chosen when a token is issued. Ask the operator of this installation for another one.
    </EmptyState>
  </PageFrame>
);

/** Shown for a page whose program did not arrive. It is asked for again until it does. */
const UnloadedPage = () => (
  <PageFrame
    title="This page could not be loaded"
    actions={<Button onPress={() => location.reload()}>Reload</Button>}
  >
    <p class="notice notice-problem" role="alert">
      It is tried again every few seconds. If Waypost was just upgraded, reload it: what you typed is kept.
    </p>
  </PageFrame>
);

/** The page of a row, loaded with its first visit. Rendered with the row as its key. */
const LoadedPage = ({ ids, page }: FoundPage) => {
  const [isMissing, setMissing] = useState(!loadedPages.has(page));
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    const load = async (): Promise<void> => {
      try {
        loadedPages.set(page, await page.load());
        if (!isLeft) setMissing(false);
      } catch {
        if (isLeft) return;
        setFailed(true);
        timer = setTimeout(() => void load(), retryMillis);
      }
    };
    if (isMissing) void load();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, []);
  const Component = loadedPages.get(page);
  if (isMissing || Component === undefined) return isFailed ? <UnloadedPage /> : <Loading />;
  // Another workspace or environment begins the page again: nothing of the one may show in the other.
  return <Component key={`${workspace.value?.id} ${environment.value} ${JSON.stringify(ids)}`} ids={ids} />;
};

/** The first page that the session may use. */
const firstPage = (): PageRow | undefined =>
  pageTable.find(({ isAllowed, navigation }) => navigation && isAllowed());

const CurrentPage = () => {
  const found = findPage(path.value === "/sign-in" ? "/" : path.value);
  if (found === null) return <NotFoundPage />;
  if (found.page.isAllowed()) return <LoadedPage key={found.page.path} {...found} />;
  const first = found.page.path === "/" ? firstPage() : undefined;
  return first === undefined ? <ForbiddenPage /> : <LoadedPage key={first.path} page={first} ids={{}} />;
};

/** An installation without a workspace begins with one. */
const useFirstWorkspace = (): void => {
  const isEmpty = currentSession.value !== null && isOperator() && workspaces.value?.length === 0;
  useEffect(() => {
    if (isEmpty && path.value !== "/workspaces/new")
      navigate("/console/workspaces/new", { isReplaced: true });
  }, [isEmpty]);
};

/** Reads who is signed in, again and again while the server is away. */
const useSession = (): ApiProblem | null => {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const isReady = isSessionKnown.value && (currentSession.value === null || workspaces.value !== null);
  useEffect(() => {
    if (isReady) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = () => {
      (isSessionKnown.value ? loadWorkspaces() : resumeSession()).catch((error: unknown) => {
        setProblem(error as ApiProblem);
        timer = setTimeout(read, retryMillis);
      });
    };
    read();
    return () => clearTimeout(timer);
  }, [isReady]);
  return isReady ? null : problem;
};

/** The browser has kept the page as it was, and shows it again: the person may have signed out meanwhile. */
const onShown = ({ persisted }: PageTransitionEvent): void => {
  if (persisted) askForSession();
};

/** The whole console. */
export const App = () => {
  const problem = useSession();
  useFirstWorkspace();
  useEffect(() => {
    document.addEventListener("click", followLinks);
    addEventListener("pageshow", onShown);
    return () => {
      document.removeEventListener("click", followLinks);
      removeEventListener("pageshow", onShown);
    };
  }, []);
  if (!isSessionKnown.value || (currentSession.value !== null && workspaces.value === null))
    return (
      <main class="sign-in" id="main">
        <p class="brand">Waypost</p>
        {awaySince.value === null ? <Loading /> : <AwayNotice />}
        <LoadProblem problem={problem ?? undefined} />
      </main>
    );
  if (currentSession.value === null)
    return (
      <>
        <AwayNotice />
        <SignInPage />
      </>
    );
  return (
    <Shell>
      <CurrentPage />
      <Toasts />
    </Shell>
  );
};
