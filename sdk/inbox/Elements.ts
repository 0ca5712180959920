type Properties = Readonly<Record<string, string | boolean>>;

/**
 * Makes an element with attributes and children. A text child is text, never markup. `part` names the element
 * for the page's styles.
 */
export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(properties))
    if (value !== false) element.setAttribute(attribute, value === true ? "" : value);
  element.append(...children);
  return element;
};

/** Whether an address may be opened: not one that runs code. */
export const isOpenable = (address: unknown): address is string => {
  if (typeof address !== "string" || address === "") return false;
  return !/^(?:javascript|data|blob|vbscript|file):$/.test(make("a", { href: address }).protocol);
};
