// The tests of `npm run test:clients`, apart from those of `npm test`: what they run is not installed with the project.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/clients/*.test.ts"],
    reporters: ["default", "./test/reporter.ts"],
    testTimeout: 60_000,
    // Three doors start, with their sources.
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
