'use strict';

/**
 * A provider with faults by number: a base time for each answer, a share of slow ones, a share of failures (status 503, or the
 * connection reset), or no answer at all. Its dice are seeded, so that each run has the same faults. Controlled by its parent process.
 */
const { createServer } = require('node:http');
const { ANSWER } = require('../lib/traffic.cjs');

let faults = { baseMs: 0, failing: 0, slow: 0, slowMs: 0, hung: false };
let requests = 0;
let state = 1;

/** 0 to below 1. */
function dice() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

function answer(res) {
  const fails = dice() < faults.failing;
  const waitMs = dice() < faults.slow ? faults.slowMs : faults.baseMs;
  const resets = fails && dice() < 1 / 3;
  if (faults.hung) return;
  setTimeout(() => {
    if (res.destroyed) return;
    if (resets) res.socket.resetAndDestroy();
    else if (fails) res.writeHead(503, { 'content-length': 2 }).end('{}');
    else
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  }, waitMs);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  requests += 1;
  req.resume();
  req.on('end', () => answer(res));
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', ({ id, set }) => {
  if (set) faults = { ...faults, ...set };
  process.send({ id, result: { requests } });
});
process.on('disconnect', () => process.exit());
