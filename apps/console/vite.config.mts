import react from '@vitejs/plugin-react';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '../..');

const BEGIN = '/src/begin/begin.ts';
/** What that script has of its own. */
const FIRST = /\/src\/begin\/|preload-helper/;
/** What menus, dialogs and popups are made of, with what they import. Nothing of it is drawn before one of them is opened. */
const KIT =
  /\/node_modules\/(?:@mantine\/core\/esm\/components\/(?:Drawer|Menu|Modal|Popover|SegmentedControl|Switch|TextInput)\/|@floating-ui\/)/;
const FONT = /inter-latin-wght-normal.*\.woff2$/;

/** Has the page load the script that begins first, and the font that nearly all text has, before the rest of the console. */
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
      // Behind the base of all addresses, and before the rest.
      return html.replace('<title>', `${tags.join('\n    ')}\n    <title>`);
    },
  },
});

/** `build.cjs` runs it, compresses what it makes and checks the budgets. */
export default defineConfig({
  root: import.meta.dirname,
  // Every address is relative to <base href>, which the admin API fills in.
  base: './',
  plugins: [react(), beginsFirst()],
  // JSON is parsed as JSON, which is faster than as a script.
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
    // Budgets of build.cjs hold instead.
    chunkSizeWarningLimit: 2_000,
    // Texts of a page are loaded with the page, although the shell reads its own from the same index.
    rolldownOptions: {
      input: [join(import.meta.dirname, 'index.html'), join(import.meta.dirname, BEGIN)],
      // One file for what every page needs: each further one costs the start of a page a request and a turn of its event loop.
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
