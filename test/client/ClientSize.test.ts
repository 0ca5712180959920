import { assert, describe, it } from "@effect/vitest";
import { build } from "esbuild";
import { gzipSync } from "node:zlib";

const root = new URL("../../", import.meta.url).pathname;

// `ClientPackage.long.test.ts` builds the package and compiles programs with it.
describe("The typed clients in a browser", () => {
  it.each(["client", "operator", "device"])(
    "waypost/%s needs no other module, and is below 10 kB compressed (client.package)",
    async (entry) => {
      const { metafile, outputFiles } = await build({
        stdin: { contents: `export * from "waypost/${entry}";`, resolveDir: root },
        bundle: true,
        minify: true,
        format: "esm",
        platform: "browser",
        conditions: ["waypost-source"],
        write: false,
        metafile: true,
      });
      const others = Object.keys(metafile.inputs).filter((path) => !/^(<stdin>|src\/client\/)/.test(path));
      assert.deepStrictEqual(others, []);
      const bytes = gzipSync(outputFiles[0]?.contents ?? "").length;
      assert.isAbove(bytes, 1000);
      assert.isBelow(bytes, 10_000);
    },
  );
});
