/** The cookie of a session. Browsers send a cookie to all ports of its host. */

/**
 * The name of the cookie. Over https it has the prefix `__Host-`, so that neither another host of the domain
 * nor an unencrypted page can set it. Over http it has the port that the browser called, so that two
 * installations on one host do not overwrite each other's.
 */
export const sessionCookieName = (isSecure: boolean, host: string | undefined): string =>
  isSecure ? "__Host-waypost_session" : `waypost_session_${URL.parse(`http://${host ?? ""}`)?.port || "80"}`;

/** The secret in a `Cookie` header; null for none, and for two different ones. */
export const readSessionCookie = (header: string | undefined, name: string): string | null => {
  const values = new Set(
    (header ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1)),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && value !== "" ? value : null;
};

/** The `Set-Cookie` header that stores a secret for a time. */
export const sessionCookie = (name: string, secret: string, seconds: number): string =>
  `${name}=${secret}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict` +
  (name.startsWith("__Host-") ? "; Secure" : "");

/** The `Set-Cookie` header that removes the cookie. */
export const endedCookie = (name: string): string => sessionCookie(name, "", 0);
