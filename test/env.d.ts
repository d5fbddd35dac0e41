/// <reference types="@cloudflare/vitest-plugin/types" />

/** A door, as `export default` gives it. */
interface Door {
  fetch(
    request: Request,
    env: Record<string, unknown>,
    ctx: { waitUntil(work: Promise<unknown>): void; passThroughOnException(): void; props: unknown },
  ): Response | Promise<Response>;
}

/** The door whose project runs the test. */
declare module "#door" {
  const door: Door;
  export default door;
}

/** The core block under test/protocol/fixture-tools.ts. */
declare module "#fixture-door" {
  const door: Door;
  export default door;
}

/** A document of the house, as text. */
declare module "*.md?raw" {
  const text: string;
  export default text;
}
