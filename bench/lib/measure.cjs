'use strict';

const { request } = require('node:http');
const { isDeepStrictEqual } = require('node:util');
const { processTree } = require('./proc-stat.cjs');
const { query } = require('./processes.cjs');
const {
  RESPONSE,
  EVENT_EVERY_MS,
  EVENTS,
  STREAM_MARKS,
  chatRequest,
  requestBytes,
} = require('./traffic.cjs');

const CONNECTIONS = 32;
const RATE = 400;
const STREAMS = 200;
/** Duration of a stream of the stub. */
const STREAM_MS = EVENTS * EVENT_EVERY_MS;

/**
 * A contestant. `headers`: its own, of each request. `child`: its process, null when nothing is measured in it. `controlPlane`,
 * `logsBodies`: for contestants whose log is checked.
 * @typedef {{
 *   id: string,
 *   name: string,
 *   child: import('./processes.cjs').BenchProcess | null,
 *   port: number,
 *   path: string,
 *   headers: Readonly<Record<string, string>>,
 *   controlPlane?: import('./processes.cjs').BenchServer,
 *   logsBodies?: boolean,
 * }} Contestant
 */
/**
 * A contestant whose first responses were checked. `pids`: its processes. `whole`, `streamed`: bytes of its requests, in base64.
 * `expected`: the body of every later response, or its first bytes if `isStart`. `sent`: requests so far.
 * @typedef {Contestant & {
 *   pids: number[],
 *   isStart: boolean,
 *   expected: string,
 *   sent: number,
 *   whole: string,
 *   streamed?: string,
 * }} Prepared
 */
/** @typedef {{ warmSeconds: number, seconds: number }} Slice */
/** @typedef {{ requests: number, answered: number, perSecond: number, cpuUs: number, busy: number }} Closed */
/** @typedef {{ p50: number, p99: number, answered: number, refused: number }} Rate */
/** @typedef {{ cpuUs: number, busy: number, residentBytes: number, first: { p50: number }, answered: number }} Streams */
/** What was measured of each contestant in a round. @typedef {Record<string, { closed: Closed, rate?: Rate, streams?: Streams }>} Round */
/** @typedef {import('./processes.cjs').BenchServer} BenchServer */

/**
 * Sends one request by `node:http`, so that the first check of a contestant does not depend on the load generator's parser.
 * @param {Pick<Contestant, 'port' | 'path' | 'headers'>} contestant
 * @param {Buffer} body
 * @returns {Promise<{ status: number | undefined, body: Buffer }>}
 */
function once({ port, path, headers }, body) {
  return new Promise((resolve, reject) => {
    const req = request(
      {
        port,
        path,
        host: '127.0.0.1',
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
      },
      (res) => {
        /** @type {Buffer[]} */
        const chunks = [];
        res.on('data', (chunk) => chunks.push(chunk));
        res.on('end', () => resolve({ status: res.statusCode, body: Buffer.concat(chunks) }));
        res.on('error', reject);
      },
    );
    req.once('error', reject);
    req.setTimeout(10_000, () => req.destroy(new Error('No response in 10 s.')));
    req.end(body);
  });
}

/**
 * Checks a contestant's responses in full, and prepares it for the load generator. Throws when a response is wrong.
 * @param {Contestant} contestant
 * @returns {Promise<Prepared>}
 */
async function prepare(contestant) {
  const whole = await once(contestant, chatRequest(false));
  /** @type {Record<string, unknown>} */
  const wanted = JSON.parse(RESPONSE.toString());
  /** @type {Record<string, unknown> | null} */
  let got = null;
  try {
    got = JSON.parse(whole.body.toString());
  } catch {
    // Reported below.
  }
  for (const part of ['id', 'model', 'choices', 'usage']) {
    if (whole.status === 200 && isDeepStrictEqual(got?.[part], wanted[part])) continue;
    throw new Error(
      `${contestant.name} responded ${whole.status}, without the stub's ${part}: ${whole.body.toString('utf8', 0, 500)}`,
    );
  }
  const stream = await once(contestant, chatRequest(true));
  const events = stream.body.toString().split('\n\n').length - 1;
  if (stream.status !== 200 || events !== STREAM_MARKS || !stream.body.includes('data: [DONE]\n\n')) {
    throw new Error(`${contestant.name} responded ${stream.status} with ${events} events to a stream`);
  }
  // Results of guardrails contain times, so that responses differ from there on.
  const verdicts = whole.body.indexOf(',"hook_results"');
  const bytes = (/** @type {boolean} */ streamed) =>
    requestBytes({ ...contestant, body: chatRequest(streamed) }).toString('base64');
  return {
    ...contestant,
    pids: pidsOf(contestant),
    isStart: verdicts >= 0,
    expected: whole.body.subarray(0, verdicts >= 0 ? verdicts : whole.body.length).toString('base64'),
    sent: 2,
    whole: bytes(false),
    streamed: bytes(true),
  };
}

/**
 * The processes of a contestant.
 * @param {Contestant} contestant
 */
const pidsOf = ({ child }) => (child ? processTree(child.pid) : []);

/**
 * Runs a job of the load generator on a contestant.
 * @template {{ answered: number }} T
 * @param {BenchServer} load
 * @param {Prepared} contestant
 * @param {object} fields
 * @returns {Promise<T>}
 */
async function job(load, contestant, fields) {
  const { port, pids, expected, isStart } = contestant;
  try {
    /** @type {T} */
    const result = await query(load.child, { port, pids, expected, isStart, ...fields });
    contestant.sent += result.answered;
    return result;
  } catch (error) {
    const { child } = contestant;
    const last = child ? ` (exit ${child.exitCode ?? child.signalCode})\n${child.output}` : '';
    throw new Error(`${contestant.name}: ${/** @type {Error} */ (error).message}${last}`);
  }
}

/**
 * Measures requests one after another on each of the connections.
 * @param {BenchServer} load
 * @param {Prepared} contestant
 * @param {Slice} slice
 * @returns {Promise<Closed>}
 */
const closed = (load, contestant, { warmSeconds, seconds }) =>
  job(load, contestant, {
    kind: 'closed',
    request: contestant.whole,
    connections: CONNECTIONS,
    warmSeconds,
    seconds,
  });

/**
 * Measures requests at a constant rate.
 * @param {BenchServer} load
 * @param {Prepared} contestant
 * @param {Slice} slice
 * @returns {Promise<Rate>}
 */
const atRate = (load, contestant, { warmSeconds, seconds }) =>
  job(load, contestant, { kind: 'open', request: contestant.whole, rate: RATE, warmSeconds, seconds });

/**
 * Measures open streams.
 * @param {BenchServer} load
 * @param {Prepared} contestant
 * @param {Pick<Slice, 'seconds'>} slice
 * @returns {Promise<Streams>}
 */
const streams = (load, contestant, { seconds }) =>
  job(load, contestant, {
    kind: 'streams',
    request: contestant.streamed,
    streams: STREAMS,
    lifeMs: STREAM_MS,
    marks: STREAM_MARKS,
    seconds,
  });

module.exports = { CONNECTIONS, RATE, STREAMS, atRate, closed, once, pidsOf, prepare, streams };
