import react from '@vitejs/plugin-react';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

const BEGIN = '/src/begin/begin.ts';
/** Modules of the chunk of that script. */
const FIRST = /\/src\/begin\/|preload-helper/;
/** Modules of menus, dialogs and popups. They render nothing before one of them is opened. */
const KIT =
  /\/node_modules\/(?:@mantine\/core\/esm\/components\/(?:Drawer|Menu|Modal|Popover|SegmentedControl|Switch|TextInput)\/|@floating-ui\/)/;
const FONT = /inter-latin-wght-normal.*\.woff2$/;

/** Plugin that preloads the `begin` script and the main font before the rest of the console. */
const beginsFirst = (): Plugin => ({
  name: 'begins-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const begin = Object.values(bundle).find(
        (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(BEGIN),
      );
      const font = Object.keys(bundle).find((name) => FONT.test(name));
      const tags = [
        `<script type="module" async crossorigin src="${begin === undefined ? BEGIN : `./${begin.fileName}`}"></script>`,
        ...(font === undefined
          ? []
          : [`<link rel="preload" as="font" type="font/woff2" crossorigin href="./${font}">`]),
      ];
      // Inserted after `<base>`, which all addresses need, and before the other tags.
      return html.replace('<title>', `${tags.join('\n    ')}\n    <title>`);
    },
  },
});

/**
 * Vite configuration. `build.cjs` runs the build, compresses its output and checks the size
 * budgets.
 */
export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative to <base href>, which the admin API sets.
  base: './',
  plugins: [react(), beginsFirst()],
  // `JSON.parse` is faster than parsing an object literal.
  json: { stringify: true },
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
    // `build.cjs` checks size budgets instead.
    chunkSizeWarningLimit: 2_000,
    // The texts of a page are loaded with the page, although the shell imports its texts from the
    // same index.
    rolldownOptions: {
      input: [join(import.meta.dirname, 'index.html'), join(import.meta.dirname, BEGIN)],
      // One file for the code that every page needs, because each further file costs a request at
      // the start of a page.
      output: {
        codeSplitting: {
          groups: [
            { name: 'begin', test: FIRST, priority: 1 },
            { name: 'shell', tags: ['$initial'] },
            { name: 'kit', test: KIT },
          ],
        },
      },
      treeshake: { moduleSideEffects: [{ test: /\/apps\/console\/src\/messages\//, sideEffects: false }] },
    },
  },
  server: {
    port: 5173,
    proxy: { '/v1': process.env['ADMIN_URL'] ?? 'http://127.0.0.1:8788' },
  },
});
