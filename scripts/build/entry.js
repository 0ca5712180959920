// The first file of the executable; bin/waypost.js does the same in a source tree.
if (process.argv[2] === "media-worker") void import("../../src/media/worker/MediaWorker.ts");
else void import("../../src/main.ts");
