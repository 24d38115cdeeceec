/**
 * `node tools/console-data.cjs`: writes `apps/console/src/generated` from the sources of the admin
 * API: types of its document, which access each operation needs, scopes and error types. With
 * --check it only checks that the files are up to date.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT, runMain } = require('./runtime.cjs');
require('./typescript.cjs');
require('reflect-metadata');

const FOLDER = join(ROOT, 'apps/console/src/generated');
const NOTICE = 'Made by `node tools/console-data.cjs`; a test fails when it is out of date.';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Settings that the admin API requires; nothing connects to these addresses. */
const SETTINGS = {
  DATABASE_URL: 'postgres://none:none@127.0.0.1:1/none',
  ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  SERVICE_TOKEN: 'no-service-is-called-with-this-token',
};

/** @typedef {Record<string, any>} Json */

/**
 * Loads a module by a computed path, so that the type check of the tools excludes the apps.
 * @param {string} path
 */
const load = (path) => require(join(ROOT, path));

/**
 * Returns the OpenAPI document of the admin API without starting any part of it.
 * @returns {Promise<Json>}
 */
async function documentOfAdminApi() {
  const { NestFactory } = require('@nestjs/core');
  const { createAdapter, createLog, NestLog, serveOpenApi } = load('libs/web/src/index.ts');
  const { AppModule } = load('apps/admin-api/src/app.module.ts');
  const { readAdminSettings } = load('apps/admin-api/src/settings.ts');
  const { BODY } = load('apps/admin-api/src/platform/bodies.ts');
  const log = createLog('console-data', 'silent');
  const adapter = createAdapter({ body: BODY, jsonOnly: true, notJsonOnly: [], hstsMaxAgeSeconds: 0, log });
  const app = await NestFactory.create(AppModule.with(readAdminSettings(SETTINGS), log), adapter, {
    preview: true,
    logger: new NestLog(log),
    abortOnError: false,
  });
  return serveOpenApi(app, { title: 'Tollgate control plane', description: '', version: '1' })();
}

/**
 * Returns the part of the document that the console uses: each handler under its first path below
 * `/v1`, without examples.
 * @param {Json} document
 */
function withoutAliases(document) {
  const seen = new Set();
  /** @type {Json} */
  const paths = {};
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS.filter((name) => path.startsWith('/v1/') && name in item)) {
      const [operationId] = item[method].operationId.split('__');
      if (seen.has(operationId)) continue;
      seen.add(operationId);
      (paths[path] ??= {})[method] = { ...item[method], operationId };
    }
  return { ...document, paths };
}

/**
 * Returns method, path and access of each operation.
 * @param {Json} document
 */
function accessOf(document) {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [
      operation.operationId,
      {
        method: method.toUpperCase(),
        path,
        access: operation['x-gw-access'],
        scopes: operation['x-gw-scopes'] ?? [],
        roles: operation['x-gw-roles'] ?? [],
        settings: operation['x-gw-security-settings'] ?? [],
      },
    ]),
  );
  return Object.fromEntries(rows.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Returns the contents of each generated file.
 * @returns {Promise<[name: string, text: string][]>}
 */
async function filesOf() {
  const { default: openapiTS, astToString } = load('node_modules/openapi-typescript');
  const { ERRORS } = load('libs/kernel/src/index.ts');
  const { SCOPES } = load('libs/auth-scopes/src/index.ts');
  const document = withoutAliases(await documentOfAdminApi());
  const types = astToString(await openapiTS(document, { alphabetize: true }));
  const errors = Object.fromEntries(
    Object.entries(ERRORS).map(([type, entry]) => [type, { status: entry.status, code: entry.code }]),
  );
  const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 1)}\n`;
  return [
    ['openapi.d.ts', `// ${NOTICE}\n${types}`],
    ['access.json', json(accessOf(document))],
    ['scopes.json', json(SCOPES)],
    ['errors.json', json(errors)],
  ];
}

runMain(async () => {
  const isCheck = process.argv.includes('--check');
  const stale = [];
  for (const [name, text] of await filesOf()) {
    const path = join(FOLDER, name);
    if (!isCheck) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) stale.push(name);
  }
  if (stale.length === 0) process.exit(0);
  console.error(`Out of date: ${stale.join(', ')}. Run: node tools/console-data.cjs`);
  process.exit(1);
});
