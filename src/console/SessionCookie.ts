/**
 * The cookie of a session. Over https its name has the prefix `__Host-`, so that neither another host of the
 * domain nor an unencrypted page can set it.
 */
const secureName = "__Host-waypost_session";
const plainName = "waypost_session";

const valuesOf = (header: string, name: string): ReadonlyArray<string> =>
  header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));

/** The secret in a `Cookie` header; null for none, and for two different ones. */
export const readSessionCookie = (header: string | undefined, isSecure: boolean): string | null => {
  if (header === undefined) return null;
  const secure = valuesOf(header, secureName);
  const values = new Set(secure.length > 0 || isSecure ? secure : valuesOf(header, plainName));
  const [value] = values;
  return values.size === 1 && value !== undefined && value !== "" ? value : null;
};

/** The `Set-Cookie` header that stores a secret for a time. */
export const sessionCookie = (secret: string, seconds: number, isSecure: boolean): string =>
  `${isSecure ? secureName : plainName}=${secret}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict` +
  (isSecure ? "; Secure" : "");

/** The `Set-Cookie` header that removes the cookie. */
export const endedCookie = (isSecure: boolean): string => sessionCookie("", 0, isSecure);
