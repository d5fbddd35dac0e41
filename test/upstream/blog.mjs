// The made-up blog's index, as a blog that has one would serve it: files on the loopback.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIndex } from "../../scripts/index.mjs";
import { listen } from "./server.mjs";

const BLOG = "test/fixtures/blog";
const NAME = "Le cabanon numérique";

/**
 * Builds an index, by words only unless `asked` says more, and leaves nothing of it on the disk.
 * @param {Parameters<typeof buildIndex>[0]} [asked]
 * @returns {Promise<Map<string, Buffer>>} its files, by name
 */
export async function buildBlog(asked = {}) {
  const out = mkdtempSync(join(tmpdir(), "blog-"));
  try {
    await buildIndex({ from: BLOG, name: NAME, voice: { say() {}, warn: console.error }, ...asked, out });
    return readFiles(out);
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** @param {string} folder */
export function readFiles(folder) {
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
}

/**
 * Serves files under `/blog/`, each with its ETag, as static hosts do: an address with two slashes in a row is another one.
 * @param {Map<string, Buffer>} files as they are at the time of a request
 * @returns {Promise<{ url: string, calls: string[], close(): Promise<void> }>} `url`: what INDEX_URL is set to
 */
export async function serveFiles(files) {
  const { url, calls, close } = await listen(0, (response, path, _, { headers }) => {
    const file = path.startsWith("/blog/") ? files.get(path.slice("/blog/".length)) : undefined;
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Page introuvable</title>");
      return;
    }
    const etag = `"${createHash("sha256").update(file).digest("hex").slice(0, 16)}"`;
    const isKnown = headers["if-none-match"] === etag;
    response.writeHead(isKnown ? 304 : 200, { etag }).end(isKnown ? "" : file);
  });
  return { url: `${url}/blog/index.json`, calls, close };
}
