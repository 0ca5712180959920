/**
 * Every page of the console, in the order of the navigation. To add a page:
 *
 * 1. Write `<folder>/<Name>Page.tsx` with a component that renders `PageFrame`. Its only prop is `ids`, the
 *    parameters of its path. Data comes from `useData(platform.campaigns.list())` and the like (read again
 *    every 10 seconds), lists from `parts/list`, forms from `parts/form`.
 * 2. Add a row here. A row with `navigation` is a link for those who have the ability.
 * 3. Styles go into `<folder>/<Folder>.css`, imported by `parts/styles/Styles.css`: there is one style sheet.
 * 4. Test it in `test/console/<Name>Page.console.test.ts` with `checkPage` of `ConsoleTab`, which finds
 *    problems of accessibility, width, policy and origin on the page as it is.
 */
import type { ComponentType } from "preact";
import type { Ability } from "../data/Resources.ts";
import { again } from "../parts/LoadedLater.tsx";
import { isOperator, may } from "../session/SessionState.ts";
import type { PageProps } from "./PageProps.ts";

/** A page of the console. */
export interface PageRow {
  /** The path below /console; a part that begins with a colon is a parameter. */
  readonly path: string;
  /** The text of its link; pages without one are reached from others. */
  readonly navigation?: string;
  /** The name of a page that has no link there, and can be gone to by its name. */
  readonly title?: string;
  /** Whether the session may use the page. */
  readonly isAllowed: () => boolean;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

const needs = (ability: Ability) => (): boolean => may(ability);

/**
 * All pages. The first one that a session may use is the one it begins with. Of two that match a path, the
 * first is shown: one without a parameter stands before one with it.
 */
export const pageTable: ReadonlyArray<PageRow> = [
  {
    path: "/",
    navigation: "Overview",
    isAllowed: needs("reports:read"),
    load: async () => (await again(() => import("../overview/OverviewPage.tsx"))).OverviewPage,
  },
  {
    path: "/campaigns",
    navigation: "Campaigns",
    isAllowed: needs("campaigns:read"),
    load: async () => (await again(() => import("../campaigns/CampaignListPage.tsx"))).CampaignListPage,
  },
  {
    path: "/campaigns/new",
    title: "New campaign",
    isAllowed: needs("campaigns:write"),
    load: async () => (await again(() => import("../campaigns/CampaignEditorPages.tsx"))).NewCampaignPage,
  },
  {
    path: "/campaigns/:campaign/edit",
    isAllowed: () => may("campaigns:read") && may("campaigns:write"),
    load: async () => (await again(() => import("../campaigns/CampaignEditorPages.tsx"))).EditCampaignPage,
  },
  {
    path: "/campaigns/:campaign",
    isAllowed: needs("campaigns:read"),
    load: async () => (await again(() => import("../campaigns/CampaignPage.tsx"))).CampaignPage,
  },
  {
    path: "/campaigns/:campaign/recipients",
    isAllowed: needs("sends:read"),
    load: async () => (await again(() => import("../campaigns/RecipientsPage.tsx"))).RecipientsPage,
  },
  {
    path: "/campaigns/:campaign/notifications/new",
    isAllowed: () => may("campaigns:read") && may("notifications:write"),
    load: async () =>
      (await again(() => import("../notifications/NotificationPages.tsx"))).NewNotificationPage,
  },
  {
    path: "/campaigns/:campaign/notifications/:notification",
    isAllowed: () => may("campaigns:read") && may("notifications:read") && may("notifications:write"),
    load: async () =>
      (await again(() => import("../notifications/NotificationPages.tsx"))).EditNotificationPage,
  },
  {
    path: "/locations",
    navigation: "Locations",
    isAllowed: needs("locations:read"),
    load: async () => (await again(() => import("../locations/LocationListPage.tsx"))).LocationListPage,
  },
  {
    path: "/locations/import",
    title: "Import locations",
    isAllowed: needs("locations:write"),
    load: async () => (await again(() => import("../locations/import/ImportPage.tsx"))).ImportPage,
  },
  {
    path: "/locations/draw",
    title: "Draw a location",
    isAllowed: needs("locations:write"),
    load: async () => (await again(() => import("../locations/DrawPage.tsx"))).DrawPage,
  },
  {
    path: "/media",
    navigation: "Media",
    isAllowed: needs("media:read"),
    load: async () => (await again(() => import("../media/MediaPage.tsx"))).MediaPage,
  },
  {
    path: "/segments",
    navigation: "Segments",
    isAllowed: needs("segments:read"),
    load: async () => (await again(() => import("../segments/SegmentListPage.tsx"))).SegmentListPage,
  },
  {
    path: "/segments/new",
    title: "New segment",
    isAllowed: needs("segments:write"),
    load: async () => (await again(() => import("../segments/NewSegmentPage.tsx"))).NewSegmentPage,
  },
  {
    path: "/segments/:segment",
    isAllowed: needs("segments:read"),
    load: async () => (await again(() => import("../segments/SegmentPage.tsx"))).SegmentPage,
  },
  {
    path: "/devices",
    navigation: "Devices",
    isAllowed: needs("devices:read"),
    load: async () => (await again(() => import("../devices/DeviceListPage.tsx"))).DeviceListPage,
  },
  {
    path: "/devices/:device",
    isAllowed: needs("devices:read"),
    load: async () => (await again(() => import("../devices/DevicePage.tsx"))).DevicePage,
  },
  {
    path: "/events",
    navigation: "Events",
    isAllowed: needs("devices:read"),
    load: async () => (await again(() => import("../events/EventListPage.tsx"))).EventListPage,
  },
  {
    path: "/sends",
    navigation: "Sends",
    isAllowed: needs("sends:read"),
    load: async () => (await again(() => import("../sends/SendListPage.tsx"))).SendListPage,
  },
  {
    path: "/sends/:send",
    isAllowed: needs("sends:read"),
    load: async () => (await again(() => import("../sends/SendPage.tsx"))).SendPage,
  },
  {
    path: "/calendar",
    navigation: "Calendar",
    isAllowed: () => may("sends:read") && may("campaigns:read"),
    load: async () => (await again(() => import("../calendar/CalendarPage.tsx"))).CalendarPage,
  },
  {
    path: "/reports",
    navigation: "Reports",
    isAllowed: needs("reports:read"),
    load: async () => (await again(() => import("../reports/ReportsPage.tsx"))).ReportsPage,
  },
  {
    path: "/activity",
    navigation: "Activity",
    isAllowed: needs("activity:read"),
    load: async () => (await again(() => import("../activity/ActivityPage.tsx"))).ActivityPage,
  },
  {
    path: "/settings",
    navigation: "Settings",
    isAllowed: () => isOperator() || may("webhooks:read"),
    load: async () => (await again(() => import("../settings/SettingsPage.tsx"))).SettingsPage,
  },
  {
    path: "/settings/sessions",
    title: "Sessions",
    isAllowed: isOperator,
    load: async () => (await again(() => import("../session/SessionListPage.tsx"))).SessionListPage,
  },
  {
    path: "/settings/webhooks/:webhook",
    isAllowed: needs("webhooks:read"),
    load: async () => (await again(() => import("../settings/WebhookPage.tsx"))).WebhookPage,
  },
  {
    path: "/workspaces/new",
    title: "New workspace",
    isAllowed: isOperator,
    load: async () => (await again(() => import("../settings/NewWorkspacePage.tsx"))).NewWorkspacePage,
  },
];

/** A page with the parameters of an address. */
export interface FoundPage extends PageProps {
  readonly page: PageRow;
}

const match = (pattern: string, path: string): Readonly<Record<string, string>> | null => {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const ids: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? "";
    // An id of dots or spaces alone is none: it would change the path of a request.
    if (part.startsWith(":") && /[^.\s]/.test(decodeURIComponent(text)))
      ids[part.slice(1)] = decodeURIComponent(text);
    else if (part !== text) return null;
  }
  return ids;
};

/** The page of a path; null for an unknown path. */
export const findPage = (path: string): FoundPage | null => {
  for (const page of pageTable) {
    const ids = match(page.path, path);
    if (ids !== null) return { page, ids };
  }
  return null;
};
