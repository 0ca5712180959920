/** The SDK of a service worker. */
export const version = 1;
