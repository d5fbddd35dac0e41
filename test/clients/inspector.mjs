// The CLI of @modelcontextprotocol/inspector, a process for each request. MODE: its protocol era, legacy or modern.
import { execFile } from "node:child_process";
import { converse } from "./session.mjs";

const CLI = new URL("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url);
/** It prints the result of a tool that says no, and ends with this code. */
const SAID_NO = 5;

await converse(async (url, era) => {
  const ask = (/** @type {string[]} */ ...request) =>
    new Promise((resolve, reject) => {
      const args = [CLI.pathname, "--cli", url.href, "--transport", "http", "--protocol-era", era, ...request];
      execFile(process.execPath, args, (error, stdout, stderr) => {
        if (error === null || (error.code === SAID_NO && stdout.trim() !== "")) resolve(JSON.parse(stdout));
        else reject(JSON.parse(stderr).error);
      });
    });
  return {
    // --strict: a schema that some client could not take is an error.
    list: async () => (await ask("--method", "tools/list", "--strict")).tools,
    call: (name, given) =>
      ask("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(given)),
    close: async () => {},
  };
});
