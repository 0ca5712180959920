import { assert, describe, it } from "@effect/vitest";
import { validateHeaderValue } from "node:http";
import { contentDisposition } from "../../src/media/DownloadName.ts";

describe("contentDisposition", () => {
  it("a file is shown inline and saved under its own name", () => {
    assert.strictEqual(contentDisposition("cup.png", "image/png"), 'inline; filename="cup.png"');
    assert.strictEqual(contentDisposition("Foto.JPEG", "image/jpeg"), 'inline; filename="Foto.JPEG"');
    assert.strictEqual(
      contentDisposition("café (1).png", "image/png"),
      `inline; filename="caf_ (1).png"; filename*=UTF-8''caf%C3%A9%20%281%29.png`,
    );
  });

  it("the download name gets an extension of the file's type", () => {
    assert.strictEqual(
      contentDisposition("Autumn offer", "image/webp"),
      'inline; filename="Autumn offer.webp"',
    );
    assert.strictEqual(contentDisposition("page.html", "image/gif"), 'inline; filename="page.html.gif"');
    assert.strictEqual(contentDisposition("v1.2", "video/quicktime"), 'inline; filename="v1.2.mov"');
  });

  it("no file name can escape the header, its line or the download folder", () => {
    for (const name of [
      'a"; filename="b.exe',
      "a\r\nset-cookie: b=c",
      "../../etc/passwd",
      "C:\\Windows\\x",
      "\u202Egnp.exe",
      "\ud800",
      "...",
      " ",
      "%2e%2e%2f",
      "a\0b",
      "日本語".repeat(85),
      "🏳️‍🌈".repeat(40),
    ]) {
      const header = contentDisposition(name, "image/png");
      validateHeaderValue("content-disposition", header);
      assert.match(
        header,
        /^inline; filename="[^"\\/\r\n;%]+\.png"(?:; filename\*=UTF-8''[\w.!~%-]+\.png)?$/,
        name,
      );
    }
  });
});
