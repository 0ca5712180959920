/** The element `<waypost-inbox>`. */
export const version = 1;
