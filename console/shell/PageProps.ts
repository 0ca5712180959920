/** Properties of every page: the parameters of its path, such as `{campaign}`. */
export interface PageProps {
  readonly ids: Readonly<Record<string, string>>;
}
