// Runs the file of tests that fails, alone.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: { include: ["interfaces/test-kit/testing/*.fixture.ts"], pool: "forks", reporters: ["default"] }
})
