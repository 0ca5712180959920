type Json = { [key: string]: any };

/**
 * Makes a generated OpenAPI document say what clients see: paths relative to the interface's base, which stands as its server.
 */
export const tidyOpenApi =
  (base: string, servers: ReadonlyArray<{ readonly url: string; readonly description: string }>) =>
  (document: Json): Json => {
    const paths: Json = {};
    for (const [path, item] of Object.entries(document["paths"] as Json)) {
      paths[path.startsWith(base) ? path.slice(base.length) : path] = item;
    }
    return { ...document, servers, paths };
  };
