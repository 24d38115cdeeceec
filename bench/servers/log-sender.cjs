'use strict';

/**
 * The other gateways of an installation: sends batches of log records to a worker at a constant rate, one at a time for each of its senders, and
 * again where the worker could not take one. Records are made once and get new ids each time, since making them costs as much as storing them.
 */
const { Agent, request } = require('node:http');
const { crc32 } = require('node:zlib');
require('../../tools/typescript.cjs');
const { skipFrames } = require('../../libs/journal/src/frame.ts');
const { batchOf } = require('../lib/log-records.cjs');

const [BATCH, SENDERS, TEMPLATES] = [250, 12, 16];
const HEADER_BYTES = 20;
const RETRY_MS = 100;
const AGAIN = new Set([429, 503]);

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
const templates = Array.from({ length: TEMPLATES }, () => {
  const bytes = batchOf(BATCH, true);
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const { end } = skipFrames(bytes, at, bytes.length, 1, 1);
    const idOf = (name) => bytes.indexOf(`"${name}":"`, at + HEADER_BYTES) + name.length + 4;
    frames.push({ at, end, ids: [idOf('id'), idOf('traceId')] });
    at = end;
  }
  return { bytes, frames };
});
let made = 0;

/** The bytes of a batch whose ids have not been before. */
function freshBatch() {
  const { bytes, frames } = templates[made % TEMPLATES];
  const batch = Buffer.from(bytes);
  for (const { at, end, ids } of frames) {
    made += 1;
    // The last twelve digits; those before them tell the time.
    for (const id of ids) batch.write(made.toString(16).padStart(12, '0'), id + 24, 'latin1');
    batch.writeUInt32LE(crc32(batch.subarray(at + 8, end)), at + 4);
  }
  return batch;
}

/** The records that were accepted; null: the batch must be sent again. */
function post({ port, token }, batch) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      'content-length': batch.length,
    };
    const options = { agent, port, host: '127.0.0.1', path: '/internal/v1/logs', method: 'POST', headers };
    const req = request(options, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      res.on('end', () => {
        if (res.statusCode === 200) resolve(JSON.parse(text).accepted);
        else if (AGAIN.has(res.statusCode)) resolve(null);
        else reject(new Error(`The worker answered ${res.statusCode}: ${text.slice(0, 500)}`));
      });
    });
    req.once('error', reject);
    req.end(batch);
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends until it gets the message to stop. */
async function run(job, state) {
  const startedAt = performance.now();
  let [accepted, taken] = [0, 0];
  const dueMs = () => ((taken * BATCH) / job.rate) * 1_000 - (performance.now() - startedAt);
  const sender = async () => {
    while (!state.stopped) {
      const waitMs = dueMs();
      taken += 1;
      if (waitMs > 0) await pause(waitMs);
      const batch = freshBatch();
      for (let got = null; got === null; accepted += got ?? 0) {
        got = await post(job, batch);
        if (got === null) await pause(RETRY_MS);
      }
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return { accepted, perSecond: (accepted / (performance.now() - startedAt)) * 1_000 };
}

let running = null;
const state = { stopped: false };

process.on('message', ({ id, kind, ...job }) => {
  if (kind === 'start') {
    state.stopped = false;
    running = run(job, state);
    running.catch(() => undefined);
    process.send({ id, result: {} });
    return;
  }
  state.stopped = true;
  running.then(
    (result) => process.send({ id, result }),
    (error) => process.send({ id, error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ port: 0 });
