import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    // Pictures are not checks and made only when asked for.
    include: [process.env['TARE_SHOTS'] ? '*.look.ts' : '*.e2e.ts'],
    globalSetup: ['pages.ts'],
    // Two browsers at a time: one file alone leaves a core of two idle.
    maxWorkers: 2,
    // No limits on how fast anything is, only on how long a failure takes.
    testTimeout: 600000,
    hookTimeout: 600000,
    expect: { poll: { timeout: 300000 } },
  },
});
