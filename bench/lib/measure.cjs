'use strict';

const { request } = require('node:http');
const { isDeepStrictEqual } = require('node:util');
const { processTree } = require('./proc-stat.cjs');
const { ask } = require('./processes.cjs');
const { ANSWER, EVENT_EVERY_MS, EVENTS, STREAM_MARKS, chatRequest, requestBytes } = require('./traffic.cjs');

const CONNECTIONS = 32;
const RATE = 400;
const STREAMS = 200;
/** A stream as the stub plays it, and the pause of the client's own. */
const STREAM_MS = EVENTS * EVENT_EVERY_MS;

/** One request by `node:http`, so that the first look at a contestant does not depend on the load generator's own parser. */
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
        const chunks = [];
        res.on('data', (chunk) => chunks.push(chunk));
        res.on('end', () => resolve({ status: res.statusCode, body: Buffer.concat(chunks) }));
        res.on('error', reject);
      },
    );
    req.once('error', reject);
    req.setTimeout(10_000, () => req.destroy(new Error('No answer in 10 s.')));
    req.end(body);
  });
}

/** Checks a contestant's answers in full, and keeps what every later one must equal. Throws when one is wrong. */
async function prepare(contestant) {
  const whole = await once(contestant, chatRequest(false));
  const answer = JSON.parse(ANSWER.toString());
  let got = null;
  try {
    got = JSON.parse(whole.body.toString());
  } catch {
    // Reported below.
  }
  for (const part of ['id', 'model', 'choices', 'usage']) {
    if (whole.status === 200 && isDeepStrictEqual(got?.[part], answer[part])) continue;
    throw new Error(
      `${contestant.name} answered ${whole.status}, and not the stub's ${part}: ${whole.body.subarray(0, 500)}`,
    );
  }
  const stream = await once(contestant, chatRequest(true));
  const events = stream.body.toString().split('\n\n').length - 1;
  if (stream.status !== 200 || events !== STREAM_MARKS || !stream.body.includes('data: [DONE]\n\n')) {
    throw new Error(`${contestant.name} answered ${stream.status} with ${events} events to a stream`);
  }
  contestant.pids = contestant.child ? processTree(contestant.child.pid) : [];
  // Verdicts of guardrails tell times, so that no two answers are the same behind them.
  const verdicts = whole.body.indexOf(',"hook_results"');
  contestant.isStart = verdicts >= 0;
  contestant.expected = whole.body
    .subarray(0, verdicts >= 0 ? verdicts : whole.body.length)
    .toString('base64');
  contestant.sent = 2;
  const bytes = (streamed) => requestBytes({ ...contestant, body: chatRequest(streamed) }).toString('base64');
  contestant.whole = bytes(false);
  contestant.streamed = bytes(true);
}

async function job(load, contestant, fields) {
  const { port, pids, expected, isStart } = contestant;
  try {
    const result = await ask(load.child, { port, pids, expected, isStart, ...fields });
    contestant.sent += result.answered;
    return result;
  } catch (error) {
    const { child } = contestant;
    const last = child ? ` (exit ${child.exitCode ?? child.signalCode})\n${child.output}` : '';
    throw new Error(`${contestant.name}: ${error.message}${last}`);
  }
}

const closed = (load, contestant, { warmSeconds, seconds }) =>
  job(load, contestant, {
    kind: 'closed',
    request: contestant.whole,
    connections: CONNECTIONS,
    warmSeconds,
    seconds,
  });

const atRate = (load, contestant, { warmSeconds, seconds }) =>
  job(load, contestant, { kind: 'open', request: contestant.whole, rate: RATE, warmSeconds, seconds });

const streams = (load, contestant, { seconds }) =>
  job(load, contestant, {
    kind: 'streams',
    request: contestant.streamed,
    streams: STREAMS,
    lifeMs: STREAM_MS,
    marks: STREAM_MARKS,
    seconds,
  });

module.exports = { CONNECTIONS, RATE, STREAMS, atRate, closed, once, prepare, streams };
