/** What every page gets: the parameters of its path, such as `{campaign}`. */
export interface PageProps {
  readonly ids: Readonly<Record<string, string>>;
}
