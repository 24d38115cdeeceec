'use strict';

/**
 * Measures the cost of a translated call: chat completions to the Messages API and back, at two sizes, plain and streamed, compared
 * with our own native call of the same size and with the peer that translates the same call. Streams arrive at once, so their figure
 * is the cost of a whole stream of 50 events.
 */
const { startGateway, startPeer, contestant } = require('./contestants.cjs');
const { EVENTS, MODELS, fill, request } = require('./dialect-traffic.cjs');
const { closed, once, pidsOf } = require('./measure.cjs');
const { figuresOf, markdown, shown } = require('./report.cjs');
const { requestBytes } = require('./traffic.cjs');
const { startScript } = require('./processes.cjs');

/** @typedef {import('./dialect-traffic.cjs').ChatDialect} ChatDialect */
/**
 * A proxy with the headers of a request for the provider of a dialect.
 * @typedef {import('./measure.cjs').Contestant & { headersTo: (dialect: ChatDialect) => Record<string, string> }} Proxy
 */
/** @typedef {{ size: string, kind: string, way: string }} Label */
/** @typedef {import('./report.cjs').Figures & { role: string, label: Label }} CallFigures */

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' };
/** Providers that speak each dialect. */
const PROVIDERS = { chat: 'openai', messages: 'anthropic' };
/** @type {readonly (readonly [name: string, bytes: number])[]} */
const SIZES = [
  ['2 KB', 2_048],
  ['100 KB', 102_400],
];
/** @type {readonly (readonly [from: ChatDialect, to: ChatDialect])[]} */
const WAYS = [
  ['chat', 'messages'],
  ['messages', 'chat'],
];

/**
 * @param {import('./contestants.cjs').StartedGateway} started
 * @param {string} origin
 * @returns {Proxy['headersTo']}
 */
const ours =
  ({ keys }, origin) =>
  (dialect) => ({
    'x-gw-api-key': keys.lean ?? '',
    'x-gw-provider': PROVIDERS[dialect],
    'x-gw-custom-host': origin,
    authorization: 'Bearer sk-bench',
  });
/**
 * @param {string} origin
 * @returns {Proxy['headersTo']}
 */
const peers = (origin) => (dialect) => ({
  'x-portkey-provider': PROVIDERS[dialect],
  'x-portkey-custom-host': origin,
  authorization: 'Bearer sk-bench',
});

/**
 * Returns the text of a response in the client's dialect; throws for a response of another form.
 * @param {ChatDialect} dialect
 * @param {boolean} stream
 * @param {string} body
 */
function textOf(dialect, stream, body) {
  if (!stream) {
    /** @type {{ choices: { message: { content: string } }[], content: { text: string }[] }} */
    const response = JSON.parse(body);
    return dialect === 'chat' ? response.choices[0]?.message.content : response.content[0]?.text;
  }
  const events = body.split('\n').filter((line) => line.startsWith('data: {'));
  return events
    .map((line) => {
      /** @type {{ choices?: { delta?: { content?: string } }[], delta?: { text?: string } }} */
      const data = JSON.parse(line.slice(6));
      return (dialect === 'chat' ? data.choices?.[0]?.delta?.content : data.delta?.text) ?? '';
    })
    .join('');
}

const STREAMED = Array.from({ length: EVENTS }, (_, at) => ` word${at}`).join('');

/**
 * Checks one response in full. Later ones must have the same first bytes, since ids and times differ after them. Returns `failed`, a
 * reason, when the proxy does not support the call.
 * @param {Proxy} one
 * @param {{ from: ChatDialect, to: ChatDialect, bytes: number, stream: boolean, label: Label }} call
 */
async function prepared(one, { from, to, bytes, stream, label }) {
  const body = request(from, { bytes, stream, model: MODELS[to] });
  const made = { ...one, path: PATHS[from], headers: one.headersTo(to), label };
  const first = await once(made, body);
  const text = first.body.toString();
  /** @type {string | null | undefined} */
  let got = null;
  try {
    got = textOf(from, stream, text);
  } catch {
    // Reported below.
  }
  if (first.status !== 200 || got !== (stream ? STREAMED : fill(640)))
    return { failed: `${first.status} ${text.slice(0, 120).replaceAll('\n', ' ')}` };
  return {
    ...made,
    pids: pidsOf(one),
    isStart: true,
    expected: Buffer.from(text.slice(0, 8)).toString('base64'),
    whole: requestBytes({ ...made, body }).toString('base64'),
    sent: 1,
  };
}

/**
 * Prepares every call: native ones through our gateway, and translated ones through both proxies.
 * @param {Proxy} gateway
 * @param {Proxy | null} peer
 */
async function callsOf(gateway, peer) {
  /** @type {(import('./measure.cjs').Prepared & { label: Label, role: string })[]} */
  const calls = [];
  /** @type {string[]} */
  const failures = [];
  for (const [size, bytes] of SIZES)
    for (const stream of [false, true])
      for (const [from, to] of WAYS) {
        const label = { size, kind: stream ? 'stream' : 'plain', way: `${from} to ${to}` };
        for (const [role, one, target] of /** @type {const} */ ([
          ['native', gateway, from],
          ['ours', gateway, to],
          ['peer', peer, to],
        ])) {
          if (one === null) continue;
          const made = await prepared(one, { from, to: target, bytes, stream, label });
          const id = `${size}, ${label.kind}, ${label.way}: ${role}`;
          if ('failed' in made) failures.push(`${id}: ${made.failed}`);
          else calls.push({ ...made, id, name: id, role });
        }
      }
  return { calls, failures };
}

/** @param {readonly CallFigures[]} figures */
function translationTable(figures) {
  const by = (/** @type {Label} */ label, /** @type {string} */ role) =>
    figures.find(
      (figure) =>
        figure.role === role &&
        figure.label.size === label.size &&
        figure.label.kind === label.kind &&
        figure.label.way === label.way,
    )?.cpuUs ?? null;
  /**
   * @param {number | null} one
   * @param {number | null} other
   */
  const ratio = (one, other) => (one === null || other === null ? null : one / other);
  const rows = figures
    .filter(({ role }) => role === 'ours')
    .map(({ label, cpuUs }) => {
      const [native, peer] = [by(label, 'native'), by(label, 'peer')];
      return [
        `${label.way}, ${label.size}, ${label.kind}`,
        ...[cpuUs, native, peer].map((us) => shown(us, 1)),
        shown(ratio(cpuUs, native), 2),
        shown(ratio(cpuUs, peer), 3),
      ];
    });
  return markdown(['Call', 'CPU µs, translated', 'native', 'peer, translated', 'to native', 'to peer'], rows);
}

/**
 * @param {import('./features.cjs').Run & { common: import('./contestants.cjs').Common, peer: string | null }} options
 * `peer`: its start script; null without it.
 */
async function translation({ plan, load, common, peer: script, note, say }) {
  const stub = await startScript('rest', common.node, 'dialect-provider.cjs');
  const origin = `http://127.0.0.1:${stub.port}/v1`;
  const controlPlane = await common.newControlPlane();
  const started = await startGateway({ ...common, stubPort: stub.port, controlPlane });
  const gateway = {
    ...contestant('gateway', 'Tollgate', started.child, started.port, {}),
    headersTo: ours(started, origin),
  };
  const peer =
    script === null ? null : { ...(await peerOf(script, common.node, stub.port)), headersTo: peers(origin) };
  const { calls, failures } = await callsOf(gateway, peer);
  for (const failure of failures) note(`left out: ${failure}`);
  for (const call of calls) await closed(load, call, { warmSeconds: 0, seconds: plan.warm / 2 });
  /** @type {import('./measure.cjs').Round[]} */
  const rounds = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    /** @type {import('./measure.cjs').Round} */
    const results = {};
    for (const call of calls) {
      const slice = { warmSeconds: plan.closedWarm / 2, seconds: plan.closed / 2 };
      const measured = await closed(load, call, slice);
      results[call.id] = { closed: measured };
      note(`round ${round}/${plan.rounds} ${call.id}: ${measured.cpuUs.toFixed(1)} µs`);
    }
    rounds.push(results);
  }
  const figures = calls.map((call) => ({ ...figuresOf(call, rounds), role: call.role, label: call.label }));
  say(`\n${translationTable(figures)}`);
  return { figures, failures, rounds };
}

/**
 * @param {string} script
 * @param {string} node
 * @param {number} stubPort
 */
async function peerOf(script, node, stubPort) {
  const { child, port } = await startPeer({ script, node, stubPort });
  return contestant('peer', 'peer', child, port, {});
}

module.exports = { translation };
