'use strict';

/**
 * A provider with a set rate of faults: a base time for each response, a share of slow ones, a share of failures (status 503, or a
 * reset connection), or no response at all. Its random numbers are seeded, so that each run has the same faults. The benchmark
 * controls it by messages.
 */
const { createServer } = require('node:http');
const { sendToParent, serveParent } = require('../lib/child-script.cjs');
const { RESPONSE } = require('../lib/traffic.cjs');

let faults = { baseMs: 0, failing: 0, slow: 0, slowMs: 0, hung: false };
let requests = 0;
let state = 1;

/** A pseudo-random number from 0 to below 1. */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

/** @param {import('node:http').ServerResponse} res */
function respond(res) {
  const fails = random() < faults.failing;
  const waitMs = random() < faults.slow ? faults.slowMs : faults.baseMs;
  const resets = fails && random() < 1 / 3;
  if (faults.hung) return;
  setTimeout(() => {
    if (res.destroyed) return;
    if (resets) res.socket?.resetAndDestroy();
    else if (fails) res.writeHead(503, { 'content-length': 2 }).end('{}');
    else
      res
        .writeHead(200, { 'content-type': 'application/json', 'content-length': RESPONSE.length })
        .end(RESPONSE);
  }, waitMs);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  requests += 1;
  req.resume();
  req.on('end', () => respond(res));
});
serveParent(server);
process.on('message', (/** @type {{ id: number, set?: Partial<typeof faults> }} */ { id, set }) => {
  if (set) faults = { ...faults, ...set };
  sendToParent({ id, result: { requests } });
});
