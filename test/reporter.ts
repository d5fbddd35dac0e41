import type { Reporter, TestCase, TestModule } from "vitest/node";

/** A test says why it is skipped in its note, a group in its name. */
function reasonOf(test: TestCase): string {
  const { note } = test.result() as { note?: string };
  return note ?? (test.parent.type === "suite" ? test.parent.name : test.name);
}

/** Says in one last line how many tests passed, failed and were skipped, and why each skipped one was. */
export default class Tally implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file that could not even be collected is a failure of its own.
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) counts.failed++;
      // So is a group whose hook failed: none of its tests could be run.
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) counts[test.result().state]++;
    }
    const skipped = counts.skipped + counts.pending;
    const reasons = new Set(modules.flatMap((module) => [...module.children.allTests("skipped")].map(reasonOf)));
    for (const reason of reasons) console.log(`skipped: ${reason}`);
    console.log(`${counts.passed} passed, ${counts.failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  }
}
