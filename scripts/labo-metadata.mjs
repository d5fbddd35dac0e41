// npm run labo:metadata: the two client-metadata documents that the private door knows by heart, against the live ones.
import { clip, readOrigin, sayNoAnswer } from "./address.mjs";
import { loadLock } from "./bundle.mjs";
import { command, UsageError } from "./command.mjs";

const HELP = `npm run labo:metadata -- [--from ORIGIN]

Compares the return addresses that workers/labo/oauth.ts knows of each client with those that its document, at the address
which is its id, publishes today. Run it once a week: when they differ, Claude's sign-in changes, and PINNED has to follow.

  --from ORIGIN    where the documents are read, instead of the origin of their ids

Exit code 1 when a document differs or can't be read, with a line for each difference; 2 when an argument is wrong.`;

/** Longer than any of them: what a server may take, and what it may send. */
const TIMEOUT_MS = 5_000;
const SIZE_LIMIT = 5_120;

await command(HELP, { from: { type: "string" } }, async ({ from }, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const origin = from === undefined ? null : readOrigin(from, "--from").origin;
  const { PINNED: pinned } = await loadLock();
  const faults = (
    await Promise.all(
      [...pinned].map(async ([id, redirects]) =>
        (await faultsOf(id, redirects, origin)).map((fault) => `${id}: ${fault}`),
      ),
    )
  ).flat();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
  console.log(`labo: ${pinned.size} documents, as they are known`);
});

/**
 * @param {string} id
 * @param {readonly string[]} redirects
 * @param {string | null} origin
 * @returns {Promise<string[]>} a line for each difference
 */
async function faultsOf(id, redirects, origin) {
  const { pathname } = new URL(id);
  const document = await fetchDocument(origin === null ? id : new URL(pathname, origin).href);
  if (typeof document === "string") return [document];
  const { client_id: said, redirect_uris: listed, token_endpoint_auth_method: method = "none" } = document;
  if (!Array.isArray(listed)) return ["it has no redirect_uris"];
  const show = (/** @type {unknown} */ value) => clip(JSON.stringify(value) ?? "nothing");
  const added = listed.filter((address) => !redirects.includes(address));
  const gone = redirects.filter((address) => !listed.includes(address));
  return [
    ...(said === id ? [] : [`its client_id is ${show(said)}`]),
    ...added.map((address) => `it has ${show(address)}, which isn't known here`),
    ...gone.map((address) => `it hasn't ${address} any more`),
    ...(method === "none" ? [] : [`its token_endpoint_auth_method is ${show(method)}, not "none"`]),
  ];
}

/**
 * @param {string} address
 * @returns {Promise<Record<string, unknown> | string>} the document, or why there is none
 */
async function fetchDocument(address) {
  try {
    const response = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status !== 200) return `it answers ${response.status}`;
    const chunks = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > SIZE_LIMIT) return `it is longer than ${SIZE_LIMIT} bytes`;
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    const document = parse(text);
    return document ?? `it isn't a JSON object: ${clip(text)}`;
  } catch (error) {
    return sayNoAnswer(error);
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | null}
 */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
