/**
 * `node tools/import-circles.cjs [folder]`: lists circles of files that import each other directly
 * or through others (including type imports), circles of the admin API's folders, and resources of
 * the admin API that import each other. Exits with 1 if a circle has more than `FILES_MAX` files,
 * if folders form a circle, or if one resource imports another. Ignores specs and their support
 * files.
 */
const { existsSync, globSync, readFileSync } = require('node:fs');
const { dirname, join, posix } = require('node:path');
const ts = require('typescript');
const { ROOT } = require('./runtime.cjs');

/** The imports of each file or folder. @typedef {Map<string, string[]>} Graph */

const FILES_MAX = 3;
/**
 * Folders below these must not import each other in a circle. Files next to them assemble the app.
 */
const FOLDERS_OF = ['apps/admin-api/src', 'apps/admin-api/src/platform'];
/** Folders below this one must not import each other at all. */
const APART = 'apps/admin-api/src/resources';
const LEFT_OUT = /\.(?:[a-z-]+-)?spec\.tsx?$|\.d\.ts$|\/spec-support\/|\/node_modules\/|\/dist\//;

/**
 * Returns the import paths of the workspace's libs by name.
 * @param {string} root
 */
function libsOf(root) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  /** @type {Record<string, [string]>} */
  const paths = config?.compilerOptions?.paths ?? {};
  return new Map(Object.entries(paths).map(([name, [path]]) => [name, posix.normalize(path)]));
}

/**
 * Returns each source file, relative to the root, with the source files that it imports.
 * @param {string} root
 */
function importGraph(root) {
  const files = globSync('{apps,libs}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules', '**/dist'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !LEFT_OUT.test(file));
  const known = new Set(files);
  const libs = existsSync(join(root, 'tsconfig.base.json')) ? libsOf(root) : new Map();
  /** @param {string} from @param {string} name */
  const resolve = (from, name) => {
    const base = name.startsWith('.') ? posix.join(dirname(from), name) : libs.get(name);
    return base && [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find((path) => known.has(path));
  };
  /** @param {string} file */
  const importsOf = (file) =>
    ts
      .preProcessFile(readFileSync(join(root, file), 'utf8'), true, true)
      .importedFiles.map(({ fileName }) => resolve(file, fileName))
      .filter((path) => path !== undefined && path !== file);
  return new Map(files.sort().map((file) => [file, [...new Set(importsOf(file))]]));
}

/**
 * Returns the strongly connected components of more than one node (Tarjan), the largest first.
 * @param {Graph} graph
 */
function circlesOf(graph) {
  /** @type {Map<string, number>} */
  const order = new Map();
  /** @type {Map<string, number>} */
  const lowest = new Map();
  const lowestOf = (/** @type {string} */ node) => lowest.get(node) ?? 0;
  /** @type {string[]} */
  const stack = [];
  /** @type {Set<string>} */
  const isOpen = new Set();
  /** @type {string[][]} */
  const circles = [];
  /** @param {string} node */
  const visit = (node) => {
    lowest.set(node, order.size);
    order.set(node, order.size);
    stack.push(node);
    isOpen.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (isOpen.has(next)) lowest.set(node, Math.min(lowestOf(node), lowestOf(next)));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    for (const member of circle) isOpen.delete(member);
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles.sort((one, other) => other.length - one.length);
}

/**
 * Returns the folders below `parent`, each with the other folders that its files import.
 * @param {Graph} files
 * @param {string} parent
 */
function folderGraph(files, parent) {
  /** @param {string} file */
  const folderOf = (file) => {
    const [folder, ...rest] = file.startsWith(`${parent}/`) ? file.slice(parent.length + 1).split('/') : [];
    return rest.length > 0 ? folder : undefined;
  };
  /** @type {Map<string, Set<string>>} */
  const folders = new Map();
  for (const [file, imports] of files) {
    const from = folderOf(file);
    if (from === undefined) continue;
    const found = folders.get(from) ?? new Set();
    folders.set(from, found);
    for (const to of imports.map(folderOf)) if (to !== undefined && to !== from) found.add(to);
  }
  return new Map([...folders].map(([folder, imports]) => [folder, [...imports]]));
}

/**
 * Prints the circles with the imports that form them.
 * @param {string[][]} circles
 * @param {Graph} graph
 * @param {(circle: string[]) => string} title
 */
function report(circles, graph, title) {
  for (const circle of circles) {
    console.error(title(circle));
    for (const member of circle) {
      const inside = (graph.get(member) ?? []).filter((next) => circle.includes(next));
      console.error(`  ${member} imports ${inside.join(', ')}`);
    }
  }
}

const graph = importGraph(process.argv[2] ?? ROOT);
const ofFiles = circlesOf(graph).filter(({ length }) => length > FILES_MAX);
report(
  ofFiles,
  graph,
  ({ length }) => `${length} files import each other in a circle; at most ${FILES_MAX} may:`,
);
let found = ofFiles.length;
for (const parent of FOLDERS_OF) {
  const folders = folderGraph(graph, parent);
  const ofFolders = circlesOf(folders);
  report(ofFolders, folders, ({ length }) => `${length} folders of ${parent} import each other in a circle:`);
  found += ofFolders.length;
}
for (const [folder, others] of folderGraph(graph, APART)) {
  for (const other of others) console.error(`${APART}/${folder} imports the resource ${other}.`);
  found += others.length;
}
if (found > 0) {
  console.error('Move what both sides need to where neither is imported, or depend on an interface.');
  process.exitCode = 1;
}
