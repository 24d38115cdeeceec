'use strict';

/**
 * The load generator: raw sockets, so that it costs less than what it measures. It runs one job at a time, controlled by its parent,
 * and reads the contestant's CPU time itself at both ends of the counted window. It checks every response; the first wrong one fails
 * the job.
 */
const { Connection } = require('../lib/connection.cjs');
const { endWithParent, sendToParent } = require('../lib/child-script.cjs');
const { cpuMicros, residentBytes } = require('../lib/proc-stat.cjs');

/**
 * A message of the benchmark. `request`: its bytes in base64; `pids`: processes of the contestant.
 * @typedef {Check & { id: number, port: number, pids: number[], request: string, seconds: number }} AnyJob
 */
/** @typedef {{ expected: string, isStart: boolean, refusal?: string }} Check */
/** @typedef {AnyJob & { kind: 'closed', warmSeconds: number, connections: number }} ClosedJob */
/** @typedef {AnyJob & { kind: 'open', warmSeconds: number, rate: number }} OpenJob */
/** @typedef {AnyJob & { kind: 'streams', streams: number, lifeMs: number, marks: number }} StreamsJob */
/** @typedef {ClosedJob | OpenJob | StreamsJob} Job */
/** @typedef {InstanceType<typeof Connection>} OpenConnection */
/** @typedef {(result: object) => void} Finish */
/** @typedef {(reason: string) => void} Fail */

const now = () => performance.now();
/**
 * @param {Float64Array} sorted
 * @param {number} part
 */
const percentile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;

/** @param {readonly number[]} samples */
function summary(samples) {
  const sorted = Float64Array.from(samples).sort();
  return { count: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

/**
 * Compares the bodies of whole responses with the one that the benchmark has checked in full; with `isStart`, only their first bytes.
 * `refusal` is a text that only responses of a contestant at its bound contain: those are not wrong, and are counted separately.
 * `end` returns whether the response was such a refusal.
 * @param {Check} check
 * @param {Fail} fail
 */
function bodyCheck({ expected, isStart, refusal }, fail) {
  const wanted = Buffer.from(expected, 'base64');
  /** @type {Buffer | null} */
  let kept = null;
  return {
    data: (/** @type {Buffer} */ piece) => {
      kept = kept ? Buffer.concat([kept, piece]) : piece;
    },
    end: () => {
      const seen = isStart ? kept?.subarray(0, wanted.length) : kept;
      const isRefused = refusal !== undefined && kept?.includes(refusal) === true;
      if (!isRefused && !seen?.equals(wanted))
        fail(`the body of a response was wrong: ${kept?.toString('latin1', 0, 300) ?? ''}`);
      kept = null;
      return isRefused;
    },
  };
}

/**
 * Keeps `connections` busy; counts the responses between two readings of the contestant's CPU time.
 * @param {ClosedJob} job
 * @param {Finish} finish
 * @param {Fail} fail
 */
function closedLoop(job, finish, fail) {
  const request = Buffer.from(job.request, 'base64');
  /** @type {OpenConnection[]} */
  const connections = [];
  let answered = 0;
  let stopped = false;
  for (let i = 0; i < job.connections; i += 1) {
    const connection = new Connection(job.port, fail);
    const check = bodyCheck(job, fail);
    const next = () => connection.send(request, check.data, done);
    const done = () => {
      check.end();
      answered += 1;
      if (!stopped) next();
    };
    connections.push(connection);
    next();
  }
  setTimeout(() => {
    const from = { at: now(), cpu: cpuMicros(job.pids), answered };
    setTimeout(() => {
      const ms = now() - from.at;
      const requests = answered - from.answered;
      const cpu = cpuMicros(job.pids) - from.cpu;
      stopped = true;
      const close = setInterval(() => {
        if (connections.some(({ idle }) => !idle)) return;
        clearInterval(close);
        for (const { socket } of connections) socket.destroy();
        finish({
          requests,
          answered,
          perSecond: (requests / ms) * 1_000,
          cpuUs: cpu / requests,
          busy: cpu / 1_000 / ms,
        });
      }, 5);
    }, job.seconds * 1_000);
  }, job.warmSeconds * 1_000);
}

/**
 * Sends at a constant rate regardless of responses, so that a slow one delays no other request. Refusals at a bound are counted in
 * `refused`, and their times are left out.
 * @param {OpenJob} job
 * @param {Finish} finish
 * @param {Fail} fail
 */
function openLoop(job, finish, fail) {
  const request = Buffer.from(job.request, 'base64');
  const everyMs = 1_000 / job.rate;
  const total = Math.round(job.rate * (job.seconds + job.warmSeconds));
  const warm = Math.round(job.rate * job.warmSeconds);
  /** @type {OpenConnection[]} */
  const all = [];
  /** @type {OpenConnection[]} */
  const free = [];
  /** @type {number[]} */
  const samples = [];
  let sent = 0;
  let answered = 0;
  let refused = 0;
  const startedAt = now();
  const connectionFor = () => {
    const known = free.pop();
    if (known) return known;
    if (all.length >= 1_024) return fail('1,024 requests were in flight at the fixed rate');
    const fresh = new Connection(job.port, fail);
    all.push(fresh);
    return fresh;
  };
  const sendOne = () => {
    const index = sent;
    sent += 1;
    const connection = connectionFor();
    if (!connection) return;
    const check = bodyCheck(job, fail);
    const at = now();
    connection.send(request, check.data, () => {
      const ms = now() - at;
      if (check.end()) refused += 1;
      else if (index >= warm) samples.push(ms);
      answered += 1;
      free.push(connection);
    });
  };
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor((now() - startedAt) / everyMs));
    while (sent < due) sendOne();
    if (answered < total) return;
    clearInterval(timer);
    for (const { socket } of all) socket.destroy();
    finish({ ...summary(samples), answered, refused });
  }, everyMs);
}

const SEPARATOR = 10;

/** Counts the events of a body that arrives in pieces: empty lines, two line feeds in a row. */
function eventCounter() {
  let events = 0;
  let after = false;
  return {
    data: (/** @type {Buffer} */ piece) => {
      for (let at = piece.indexOf(SEPARATOR); at !== -1; at = piece.indexOf(SEPARATOR, at + 1)) {
        if (at === 0 ? after : piece[at - 1] === SEPARATOR) events += 1;
      }
      after = piece[piece.length - 1] === SEPARATOR;
    },
    take: () => {
      const counted = events;
      events = 0;
      after = false;
      return counted;
    },
    count: () => events,
  };
}

/**
 * Keeps `streams` streams open, started evenly over the duration of one; a stream that ends is started again until the window ends.
 * @param {StreamsJob} job
 * @param {Finish} finish
 * @param {Fail} fail
 */
function streams(job, finish, fail) {
  const request = Buffer.from(job.request, 'base64');
  /** @type {OpenConnection[]} */
  const connections = [];
  /** @type {number[]} */
  const firsts = [];
  let events = 0;
  let ended = 0;
  /** @type {{ at: number, cpu: number, events: number } | null} */
  let window = null;
  let stopped = false;
  let peak = 0;
  const begin = (/** @type {OpenConnection} */ connection) => {
    const counter = eventCounter();
    const at = now();
    let first = true;
    connection.send(
      request,
      (/** @type {Buffer} */ piece) => {
        if (first && window) firsts.push(now() - at);
        first = false;
        events -= counter.count();
        counter.data(piece);
        events += counter.count();
      },
      () => {
        const counted = counter.take();
        if (counted !== job.marks) fail(`a stream had ${counted} events, not ${job.marks}`);
        ended += 1;
        if (!stopped) begin(connection);
      },
    );
  };
  const open = () => {
    const connection = new Connection(job.port, fail);
    connections.push(connection);
    begin(connection);
  };
  for (let i = 0; i < job.streams; i += 1) setTimeout(open, (i * job.lifeMs) / job.streams);
  const memory = setInterval(() => (peak = Math.max(peak, residentBytes(job.pids))), 100);
  const measured = (/** @type {NonNullable<typeof window>} */ from) => {
    const ms = now() - from.at;
    const counted = events - from.events;
    const cpu = cpuMicros(job.pids) - from.cpu;
    stopped = true;
    clearInterval(memory);
    whenIdle(connections, () =>
      finish({
        events: counted,
        cpuUs: cpu / counted,
        busy: cpu / 1_000 / ms,
        residentBytes: peak,
        first: summary(firsts),
        answered: ended,
      }),
    );
  };
  setTimeout(() => {
    const from = { at: now(), cpu: cpuMicros(job.pids), events };
    window = from;
    setTimeout(() => measured(from), job.seconds * 1_000);
  }, job.lifeMs * 1.2);
}

/**
 * Closes connections once none of them waits for a response.
 * @param {readonly OpenConnection[]} connections
 * @param {() => void} closed
 */
function whenIdle(connections, closed) {
  const close = setInterval(() => {
    if (connections.some(({ idle }) => !idle)) return;
    clearInterval(close);
    for (const { socket } of connections) socket.destroy();
    closed();
  }, 20);
}

/**
 * @param {Job} job
 * @param {Finish} finish
 * @param {Fail} fail
 */
function start(job, finish, fail) {
  if (job.kind === 'closed') closedLoop(job, finish, fail);
  else if (job.kind === 'open') openLoop(job, finish, fail);
  else streams(job, finish, fail);
}

process.on('message', (/** @type {Job} */ job) => {
  let over = false;
  const reply = (/** @type {object} */ message) => {
    if (over) return;
    over = true;
    sendToParent({ id: job.id, ...message });
  };
  start(
    job,
    (result) => reply({ result }),
    (error) => reply({ error }),
  );
});
endWithParent();
sendToParent({ ready: true });
