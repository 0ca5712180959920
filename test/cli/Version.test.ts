import { assert, describe, it } from "@effect/vitest";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkedOutCommit, versionText } from "../../src/cli/Version.ts";

const commit = "64d7e6bcd3dfc204bd158114a35436f4c88e57f2";

/** The commit of a folder with these files. */
const commitOf = (files: Readonly<Record<string, string>>, below = "."): string => {
  const root = mkdtempSync(join(tmpdir(), "waypost-version-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    return checkedOutCommit(join(root, below));
  } finally {
    rmSync(root, { recursive: true });
  }
};

describe("the commit of a clone", () => {
  it("the commit is that of the branch, or HEAD's own if it is detached", () => {
    const branch = { ".git/HEAD": "ref: refs/heads/main\n" };
    assert.strictEqual(commitOf({ ...branch, ".git/refs/heads/main": `${commit}\n` }), commit);
    const packed = `# packed\n${"0".repeat(40)} refs/heads/old-main\n${commit} refs/heads/main\n`;
    assert.strictEqual(commitOf({ ...branch, ".git/packed-refs": packed }), commit);
    assert.strictEqual(commitOf({ ".git/HEAD": `${commit}\n` }), commit);
  });

  it("a further worktree reads its own HEAD and the branches of the clone", () => {
    const files = {
      "tree/.git": "gitdir: ../clone/.git/worktrees/tree\n",
      "clone/.git/worktrees/tree/HEAD": "ref: refs/heads/topic\n",
      "clone/.git/worktrees/tree/commondir": "../..\n",
      "clone/.git/refs/heads/topic": `${commit}\n`,
    };
    assert.strictEqual(commitOf(files, "tree"), commit);
  });

  it("a commit that cannot be known is empty", () => {
    assert.strictEqual(commitOf({}), "");
    assert.strictEqual(commitOf({ ".git/HEAD": "ref: refs/heads/main\n" }), "");
    assert.strictEqual(commitOf({ ".git/HEAD": "something else\n" }), "");
  });
});

describe("waypost --version", () => {
  it("the version has a line each for Waypost, its commit, the embedded PostgreSQL and Node", () => {
    const [waypost, from, postgres, node, ...rest] = versionText("waypost").split("\n");
    assert.match(waypost ?? "", /^waypost v\d+\.\d+\.\d+$/);
    assert.match(from ?? "", /^commit ([0-9a-f]{40,64}|unknown)$/);
    assert.match(postgres ?? "", /^PostgreSQL v\d+\.\d+$/);
    assert.strictEqual(node, `Node ${process.version}`);
    assert.isEmpty(rest);
  });
});
