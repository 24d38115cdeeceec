'use strict';

const { join } = require('node:path');

const ORGANISATION = '0b000000-0000-4000-8000-000000000001';
/** The workspace with all features on. */
const WORKSPACE = '0b000000-0000-4000-8000-000000000002';
const CONFIG = 'bench-config';
const PROVIDER = 'bench';
/** A limit that no run reaches. */
const UNREACHED = 1_000_000_000;
const BUDGET = {
  type: 'cost',
  creditLimit: 50_000_000,
  alertThreshold: null,
  periodicReset: 'monthly',
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
};

const BUDGETED = '0b000000-0000-4000-8000-000000000004';
/** A budget of the workspace, and two policies with a budget for each key. */
const BUDGETS = {
  usageLimits: [BUDGET],
  policies: {
    usageLimits: ['one', 'other'].map((id) => ({
      id,
      name: id,
      conditions: [{ key: 'workspace_id', value: BUDGETED }],
      groupBy: ['api_key'],
      limit: BUDGET,
    })),
    rateLimits: [],
  },
};

/**
 * @param {string} id
 * @param {string} slug
 * @param {object} facts
 */
const workspaceDocument = (id, slug, facts) => ({
  kind: 'workspace',
  id,
  slug,
  name: slug,
  organisationId: ORGANISATION,
  blockInlineConfig: false,
  rateLimits: [],
  usageLimits: [],
  defaults: { metadata: {}, config: null },
  ...facts,
});

/**
 * @param {string} workspaceId
 * @param {string} id
 * @param {number} stubPort
 */
const providerDocument = (workspaceId, id, stubPort) => ({
  kind: 'provider',
  id,
  slug: PROVIDER,
  name: PROVIDER,
  organisationId: ORGANISATION,
  workspaceId,
  integrationId: `${workspaceId}-integration`,
  expiresAt: null,
  providerId: 'openai',
  configurations: { custom_host: `http://127.0.0.1:${stubPort}/v1` },
  allowAllModels: true,
  models: [],
  rateLimits: [],
  usageLimits: [],
});

/**
 * @param {string} workspaceId
 * @param {string} slug
 * @param {object} config
 */
const configDocument = (workspaceId, slug, config) => ({
  kind: 'config',
  id: `${workspaceId}-${slug}`,
  slug,
  versionId: `${workspaceId}-${slug}-1`,
  organisationId: ORGANISATION,
  workspaceId,
  config,
});

/**
 * @param {string} name
 * @param {number} number
 * @param {object} facts
 */
const keyDocument = (name, number, facts) => ({
  kind: 'api_key',
  // A UUID, as logs require it.
  id: `0b000000-0000-4000-8000-1${String(number).padStart(11, '0')}`,
  name,
  type: 'workspace-service',
  organisationId: ORGANISATION,
  userId: null,
  scopes: ['completions.write'],
  expiresAt: null,
  defaults: { metadata: {}, config: null, allowConfigOverride: true },
  ...facts,
});

/**
 * @param {string} build
 * @returns {typeof import('../../libs/contracts/src/index.ts')}
 */
const contractsOf = (build) => require(join(build, 'libs/contracts/src'));
/**
 * @param {string} build
 * @returns {typeof import('../../libs/kernel/src/index.ts')}
 */
const kernelOf = (build) => require(join(build, 'libs/kernel/src'));

/**
 * Returns the documents of the control plane that a gateway reads, and the secrets of the keys: a workspace with all features on and
 * one that keeps no bodies, keys with and without a rate limit, a saved provider with a sealed credential, a saved config, and further
 * ones: `configs` by slug, and `limited`, keys with a name and limits. The functions of the gateway's own build create them.
 * @param {string} build
 * @param {Buffer} master
 * @param {number} stubPort
 * @param {{
 *   configs?: Readonly<Record<string, object>>,
 *   limited?: readonly { name: string, rateLimits?: readonly object[], usageLimits?: readonly object[] }[],
 * }} more
 */
function documentsFor(build, master, stubPort, { configs = {}, limited = [] } = {}) {
  const { credentialBinding, documentKey } = contractsOf(build);
  const { deriveKey, hashApiKey, hashingKey, seal } = kernelOf(build);
  const pepper = hashingKey(deriveKey(master, 'api-key-hash').toString('hex'));
  const ring = { current: 'k1', keys: new Map([['k1', deriveKey(master, 'seal/v1')]]) };
  /** @type {[key: string, document: object][]} */
  const documents = [];
  /** @type {Record<string, string>} */
  const keys = {};
  const add = (/** @type {string} */ key, /** @type {object} */ document) =>
    documents.push([key, { version: String(documents.length + 1), status: 'active', ...document }]);

  add(documentKey.organisation(ORGANISATION), {
    kind: 'organisation',
    id: ORGANISATION,
    name: 'Bench',
    blockInlineConfig: false,
    logBodies: true,
  });
  /**
   * @param {string} id
   * @param {string} slug
   * @param {boolean} logBodies
   */
  const workspace = (id, slug, logBodies, limits = {}) => {
    add(documentKey.workspace(id), workspaceDocument(id, slug, { logBodies, ...limits }));
    const providerId = `${id}-provider`;
    const credential = JSON.stringify({ apiKey: 'sk-bench', configurations: {} });
    add(documentKey.provider(id, PROVIDER), {
      ...providerDocument(id, providerId, stubPort),
      sealedCredential: seal(ring, credential, credentialBinding(id, providerId)),
    });
    const saved = { [CONFIG]: { provider: `@${PROVIDER}`, retry: { attempts: 2 } }, ...configs };
    for (const [name, config] of Object.entries(saved))
      add(documentKey.config(id, name), configDocument(id, name, config));
  };
  /**
   * @param {string} name
   * @param {string} workspaceId
   * @param {readonly object[]} rateLimits
   * @param {readonly object[]} usageLimits
   */
  const key = (name, workspaceId, rateLimits, usageLimits = []) => {
    const secret = `bench${name.padEnd(27, '0')}`;
    keys[name] = secret;
    const number = Object.keys(keys).length;
    add(
      documentKey.apiKey(hashApiKey(pepper, secret)),
      keyDocument(name, number, { workspaceId, rateLimits, usageLimits }),
    );
  };
  const [full, lean] = [WORKSPACE, '0b000000-0000-4000-8000-000000000003'];
  workspace(full, 'full', true);
  workspace(lean, 'lean', false);
  const limit = [{ type: 'requests', unit: 'rpm', value: UNREACHED }];
  key('limited', full, limit);
  workspace(BUDGETED, 'budgeted', true, BUDGETS);
  key('budgeted', BUDGETED, limit);
  key('unlimited', full, []);
  key('lean', lean, []);
  for (const { name, rateLimits = [], usageLimits = [] } of limited) key(name, full, rateLimits, usageLimits);
  return { documents, keys };
}

module.exports = { CONFIG, ORGANISATION, PROVIDER, WORKSPACE, contractsOf, documentsFor, kernelOf };
