'use strict';

/** Times pages of the log and graphs of analytics with typical filters. */
const { findLog, listLogs, PostgresAnalytics } = require('../../libs/log-store/src/index.ts');
const { uuidv7 } = require('../../libs/kernel/src/index.ts');
const {
  AnalyticsGraphsService,
} = require('../../apps/admin-api/src/resources/analytics/analytics-graphs.service.ts');
const {
  AnalyticsScopes,
} = require('../../apps/admin-api/src/resources/analytics/analytics-scopes.service.ts');
const { GRAPHS } = require('../../apps/admin-api/src/resources/analytics/graphs.ts');
const { DAYS } = require('./log-fixture.cjs');
const { ORGANISATION, WORKSPACES, any, key, workspace } = require('./log-records.cjs');

const DAY_MS = 86_400_000;
const NAMES = /** @type {(keyof typeof GRAPHS)[]} */ (Object.keys(GRAPHS));
const MEMBERS = WORKSPACES * 10;

/**
 * @returns {import('../../libs/log-store/src/index.ts').LogFilter}
 * @param {Partial<import('../../libs/log-store/src/index.ts').LogFilter>} changes
 * @param {Partial<import('../../libs/log-store/src/index.ts').LogFilter['owner']>} owner
 */
const filterOf = (changes, owner = {}) => ({
  owner: { organisationId: ORGANISATION, workspaceId: workspace(0), ...owner },
  values: {},
  ranges: {},
  statuses: [],
  streamed: null,
  metadata: {},
  after: null,
  ...changes,
});
const everywhere = { workspaceId: null };
const someDay = () => new Date(Date.now() - (1 + Math.random() * (DAYS - 1)) * DAY_MS);
/** @param {number} days */
const lastDays = (days) => ({ created_at: { min: new Date(Date.now() - days * DAY_MS) } });

/** By name: a function that returns the filter of a page, with other values at each call. */
const PAGES = {
  'newest of a workspace': () => filterOf({}),
  'newest of the organisation': () => filterOf({}, everywhere),
  'newest of a small workspace': () => filterOf({}, { workspaceId: workspace(90) }),
  'page from anywhere': () => filterOf({ after: { createdAt: someDay(), id: uuidv7() } }),
  'one day': () => {
    const min = someDay();
    return filterOf({ ranges: { created_at: { min, max: new Date(min.getTime() + DAY_MS) } } });
  },
  'by status 401, 1 %': () => filterOf({ statuses: [[401, 401]] }),
  'by class 5xx': () => filterOf({ statuses: [[500, 599]] }),
  'by model': () => filterOf({ values: { model: [`model-${any(10)}`] } }),
  'by key': () => filterOf({ values: { api_key_id: [key(any(10))] } }),
  'by key of the organisation': () => filterOf({ values: { api_key_id: [key(any(MEMBERS))] } }, everywhere),
  'by metadata, 1 of 20': () => filterOf({ metadata: { team: `team-${any(20)}` } }, everywhere),
  'by metadata, 1 of 1,000': () => filterOf({ metadata: { _user: `user-${any(MEMBERS)}` } }, everywhere),
  'by unknown metadata': () => filterOf({ metadata: { _user: 'unknown' } }),
  'by unknown metadata, 7 days': () => filterOf({ metadata: { _user: 'unknown' }, ranges: lastDays(7) }),
  'by cost and tokens': () => filterOf({ ranges: { cost: { min: 480_000 }, total_tokens: { min: 4_000 } } }),
  'by cost, 1 of 10,000': () => filterOf({ ranges: { cost: { min: 499_950 } } }),
  'by the longest, 1 of 4,000': () => filterOf({ ranges: { duration_ms: { min: 4_199 } } }),
  'by the longest of the organisation': () =>
    filterOf({ ranges: { duration_ms: { min: 4_199 } } }, everywhere),
  'by a duration that nothing has': () => filterOf({ ranges: { duration_ms: { min: 60_000 } } }, everywhere),
  'by key and cost': () =>
    filterOf({ values: { api_key_id: [key(any(10))] }, ranges: { cost: { min: 499_000 } } }),
  'by model and class 5xx': () =>
    filterOf({ values: { model: [`model-${any(10)}`] }, statuses: [[500, 599]] }),
  'by a status that nothing has': () => filterOf({ statuses: [[418, 418]] }, everywhere),
  'by a config that only others use': () => filterOf({ values: { config_id: ['pc-others'] } }),
  'by an unknown provider': () => filterOf({ values: { provider: ['nothing'] } }),
  'by an error and streamed': () =>
    filterOf({ values: { error_type: ['api_key_invalid'] }, streamed: true }, everywhere),
  'by an unknown user': () => filterOf({}, { userId: uuidv7() }),
  'by feedback that nothing has': () => filterOf({ feedback: { min: 0.5 } }),
  'by span that nothing has': () => filterOf({ values: { span_id: ['nothing'] } }),
  'by an unknown model': () => filterOf({ values: { model: ['nothing'] } }),
  'by an unknown prompt': () => filterOf({ values: { prompt_slug: ['nothing'] } }),
};

/** A caller of the largest workspace. @type {import('../../apps/admin-api/src/platform/common/principal.ts').Principal} */
const CALLER = {
  ...{ kind: 'api_key', organisationId: ORGANISATION, workspaceId: workspace(0) },
  ...{ userId: null, apiKeyId: null, makerId: null, sessionId: null, grantId: null },
  ...{ keyType: 'workspace-service', organisationRole: null, workspaceRole: null },
  ...{ memberships: new Map(), scopes: new Set(), settingGroup: null, removedCapabilities: new Set() },
  expiresAt: null,
  request: { id: 'bench', method: 'GET', uri: '/', clientIp: null, userAgent: null },
};

/**
 * Returns a function for each graph over the last 30 days. `filters`: members of the query.
 * @param {import('typeorm').DataSource} source
 * @param {Partial<import('../../apps/admin-api/src/resources/analytics/analytics.dto.ts').AnalyticsQuery>} filters
 * @returns {Record<string, () => Promise<unknown>>}
 */
function graphsOf(source, filters) {
  const now = Date.now();
  const query = {
    time_of_generation_min: new Date(now - DAYS * DAY_MS).toISOString(),
    time_of_generation_max: new Date(now).toISOString(),
    ...filters,
  };
  const service = new AnalyticsGraphsService(
    source,
    new AnalyticsScopes(source),
    new PostgresAnalytics(source),
  );
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, () => service.graph(CALLER, query, name)])),
    'status codes': () => service.statusCodes(CALLER, query),
  };
}

/**
 * @param {readonly number[]} times
 * @param {number} share
 */
const percentile = (times, share) =>
  [...times].sort((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? NaN;

/** p50 and p95 by name. @typedef {Record<string, Awaited<ReturnType<typeof timed>>>} Report */

/**
 * @param {number} runs
 * @param {() => Promise<unknown>} run
 */
async function timed(runs, run) {
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i <= runs; i += 1) {
    const startedAt = performance.now();
    await run();
    // The first run reads from the disk and is not counted.
    if (i > 0) times.push(performance.now() - startedAt);
  }
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}

/** @typedef {{ id: string, trace_id: string }} Sampled */

/**
 * Returns p50 and p95 of pages of 50 by name, in milliseconds.
 * @param {import('typeorm').DataSource} source
 * @param {number} runs
 */
async function timePages(source, runs) {
  /** @type {Report} */
  const report = {};
  for (const [name, filter] of Object.entries(PAGES))
    report[name] = await timed(runs, () => listLogs(source.manager, filter(), 51));
  const select = 'SELECT id, trace_id FROM request_logs';
  /** @type {Sampled[]} */
  const sampled = await source.query(`${select} TABLESAMPLE SYSTEM (0.1) LIMIT 200`);
  // A sample of a small log may be empty.
  /** @type {Sampled[]} */
  const traces = sampled.length > 0 ? sampled : await source.query(`${select} LIMIT 200`);
  const some = () => /** @type {Sampled} */ (traces[any(traces.length)]);
  const owner = { organisationId: ORGANISATION, workspaceId: null };
  report['one trace'] = await timed(runs, () =>
    listLogs(source.manager, filterOf({ values: { trace_id: [some().trace_id] } }, owner), 51),
  );
  report['one log by its id'] = await timed(runs, () => findLog(source.manager, owner, some().id));
  return report;
}

/**
 * Returns p50 and p95 of graphs over 30 days by name, in milliseconds: of all requests of a workspace, and with one filter each.
 * @param {import('typeorm').DataSource} source
 * @param {number} runs
 */
async function timeGraphs(source, runs) {
  /** @type {Report} */
  const report = {};
  /**
   * @param {string} suffix
   * @param {Parameters<typeof graphsOf>[1]} filters
   * @param {readonly string[]} [names]
   */
  const of = async (suffix, filters, names) => {
    for (const [name, graph] of Object.entries(graphsOf(source, filters)))
      if (names?.includes(name) !== false) report[name + suffix] = await timed(runs, graph);
  };
  const some = ['requests', 'latency', 'cost'];
  await of('', {});
  await of(' of a model', { ai_org_model: ['openai__model-3'] }, some);
  await of(' of a key', { api_key_ids: [key(3)] }, some);
  await of(' of a user', { metadata: JSON.stringify({ _user: 'user-3' }) }, some);
  return report;
}

module.exports = { timeGraphs, timePages };
