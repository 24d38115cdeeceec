// `npm run test:guards`: removes guards of the control plane, one at a time and chosen at random,
// and expects the tenancy matrix to fail for each (the rights matrix for rules about granted
// rights). Each guard of `guard-mutations.cjs`, which covers all parts, names its own spec that
// must fail. Works on a copy of the tree. `--count 10`, `--seed 1` and `--only <part of a name or
// spec>` select guards (`--only class: --count 200` selects all of the file). Exits with 1 if a
// removed guard makes no spec fail. `--check` runs nothing and reports guards of the file whose
// text or spec has moved.
const { execFileSync, spawnSync } = require('node:child_process');
const {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { parseArgs } = require('node:util');
const { MUTATIONS } = require('./guard-mutations.cjs');
const { ROOT, runtimePath } = require('./runtime.cjs');

const SOURCES = 'apps/admin-api/src';
const MATRIX = `${SOURCES}/platform/auth/tenancy-matrix.int-spec.ts`;
const RIGHTS = `${SOURCES}/platform/auth/rights-matrix.int-spec.ts`;
const GRANTS = `${SOURCES}/platform/auth/grants.ts`;
const GUARD = `${SOURCES}/platform/auth/access.guard.ts`;
const ENFORCED = `if (rule.kind === 'scopes') assertAllowed(caller, rule.anyOf);`;
/** Matches the condition that restricts a query to the caller's tenant. */
const TENANT = /\.\.\.(?:reach|inWorkspace|visibleTo)\(caller\),?\s*/g;

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    count: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
  },
});

/**
 * Mulberry32.
 * @param {number} seed
 */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @param {string} suffix */
const filesOf = (suffix) =>
  readdirSync(join(ROOT, SOURCES), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.includes('spec'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .filter((file) => file.endsWith(suffix) && !file.includes('spec-support'))
    .sort();

/**
 * Returns the prefix of the operation ids of a controller.
 * @param {string} controller
 */
const prefixOf = (controller) =>
  `${controller.charAt(0).toLowerCase()}${controller.slice(1).replace(/Controller$/, '')}_`;

/** @param {string} folder */
const controllersIn = (folder) =>
  filesOf('.controller.ts')
    .filter((file) => dirname(file) === folder)
    .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(/export class (\w+)/g)])
    .map(([, name = '']) => name);

/**
 * @typedef Guard
 * @property {string} name
 * @property {string} [matrix] The spec that has to fail; absent: the tenancy matrix.
 * @property {string | undefined} [title] Of the cases that have to fail.
 * @property {string[]} routes
 * @property {string} file
 * @property {(source: string) => string} change
 */

/**
 * Returns guards that remove the scope check of one route each; the route still declares the scope.
 */
function scopeGuards() {
  return filesOf('.controller.ts').flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const classes = [...text.matchAll(/export class (\w+)/g)];
    return [...text.matchAll(/@(?:Requires|Route\.\w+)\([\s\S]*?\n {2}(\w+)\(/g)].map((match) => {
      const owner = classes.findLast((each) => each.index < match.index)?.[1] ?? '';
      const isThis = `context.getClass().name === '${owner}' && context.getHandler().name === '${match[1]}'`;
      return {
        name: `scopes of ${owner}.${match[1]}`,
        routes: [`${prefixOf(owner)}${match[1]}`],
        file: GUARD,
        change: (/** @type {string} */ source) =>
          source.replace(ENFORCED, `if (!(${isThis})) { ${ENFORCED} }`),
      };
    });
  });
}

/** Returns guards that remove the tenant condition of one query each. */
function tenantGuards() {
  return filesOf('.ts').flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(TENANT)]
      .filter(({ index }) => !/^\s*(\*|\/\/)/.test(text.slice(text.lastIndexOf('\n', index) + 1, index)))
      .map(({ index, 0: guard }) => ({
        name: `tenant in ${file}:${String(text.slice(0, index).split('\n').length)} (${guard.trim()})`,
        routes: controllersIn(dirname(file)).map(prefixOf),
        file,
        change: (/** @type {string} */ source) => source.slice(0, index) + source.slice(index + guard.length),
      }));
  });
}

/** Refusals of `grants.ts` that guards remove. */
const REFUSALS = [
  ['scopes that the caller lacks', 'if (excess.length === 0) return;', 'return;'],
  [
    'a view that the caller lacks',
    'if (rights.seesAllData && ownDataOnly(caller) !== null) {',
    'if (false) {',
  ],
  ['a change of those above the caller', 'if (rank <= rankOf(caller)) return;', 'return;'],
  ['settings that bind the caller', 'if (rank === OWNER_RANK) return;', 'return;'],
];

const rightGuards = () =>
  REFUSALS.map(([name, before = '', after = '']) => ({
    name: `rights: ${name}`,
    matrix: RIGHTS,
    routes: [],
    file: GRANTS,
    change: (/** @type {string} */ source) => source.replace(before, after),
  }));

const classGuards = () =>
  MUTATIONS.map(([name, file = '', before = '', after = '', spec = '', title]) => ({
    name: `class: ${name}`,
    matrix: spec,
    title,
    routes: [],
    file,
    change: (/** @type {string} */ source) => source.replace(before, () => after),
  }));

/**
 * Returns the guards of `guard-mutations.cjs` whose text or spec is no longer where the list says.
 */
const outdated = () =>
  MUTATIONS.flatMap(([name, file = '', before = '', , spec = '']) => {
    const [path, specPath] = [join(ROOT, file), join(ROOT, spec)];
    const isThere = existsSync(path) && readFileSync(path, 'utf8').includes(before);
    return [
      ...(isThere ? [] : [`${name}: ${file} does not say: ${before}`]),
      ...(existsSync(specPath) ? [] : [`${name}: there is no ${spec}`]),
    ];
  });

/**
 * @template T
 * @param {T[]} list
 * @param {number} count
 * @param {() => number} random
 * @returns {T[]}
 */
function pick(list, count, random) {
  const left = [...list];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat(1);
}

function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-guards-'));
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT });
  const packed = execFileSync('tar', ['--null', '-T', '-', '-c'], {
    cwd: ROOT,
    input: files,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x'], { cwd: tree, input: packed });
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  return { folder, tree };
}

/**
 * Reduces the matrix in the copy to the rows of these routes: if a part fails, the whole fails.
 * @param {string} tree
 * @param {string} whole
 * @param {string[]} routes
 */
function narrowMatrix(tree, whole, routes) {
  const text = [
    [
      'if (!row) return [];',
      `if (!row || !${JSON.stringify(routes)}.some((each) => route.handler.startsWith(each))) return [];`,
    ],
    ['toBeGreaterThan(4_000)', 'toBeGreaterThan(0)'],
    ['toBeGreaterThan(400)', 'toBeGreaterThan(-1)'],
  ].reduce((source, [before = '', after = '']) => {
    if (!source.includes(before)) throw new Error(`The matrix no longer says: ${before}`);
    return source.replace(before, after);
  }, whole);
  writeFileSync(join(tree, MATRIX), text);
}

/** @param {string} spec */
const configOf = (spec) => (spec.endsWith('.int-spec.ts') ? 'jest.int.cjs' : 'jest.config.cjs');

/**
 * Returns the titles of the failed cases, only those with `title` if it is given; null if none
 * failed. Throws if the spec could not be run.
 * @param {string} tree
 */
function runMatrix(tree, matrix = MATRIX, title = '') {
  const output = join(tree, 'matrix.json');
  rmSync(output, { force: true });
  const args = [
    'node_modules/jest/bin/jest.js',
    '-c',
    configOf(matrix),
    '--maxWorkers',
    '1',
    '--json',
    '--outputFile',
    output,
    // A test that waits for the removed guard leaves connections open.
    '--forceExit',
    ...(title === '' ? [] : ['--testNamePattern', title]),
    '--runTestsByPath',
    matrix,
  ];
  let stderr = '';
  /** @type {NodeJS.Signals | null} */
  let signal = null;
  // On a busy machine the database may start too late; then the run is repeated, because it says
  // nothing about the guard.
  for (let tries = 0; tries < 3 && !existsSync(output); tries += 1)
    ({ stderr, signal } = spawnSync(runtimePath(), args, { cwd: tree, encoding: 'utf8', timeout: 600_000 }));
  // Without the guard, memory may grow until V8 ends the process.
  if (signal === 'SIGABRT') return ['the process ran out of memory'];
  if (!existsSync(output)) throw new Error(`The matrix did not run:\n${stderr}`);
  /** @type {{ testResults: { assertionResults: { status: string; title: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const results = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'pending');
  if (results.length === 0) throw new Error(`The matrix did not run:\n${stderr}`);
  const failed = results.filter(({ status }) => status === 'failed').map(({ title }) => title);
  return failed.length > 0 ? failed : null;
}

/**
 * Removes one guard in the copy, runs its spec and restores the guard. Returns true if no test
 * failed.
 * @param {string} tree
 * @param {string} whole
 * @param {Guard} guard
 */
function isMissed(tree, whole, { name, matrix = MATRIX, title, routes, file, change }) {
  narrowMatrix(tree, whole, routes);
  const source = readFileSync(join(tree, file), 'utf8');
  const mutant = change(source);
  if (mutant === source) throw new Error(`${name}: there is nothing to take away.`);
  writeFileSync(join(tree, file), mutant);
  let failed = runMatrix(tree, matrix, title);
  if (!failed && matrix === MATRIX) {
    // The rows of the guard's routes did not fail; the whole matrix may.
    writeFileSync(join(tree, MATRIX), whole);
    failed = runMatrix(tree);
  }
  writeFileSync(join(tree, file), source);
  console.log(
    failed ? `red    ${name}: ${String(failed.length)} cases, first: ${failed[0]}` : `GREEN  ${name}`,
  );
  return failed !== null;
}

function main() {
  if (values.check) {
    const lines = outdated();
    console.log(lines.join('\n'));
    process.exitCode = lines.length > 0 ? 1 : 0;
    return;
  }
  const seed = Number(values.seed);
  const random = randomOf(seed);
  const count = Number(values.count);
  /** @param {Guard[]} guards */
  const chosen = (guards) =>
    guards.filter(({ name, matrix }) => `${name} ${matrix ?? ''}`.includes(values.only));
  const [scopes, tenants, rights, classes] = [
    chosen(scopeGuards()),
    chosen(tenantGuards()),
    chosen(rightGuards()),
    chosen(classGuards()),
  ];
  const picked = [
    ...pick(scopes, Math.ceil(count / 2), random),
    ...pick(tenants, Math.floor(count / 2), random),
    ...pick(rights, Math.ceil(count / 2), random),
    ...pick(classes, Math.ceil(count / 2), random),
  ];
  console.log(
    `Seed ${String(seed)}: ${String(picked.length)} of ${String(scopes.length)} scope checks, ${String(tenants.length)} tenant conditions, ${String(rights.length)} rules about rights and ${String(classes.length)} guards of classes.`,
  );
  const { folder, tree } = copyTree();
  let unnoticed = 0;
  try {
    const whole = readFileSync(join(tree, MATRIX), 'utf8');
    const narrowed = picked.filter(({ matrix = MATRIX }) => matrix === MATRIX);
    narrowMatrix(
      tree,
      whole,
      narrowed.flatMap(({ routes }) => routes),
    );
    const runs = new Map(
      picked.map(({ matrix = MATRIX, title }) => [`${matrix} ${title ?? ''}`, [matrix, title]]),
    );
    for (const [matrix, title] of runs.values()) {
      const before = runMatrix(tree, matrix, title);
      if (before) throw new Error(`${matrix} fails with every guard in place: ${before[0]}`);
    }
    for (const guard of picked) if (!isMissed(tree, whole, guard)) unnoticed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = unnoticed > 0 ? 1 : 0;
}

main();
