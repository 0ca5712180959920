/** The SDK of a page. */
export const start = (): void => {};
