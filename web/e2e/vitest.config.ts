import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Pictures are no checks and made only when asked for. One browser, two cores: files one after another.
  test: { include: [process.env['TARE_SHOTS'] ? '*.look.ts' : '*.e2e.ts'], testTimeout: 120000, hookTimeout: 60000, fileParallelism: false },
});
