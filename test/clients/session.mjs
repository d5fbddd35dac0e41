// What every JavaScript client of this folder does in one go: it lists the tools, asks each question, and prints in JSON
// what it hands to the program that uses it.

/**
 * @typedef {{ content?: { type: string, text?: string }[], isError?: boolean }} Result of a tool, as MCP defines it
 * @typedef {{ name: string, description?: string, inputSchema: object }} Tool
 *
 * An open client, and the same three things with each of them.
 * @typedef {object} Session
 * @property {() => Promise<Tool[]>} list
 * @property {(name: string, given: Record<string, unknown>) => Promise<unknown>} call a `Result`; rejects when the client throws
 * @property {() => Promise<unknown>} close
 */

/** The token of a run of the bridge, for the child of one. @type {Record<string, string>} */
export const HEADERS =
  process.env.LABO_MCP_TOKEN === undefined ? {} : { Authorization: `Bearer ${process.env.LABO_MCP_TOKEN}` };

/**
 * Runs as `node CLIENT.mjs URL QUESTIONS [MODE]`, QUESTIONS being the params of each `tools/call`, in a JSON array.
 * @param {(url: URL, mode: string) => Promise<Session>} open
 */
export async function converse(open) {
  const [url, questions, mode = ""] = process.argv.slice(2);
  const { list, call, close } = await open(new URL(url), mode);
  const tools = (await list()).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const answers = [];
  for (const { name, arguments: given } of JSON.parse(questions)) {
    answers.push(await call(name, given).then(readResult, readError));
  }
  await close();
  console.log(JSON.stringify({ tools, answers }));
}

/** @param {unknown} result */
function readResult(result) {
  const { content = [], isError = false } = /** @type {Result} */ (result);
  return { said: content.map(({ type, text }) => text ?? type), isError };
}

/** @param {{ code?: unknown, message: string }} error */
function readError({ code, message }) {
  return { thrown: message, code };
}
