import react from '@vitejs/plugin-react';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

/** `build.cjs` runs it, compresses what it makes and checks the budgets. */
export default defineConfig({
  root: import.meta.dirname,
  // Every address is relative to <base href>, which the admin API fills in.
  base: './',
  plugins: [react()],
  resolve: { alias: [{ find: /^@gw\/([a-z-]+)$/, replacement: join(ROOT, 'libs/$1/src/index.ts') }] },
  build: {
    outDir: join(ROOT, 'dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no `data:` address for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    sourcemap: 'hidden',
    reportCompressedSize: false,
    // Budgets of build.cjs hold instead.
    chunkSizeWarningLimit: 2_000,
    // Texts of a page are loaded with the page, although the shell reads its own from the same index.
    rolldownOptions: {
      treeshake: { moduleSideEffects: [{ test: /\/apps\/console\/src\/messages\//, sideEffects: false }] },
    },
  },
  server: {
    port: 5173,
    proxy: { '/v1': process.env['ADMIN_URL'] ?? 'http://127.0.0.1:8788' },
  },
});
