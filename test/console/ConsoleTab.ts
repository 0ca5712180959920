import { assert } from "@effect/vitest";
import { Effect } from "effect";
import type { Page } from "puppeteer-core";
import { axeScript } from "../sdk/AxeFindings.ts";
import { TestBrowser } from "../browser/TestBrowser.ts";
import { TestWaypost, testOperatorKey } from "../TestWaypost.ts";

/** Options of axe-core: nothing but the violations. */
const fewResults = { resultTypes: ["violations"], selectors: false };

/** An element by its role and accessible name, as a screen reader finds it. */
const byRole = (role: string, name: string): string => `::-p-aria([name="${name}"][role="${role}"])`;

/**
 * Runs in the page: starts to record which elements get the focus, and whether they show it. Returns how many
 * elements the Tab key should reach: those of the modal dialog that is open, else of the whole page.
 */
const recordFocus = `(() => {
  document.activeElement?.blur();
  const dialog = document.querySelector("dialog:modal");
  const isReached = (element) =>
    element.tabIndex >= 0 && !element.disabled && !element.closest("[inert]") &&
    element.checkVisibility({ visibilityProperty: true }) &&
    !(element.type === "radio" && !element.checked && element.form?.elements.namedItem(element.name)?.value);
  const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";
  const all = [...(dialog ?? document).querySelectorAll(focusable)];
  const missing = new Set(all.filter(isReached));
  const unseen = new Set();
  const record = ({ target }) => {
    missing.delete(target);
    const { boxShadow, outlineStyle } = getComputedStyle(target);
    if (outlineStyle === "none" && boxShadow === "none") unseen.add(target);
  };
  document.addEventListener("focusin", record);
  window.endOfFocus = () => {
    document.removeEventListener("focusin", record);
    document.activeElement?.blur();
    const text = ({ outerHTML }) => outerHTML.slice(0, 200);
    return [
      ...[...missing].map((each) => "not reached by Tab: " + text(each)),
      ...[...unseen].map((each) => "does not show its focus: " + text(each)),
    ];
  };
  window.missesFocus = () => missing.size > 0;
  return missing.size;
})()`;

/**
 * A tab of the console, with what tests of pages do in it. Nothing waits for time, only for what must come.
 */
export class ConsoleTab {
  readonly page: Page;
  readonly origin: string;
  readonly problems: ReadonlyArray<string>;

  constructor(page: Page, origin: string, problems: ReadonlyArray<string>) {
    this.page = page;
    this.origin = origin;
    this.problems = problems;
  }

  /** Opens an address below /console. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}/console${path}`);
  }

  /** Waits for an element by role and name. */
  async see(role: string, name: string) {
    const found = await this.page.waitForSelector(byRole(role, name));
    if (found === null) throw new Error(`There is no ${role} "${name}"`);
    return found;
  }

  /** Waits for the page with this heading. */
  async seePage(name: string): Promise<void> {
    try {
      await this.page.waitForSelector(`::-p-xpath(//main//h1[normalize-space(.)="${name}"])`);
    } catch (cause) {
      const text = String(await this.page.evaluate("document.body.innerText"));
      throw new Error(`There is no page "${name}", but:\n${text}`, { cause });
    }
  }

  /** Waits for a text anywhere on the page. */
  async seeText(text: string): Promise<void> {
    await this.page.waitForSelector(`::-p-text(${text})`);
  }

  /** The address as the page knows it: `page.url()` can lag behind. */
  async address(): Promise<string> {
    return String(await this.page.evaluate("location.href"));
  }

  /** Waits until the address has a part. */
  async seeAddress(part: string): Promise<void> {
    await this.page.waitForFunction(`location.href.includes(${JSON.stringify(part)})`);
  }

  async press(role: string, name: string): Promise<void> {
    await this.click(byRole(role, name));
  }

  /**
   * Clicks an element, and again if the browser does not say that it did: a click that meets a new document
   * may never be answered.
   */
  async click(selector: string): Promise<void> {
    for (let left = 12; ; left--) {
      try {
        return await this.page.locator(selector).setTimeout(10_000).click();
      } catch (error) {
        if (left === 1) throw error;
      }
    }
  }

  /** Opens or closes what is folded under a text. */
  async unfold(summary: string): Promise<void> {
    await this.click(`::-p-xpath(//summary[starts-with(normalize-space(.), "${summary}")])`);
  }

  /** Replaces the text of a field by its label. */
  async fill(label: string, text: string, role?: string): Promise<void> {
    // A day with a time has two fields.
    const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d)$/.exec(text) ?? [];
    if (day !== undefined && time !== undefined) {
      await this.fill(label, day);
      return this.fill(`${label}, time`, time);
    }
    const roles = role === undefined ? ["textbox", "Date", "InputTime"] : [role];
    const field = this.page.locator(roles.map((each) => byRole(each, label)).join(", "));
    // At once, as pasted: a page that draws itself after each key takes ten times the CPU.
    await field.fill(text, { typingThreshold: 0 });
  }

  /** Chooses an option of a combobox by its text, once the page has it. */
  async choose(label: string, option: string): Promise<void> {
    const box = await this.see("combobox", label);
    const value = await this.page.waitForFunction(
      // Runs in the page: the options of a box may be asked from the server after the box is there.
      (element, text) => {
        const { options } = element as unknown as {
          readonly options: ReadonlyArray<{ readonly text: string; readonly value: string }>;
        };
        // An object, because the empty value of an option would be waited for.
        return [...options].filter((each) => each.text === text).map((each) => ({ value: each.value }))[0];
      },
      {},
      box,
      option,
    );
    await box.select((await value.jsonValue())?.value ?? "");
  }

  /** Chooses an option of a combobox that is searched by typing, by default a part of its text. */
  async find(label: string, option: string, typed = option): Promise<void> {
    await this.fill(label, typed, "combobox");
    await this.click(`::-p-xpath(//li[@role="option"][.//*[normalize-space(.)="${option}"]])`);
  }

  /** Signs in with an access key, at the address that the tab is at. */
  async signIn(accessKey: string = testOperatorKey): Promise<void> {
    const field = await this.page.waitForSelector("::-p-aria(Access key)");
    await field?.focus();
    await this.page.keyboard.sendCharacter(accessKey);
    await this.press("button", "Sign in");
    await this.page.waitForSelector("nav[aria-label=Pages]");
  }

  /**
   * The violations that axe-core finds: of its default rules in the light theme, and of those about colours
   * in the dark one. The themes differ in nothing but colours (`test/console/ConsoleThemes.test.ts`).
   */
  async accessibilityProblems(): Promise<ReadonlyArray<string>> {
    // The policy of the page forbids scripts that it does not serve, so axe runs outside of it.
    const client = await this.page.createCDPSession();
    const run = async (expression: string): Promise<unknown> =>
      (
        await client.send("Runtime.evaluate", {
          expression,
          awaitPromise: true,
          returnByValue: true,
          allowUnsafeEvalBlockedByCSP: true,
        })
      ).result.value;
    if ((await run("typeof axe")) === "undefined") await run(axeScript);
    const found: Array<string> = [];
    for (const [theme, options] of [
      ["light", fewResults],
      ["dark", { ...fewResults, runOnly: ["color-contrast", "link-in-text-block"] }],
    ] as const) {
      await this.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      const violations = (await run(
        `axe.run(${JSON.stringify(options)}).then(({violations}) => violations.map(({id, nodes}) => ` +
          "id + ': ' + nodes.map(({html, failureSummary}) => html + ' ' + failureSummary).join(' | ')))",
      )) as ReadonlyArray<string>;
      found.push(...violations.map((violation) => `${theme} ${violation}`));
    }
    await client.detach();
    await this.page.emulateMediaFeatures([]);
    return found;
  }

  /** Elements that the Tab key does not reach, and those that do not show that they have the focus. */
  async keyboardProblems(): Promise<ReadonlyArray<string>> {
    const { keyboard } = this.page;
    const count = Number(await this.page.evaluate(recordFocus));
    // The walk may begin anywhere, and passes elements which are there only while it does. Tab stays pressed,
    // so each event moves the focus: to ask the page after each would take most of the time.
    for (let pressed = 0; pressed < 2 * count + 10; pressed += 10) {
      await Promise.all(Array.from({ length: 10 }, () => keyboard.down("Tab")));
      if (!(await this.page.evaluate("window.missesFocus()"))) break;
    }
    await keyboard.up("Tab");
    return (await this.page.evaluate("window.endOfFocus()")) as ReadonlyArray<string>;
  }

  /** By how many pixels the page is wider than a window of 360 pixels. */
  async overflowAt360(): Promise<number> {
    const before = this.page.viewport();
    await this.page.setViewport({ ...before, width: 360, height: 800 });
    // A map or a chart takes its new width only after the page has it.
    const fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    await this.page.waitForFunction(fits).catch(() => undefined);
    const overflow = await this.page.$eval(
      "html",
      ({ clientWidth, scrollWidth }) => scrollWidth - clientWidth,
    );
    await this.page.setViewport(before);
    // Otherwise the next click may hit where an element was before.
    if (before !== null) await this.page.waitForFunction(`innerWidth === ${before.width}`);
    return overflow;
  }
}

/** Opens a tab of its own, with a cookie jar and a storage of its own. */
export const consoleTab = Effect.gen(function* () {
  const { origin } = yield* TestWaypost;
  const { page, problems } = yield* (yield* TestBrowser).open(origin);
  return new ConsoleTab(page, origin, problems);
});

/**
 * The rules of every page, as it is now: axe-core finds nothing in either theme, nothing is wider than 360
 * pixels, the Tab key reaches everything, there is one `h1`, and so far no error, no violation of the policy
 * and no request elsewhere.
 */
export const checkPage = (tab: ConsoleTab) =>
  Effect.promise(async () => {
    assert.deepStrictEqual(await tab.accessibilityProblems(), []);
    assert.strictEqual(await tab.overflowAt360(), 0, "scrolls at 360 pixels");
    assert.deepStrictEqual(await tab.keyboardProblems(), []);
    assert.strictEqual((await tab.page.$$("h1")).length, 1);
    assert.deepStrictEqual(tab.problems, []);
  });
