'use strict';

/**
 * Measures the cost of a tool call through the gateway, compared with a request to a model of the same size through the same gateway,
 * with the MCP server directly and with the same call through a proxy that only passes bytes on, whose added latency is the least
 * that a hop takes on this machine. Also the memory of 10,000 idle sessions. Only figures of one run are comparable.
 */
const { randomBytes } = require('node:crypto');
const { contestant, startGateway } = require('./contestants.cjs');
const { CONFIG, ORGANISATION, WORKSPACE, contractsOf, kernelOf } = require('./documents.cjs');
const { closed, once, pidsOf, prepare } = require('./measure.cjs');
const { CALL, HEADERS, INITIALIZE, TOOL, bytesOf } = require('./mcp-traffic.cjs');
const { query, startScript } = require('./processes.cjs');
const { residentBytes } = require('./proc-stat.cjs');
const { cpuOf, figuresOf, markdown, median, shown } = require('./report.cjs');

const [RATIO_BAR, P50_BAR_MS, SESSIONS_BAR_MB] = [2, 0.5, 100];
const RATE = 200;
/**
 * Requests of a warm-up, and its maximum in seconds. A tool call runs more code than a request to a model, which V8 takes longer to
 * compile: until about 12,000 calls, one takes up to twice its later CPU.
 */
const [WARM_REQUESTS, WARM_SECONDS_MAX] = [15_000, 30];
const SESSIONS = 10_000;
const SESSIONS_AT_ONCE = 32;
/** Part of the error of a gateway at its bound of calls in flight, which it reaches after a pause of the whole machine. */
const REFUSAL = '"type":"rate_limited"';
const SLUG = 'tools';
const SECRET = 'benchmcp000000000000000000000000';

/**
 * Returns the documents of an MCP server with one tool, and of a key that may call it.
 * @param {string} build
 * @param {Buffer} master
 * @param {number} port
 */
function documents(build, master, port) {
  const { documentKey } = contractsOf(build);
  const { apiKeyPepper, hashApiKey } = kernelOf(build);
  const capability = {
    id: '0b000000-0000-4000-8000-300000000003',
    type: 'tool',
    name: TOOL,
    definition: { name: TOOL, description: 'Searches.', inputSchema: { type: 'object' } },
  };
  const server = {
    ...{ kind: 'mcp_server', version: '1', id: '0b000000-0000-4000-8000-300000000001' },
    ...{ slug: SLUG, name: SLUG, organisationId: ORGANISATION, workspaceId: WORKSPACE },
    ...{ integrationId: '0b000000-0000-4000-8000-300000000002', integrationSlug: SLUG },
    ...{ url: `http://127.0.0.1:${port}/mcp`, transport: 'http', authType: 'none', configurations: {} },
    ...{ sealedAuth: null, timeoutMs: null, server: null, capabilities: [capability] },
    ...{ userAccess: { isAllowed: true, exceptions: {} }, rules: [], defaultEffect: 'allow' },
    ...{ guardrails: [], prices: null },
  };
  const key = {
    ...{ kind: 'api_key', version: '1', id: '0b000000-0000-4000-8000-300000000004', name: 'mcp' },
    ...{ type: 'workspace-service', organisationId: ORGANISATION, workspaceId: WORKSPACE, userId: null },
    ...{ scopes: ['mcp.invoke'], status: 'active', expiresAt: null, rateLimits: [], usageLimits: [] },
    defaults: { metadata: {}, config: null, allowConfigOverride: true },
  };
  return [
    [documentKey.mcpServer(WORKSPACE, SLUG), server],
    [documentKey.apiKey(hashApiKey(apiKeyPepper(master), SECRET)), key],
  ];
}

/**
 * Checks one result in full, and prepares the contestant for the load generator.
 * @param {import('./measure.cjs').Contestant} one
 * @returns {Promise<import('./measure.cjs').Prepared>}
 */
async function prepared(one) {
  const { status, body } = await once({ ...one, headers: { ...HEADERS, ...one.headers } }, CALL);
  const text = body.toString();
  if (status !== 200 || !text.includes('"content":[{"type":"text"'))
    throw new Error(`${one.name} responded ${status}: ${text.slice(0, 500)}`);
  const whole = bytesOf(one, CALL).toString('base64');
  return { ...one, pids: pidsOf(one), isStart: false, expected: body.toString('base64'), sent: 1, whole };
}

/**
 * Opens idle sessions. Returns the mebibytes of memory that they add.
 * @param {import('./measure.cjs').Prepared} one
 */
async function sessions(one) {
  const start = () => once({ ...one, headers: { ...HEADERS, ...one.headers } }, INITIALIZE);
  await start();
  const before = residentBytes(one.pids);
  let left = SESSIONS;
  const worker = async () => {
    while (left-- > 0) if ((await start()).status !== 200) throw new Error('A session was refused.');
  };
  await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, worker));
  return (residentBytes(one.pids) - before) / 1_048_576;
}

/**
 * Starts a gateway with an MCP server behind it. Returns contestants for a tool call, for a request to a model of the same size, and
 * for a tool call to the server directly.
 * @param {import('./contestants.cjs').Common} common
 */
async function toolGateway({ newControlPlane, ...rest }) {
  const [controlPlane, master] = [await newControlPlane(), randomBytes(32)];
  const server = await startScript('rest', rest.node, 'mcp-provider.cjs');
  await query(controlPlane.child, { documents: documents(rest.build, master, server.port) });
  const own = await startGateway({ ...rest, controlPlane, master });
  const model = await prepare(
    contestant('model', 'request to a model', own.child, own.port, own.with('unlimited', CONFIG)),
  );
  /**
   * @param {string} id
   * @param {string} name
   * @param {import('./measure.cjs').Contestant['child']} child
   * @param {number} port
   * @param {string} path
   */
  const at = (id, name, child, port, path) =>
    prepared(contestant(id, name, child, port, { 'x-gw-api-key': SECRET }, { path }));
  const tool = await at('tool', 'tool call', own.child, own.port, `/${SLUG}/mcp`);
  const direct = await at('direct', 'tool call, server alone', null, server.port, '/mcp');
  return { model, tool, direct, serverPort: server.port, at };
}

/**
 * The same call through a proxy that passes bytes on.
 * @param {Awaited<ReturnType<typeof toolGateway>>} started
 * @param {string} node
 */
async function bareProxy({ at, serverPort }, node) {
  const { child, port } = await startScript('proxy', node, 'undici-proxy.cjs', [String(serverPort)]);
  return at('bare', 'tool call through bare undici dispatch', child, port, '/mcp');
}

/**
 * Warms a contestant up until V8 has compiled what a request runs.
 * @param {import('./processes.cjs').BenchServer} load
 * @param {import('./measure.cjs').Prepared} one
 */
async function warmUp(load, one) {
  for (let seconds = 0; one.sent < WARM_REQUESTS && seconds < WARM_SECONDS_MAX; seconds += 1)
    await closed(load, one, { warmSeconds: 0, seconds: 1 });
}

/** @param {import('./features.cjs').Run & { common: import('./contestants.cjs').Common }} options */
async function mcp({ common, plan, load, note, say }) {
  const started = await toolGateway(common);
  const { model, tool, direct } = started;
  const bare = await bareProxy(started, common.node);
  const contestants = [model, tool, bare, direct];
  /** @type {import('./measure.cjs').Round[]} */
  const rounds = [];
  for (const one of contestants) await warmUp(load, one);
  for (let round = 1; round <= plan.rounds * 3; round += 1) {
    /** @type {import('./measure.cjs').Round} */
    const results = {};
    for (const one of contestants) {
      const rate = {
        kind: 'open',
        request: one.whole,
        rate: RATE,
        warmSeconds: 0.2,
        seconds: 1,
        refusal: REFUSAL,
      };
      const { port, pids, expected, isStart } = one;
      results[one.id] = {
        closed: await closed(load, one, { warmSeconds: 0.2, seconds: plan.closed / 3 }),
        rate: await query(load.child, { port, pids, expected, isStart, ...rate }),
      };
    }
    note(`round ${round}: ${cpuOf(results, 'model').toFixed(1)} and ${cpuOf(results, 'tool').toFixed(1)} µs`);
    rounds.push(results);
  }
  const figures = [model, tool, bare].map((one) => figuresOf(one, rounds));
  const header = ['', 'CPU µs', 'requests/s', 'added p50 ms', 'added p99 ms'];
  const row = (/** @type {import('./report.cjs').Figures} */ f) => [
    f.name,
    shown(f.cpuUs, 1),
    shown(f.perSecond),
    shown(f.addedP50Ms, 2),
    shown(f.addedP99Ms, 2),
  ];
  say(`\n${markdown(header, figures.map(row))}\n`);
  const refused = rounds.reduce((sum, round) => sum + (round.tool?.rate?.refused ?? 0), 0);
  if (refused > 0) say(`${refused} tool calls were refused at the bound of one caller's calls in flight`);
  const ratio = median(rounds.map((round) => cpuOf(round, 'tool') / cpuOf(round, 'model')));
  const sessionsMb = await sessions(tool);
  const bars = [
    { name: 'CPU of a tool call, times a request to a model', value: ratio, bar: RATIO_BAR },
    { name: 'added p50 at 200 calls a second, ms', value: figures[1]?.addedP50Ms, bar: P50_BAR_MS },
    { name: 'memory of 10,000 idle sessions, MB', value: sessionsMb, bar: SESSIONS_BAR_MB },
  ].map((one) => ({ ...one, held: (one.value ?? NaN) <= one.bar }));
  for (const { name, value, bar, held } of bars)
    say(`${held ? 'held' : 'MISSED'}: ${name}: ${shown(value, 2)} (bar: ${bar})`);
  return { figures, bars, refused, rounds };
}

module.exports = { mcp, toolGateway, warmUp };
