/** Masks what names a person in the paths of requests: user ids, and installation ids of registrations. */

const people = /(\/people\/)[^/?]+/;
const installation = /^(\/device\/v1\/devices\/)(?!me(?:$|[/?]))[^/?]+/;
const masked = "$1<masked>";

/** The path or address of a request without what names a person. */
export const withoutPerson = (path: string): string => {
  const origin = /^https?:\/\/[^/]*/.exec(path)?.[0] ?? "";
  return origin + path.slice(origin.length).replace(people, masked).replace(installation, masked);
};
