// Runs a command of scripts/ until it ends by itself, without npm. For the tests that run in Node.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** `env`: added to the environment, or removed from it when undefined. */
export function runCommand(
  script: string,
  args: string[],
  env: Record<string, string | undefined> = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, encoding: "utf8", timeout: 50_000, env: { ...process.env, ...env } } as const;
    execFile(process.execPath, [`scripts/${script}.mjs`, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}
