import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConsoleTab } from "./ConsoleTab.ts";

interface Begun {
  readonly guid: string;
  readonly suggestedFilename: string;
}

interface Progress {
  readonly guid: string;
  readonly state: "inProgress" | "completed" | "canceled";
}

/** The file that a page saves while something is done, with the name that it suggests. */
export const savedFile = async (tab: ConsoleTab, act: () => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), "waypost-saved-"));
  const browserContextId = tab.page.browserContext().id;
  const client = await tab.page.createCDPSession();
  try {
    await client.send("Browser.setDownloadBehavior", {
      behavior: "allowAndName",
      ...(browserContextId === undefined ? {} : { browserContextId }),
      downloadPath: folder,
      eventsEnabled: true,
    });
    const name = new Promise<string>((resolve) => {
      client.once("Browser.downloadWillBegin", (begun: Begun) => resolve(begun.suggestedFilename));
    });
    const guid = new Promise<string>((resolve, reject) => {
      client.on("Browser.downloadProgress", ({ guid: file, state }: Progress) => {
        if (state === "completed") resolve(file);
        if (state === "canceled") reject(new Error("The file was not saved."));
      });
    });
    await act();
    return { name: await name, bytes: await readFile(join(folder, await guid)) };
  } finally {
    await client.detach();
    await rm(folder, { recursive: true });
  }
};
