/** The lines of each icon, in a square of 24. */
const lines: Readonly<Record<string, string>> = {
  "/": "M3 11l9-7 9 7M6 9v11h12V9",
  "/campaigns": "M4 10v4h4l9 4V6l-9 4zM20 10v4M8 14l1 6h3l-1-5",
  "/locations": "M12 21c5-5 7-8 7-11a7 7 0 0 0-14 0c0 3 2 6 7 11zM12 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  "/media": "M4 5h16v14H4zM4 16l5-5 5 5 2-2 4 4M15 9h1",
  "/segments": "M11 4a8 8 0 1 0 9 9h-9zM15 3a8 8 0 0 1 6 6h-6z",
  "/devices": "M7 3h10v18H7zM11 18h2",
  "/events": "M13 3L5 14h6l-1 7 8-11h-6z",
  "/sends": "M21 4L3 11l6 3 3 6zM9 14l12-10",
  "/calendar": "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4",
  "/reports": "M5 20v-9M12 20V4M19 20v-6",
  "/activity": "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2",
  "/settings": "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
};

/** The icon of a page's link. The text beside it says the same. */
export const NavigationIcon = ({ path }: { readonly path: string }) => (
  <svg class="navigation-icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={lines[path]} />
  </svg>
);
