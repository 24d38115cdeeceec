/**
 * `node apps/console/build.cjs`: builds the console into `dist/console`, compresses its files (.br
 * and .gz next to each) and checks their sizes. Fails when the shell, a page or the editor is
 * larger than its budget.
 */
const { spawnSync } = require('node:child_process');
const { readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { promisify } = require('node:util');
const { brotliCompress, constants, gzip, gzipSync } = require('node:zlib');

const ROOT = resolve(__dirname, '../..');
const TARGET = join(ROOT, 'dist/console');
/** The console, and the script that runs before it. */
const ENTRIES = ['index.html', 'src/begin/begin.ts'];
/**
 * Chunk of menus, dialogs and popups, which is loaded after the first paint or with the first page
 * that needs it. Counts as part of the shell.
 */
const KIT = 'kit';
const COMPRESSED = /\.(?:js|css|svg|json)$/;

/** Maximum sizes in bytes after gzip at level 9. */
const BUDGETS = { shellScript: 240_000, shellStyle: 28_000, page: 60_000, editor: 150_000 };
const EDITOR = /^src\/ui\/.*editor/i;

/**
 * A chunk in Vite's manifest, whose keys are the names of chunks.
 * @typedef {{ file: string; name?: string; css?: string[]; imports?: string[]; dynamicImports?:
 * string[]; isDynamicEntry?: boolean }} Chunk
 * @typedef {Record<string, Chunk>} Manifest
 */

/**
 * Returns a chunk and all chunks that it imports statically.
 * @param {Manifest} manifest
 * @param {string} name
 * @param {Set<string>} found
 */
function withImports(manifest, name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const next of manifest[name]?.imports ?? []) withImports(manifest, next, found);
  return found;
}

/** @param {Iterable<string>} files */
function gzipped(files) {
  let total = 0;
  for (const file of files) total += gzipSync(readFileSync(join(TARGET, file)), { level: 9 }).length;
  return total;
}

/**
 * Returns the sizes and budgets of the shell and of what each lazily loaded part adds to it.
 * @param {Manifest} manifest
 * @returns {{ name: string; bytes: number; budget: number }[]}
 */
function sizesOf(manifest) {
  /** @type {Set<string>} */
  const shell = new Set();
  for (const entry of ENTRIES) withImports(manifest, entry, shell);
  for (const [key, { name }] of Object.entries(manifest)) if (name === KIT) withImports(manifest, key, shell);
  const scripts = (/** @type {Iterable<string>} */ names) =>
    [...names].flatMap((name) => manifest[name]?.file ?? []);
  const styles = [...shell].flatMap((name) => manifest[name]?.css ?? []);
  const parts = Object.entries(manifest).filter(([, { isDynamicEntry }]) => isDynamicEntry);
  return [
    { name: 'shell, JavaScript', bytes: gzipped(scripts(shell)), budget: BUDGETS.shellScript },
    { name: 'shell, CSS', bytes: gzipped(new Set(styles)), budget: BUDGETS.shellStyle },
    ...parts.map(([name]) => {
      const own = [...withImports(manifest, name)].filter((chunk) => !shell.has(chunk));
      return {
        name,
        bytes: gzipped(scripts(own)),
        budget: EDITOR.test(name) ? BUDGETS.editor : BUDGETS.page,
      };
    }),
  ];
}

async function compress() {
  const files = readdirSync(TARGET, { recursive: true, encoding: 'utf8' }).filter((file) =>
    COMPRESSED.test(file),
  );
  await Promise.all(
    files.map(async (file) => {
      const path = join(TARGET, file);
      const text = readFileSync(path);
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(text, { params: quality }));
      writeFileSync(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
    }),
  );
}

async function main() {
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const config = join(__dirname, 'vite.config.mts');
  rmSync(TARGET, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [vite, 'build', '-c', config, '--logLevel', 'warn'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    // Tests set another NODE_ENV, with which Vite would bundle React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error('Vite failed; its messages are above.');
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(TARGET, 'manifest.json'), 'utf8'));
  const sizes = sizesOf(manifest);
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const { name, bytes, budget } of sizes)
    console.log(`${name}: ${kilobytes(bytes)} of ${kilobytes(budget)}`);
  const over = sizes.filter(({ bytes, budget }) => bytes > budget);
  if (over.length > 0)
    throw new Error(
      `Too large after gzip: ${over.map(({ name, bytes, budget }) => `${name} ${kilobytes(bytes)}, at most ${kilobytes(budget)}`).join('; ')}.`,
    );
  await compress();
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
