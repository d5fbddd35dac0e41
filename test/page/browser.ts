// A real Chromium, headless, and what the tests of the page ask of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, launch, type Page } from "puppeteer-core";
import { findProgram } from "../processes.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Where a Chromium is: the one that CHROMIUM names, or one of the PATH; null when there is none. */
export const CHROMIUM = process.env.CHROMIUM || findProgram(NAMES);

/** Starts it with a profile of its own, which is gone once it is closed. */
export async function startBrowser(): Promise<{ browser: Browser; stop(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await launch({
    executablePath: CHROMIUM ?? "",
    userDataDir: profile,
    // The sandbox doesn't start for root, as in a container; nothing is visited but the doors.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"],
  });
  return {
    browser,
    async stop() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** All that a page says and fetches, from its first byte. */
export interface Watched {
  page: Page;
  /** Errors and warnings of the console, exceptions, refusals of its policy. */
  complaints: string[];
  /** Requests to anywhere but `origin`. */
  strangers: string[];
}

export interface Look {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  motion?: "no-preference" | "reduce";
  script?: boolean;
}

/**
 * A new page, watched, where `prepare` runs before the page's own script. Unless asked, nothing moves: a click on what a
 * smooth scroll still carries away lands beside it.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 900, scheme = "light", motion = "reduce", script = true }: Look = {},
  prepare?: () => void,
): Promise<Watched> {
  const page = await browser.newPage();
  const [complaints, strangers]: string[][] = [[], []];
  page.on("console", (message) => {
    if (["error", "warn", "assert"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) strangers.push(request.url());
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: motion },
  ]);
  await page.setJavaScriptEnabled(script);
  if (prepare !== undefined) await page.evaluateOnNewDocument(prepare);
  await page.goto(url);
  return { page, complaints, strangers };
}

/** What axe-core finds wrong in the page as it is now: its rules, and where. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run(document)")) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${target.join(" ")}`));
}
