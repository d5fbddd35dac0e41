// A server on the loopback that plays a source.
import { createServer } from "node:http";

/**
 * Answers every request with `respond`, told its path with its query, until closed.
 * @param {number} port 0 for any
 * @param {(
 *   response: import("node:http").ServerResponse, path: string, rank: number, request: import("node:http").IncomingMessage
 * ) => unknown} respond rank: from 1
 * @returns {Promise<{ url: string, calls: string[], close(): Promise<void> }>} `calls`: paths, in order
 */
export async function listen(port, respond) {
  /** @type {string[]} */
  const calls = [];
  // Longer than any client keeps a connection: one that it uses again must not be closing.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { url: path = "/" } = request;
    calls.push(path);
    // `*`, or a whole address, as for a proxy: whoever answers would take it for a path.
    if (!path.startsWith("/")) {
      response.writeHead(400).end();
      return;
    }
    // One request that can't be answered, cut or malformed, ends alone.
    const rank = calls.length;
    new Promise((resolve) => resolve(respond(response, path, rank, request))).catch((error) => {
      console.error(`${path}: ${error instanceof Error ? error.message : error}`);
      response.destroy();
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
