'use strict';

/**
 * Stands for the other gateways of an installation: sends batches of log records to a worker at a constant rate, one at a time per
 * sender, and repeats a batch that the worker refused for lack of room. Records are made once and get new ids for each batch, since
 * making them costs as much as storing them.
 */
const { Agent, request } = require('node:http');
const { crc32 } = require('node:zlib');
require('../../tools/typescript.cjs');
const { probeFrame } = require('../../libs/journal/src/frame.ts');
const { endWithParent, sendToParent } = require('../lib/child-script.cjs');
const { batchOf } = require('../lib/log-records.cjs');

/** Where to send. `rate`: records per second. @typedef {{ port: number, token: string, rate: number }} SenderJob */

const [BATCH, SENDERS, TEMPLATES] = [250, 12, 16];
const HEADER_BYTES = 20;
const RETRY_MS = 100;
const REPEATED_STATUSES = [429, 503];

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
const templates = Array.from({ length: TEMPLATES }, () => {
  const bytes = batchOf(BATCH, true);
  /** @type {{ at: number, end: number, ids: number[] }[]} */
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const frame = probeFrame(bytes, at);
    if (frame.kind !== 'frame') throw new Error(`The batch has no frame at byte ${at}.`);
    const end = at + frame.bytes;
    const idOf = (/** @type {string} */ name) =>
      bytes.indexOf(`"${name}":"`, at + HEADER_BYTES) + name.length + 4;
    frames.push({ at, end, ids: [idOf('id'), idOf('traceId')] });
    at = end;
  }
  return { bytes, frames };
});
let made = 0;

/** The bytes of a batch with new ids. */
function freshBatch() {
  const { bytes, frames } = /** @type {typeof templates[number]} */ (templates[made % TEMPLATES]);
  const batch = Buffer.from(bytes);
  for (const { at, end, ids } of frames) {
    made += 1;
    // The last twelve digits; those before them are the time.
    for (const id of ids) batch.write(made.toString(16).padStart(12, '0'), id + 24, 'latin1');
    batch.writeUInt32LE(crc32(batch.subarray(at + 8, end)), at + 4);
  }
  return batch;
}

/**
 * Resolves to the number of accepted records, or to null when the batch must be sent again.
 * @param {SenderJob} job
 * @param {Buffer} batch
 * @returns {Promise<number | null>}
 */
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
        if (res.statusCode === 200) resolve(/** @type {{ accepted: number }} */ (JSON.parse(text)).accepted);
        else if (REPEATED_STATUSES.includes(Number(res.statusCode))) resolve(null);
        else reject(new Error(`The worker responded ${res.statusCode}: ${text.slice(0, 500)}`));
      });
    });
    req.once('error', reject);
    req.end(batch);
  });
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends until it gets the message to stop.
 * @param {SenderJob} job
 * @param {{ stopped: boolean }} state
 */
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
      let stored = await post(job, batch);
      while (stored === null) {
        await pause(RETRY_MS);
        stored = await post(job, batch);
      }
      accepted += stored;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return { accepted, perSecond: (accepted / (performance.now() - startedAt)) * 1_000 };
}

/** @type {ReturnType<typeof run> | null} */
let running = null;
const state = { stopped: false };

process.on(
  'message',
  (/** @type {{ id: number, kind: 'start' | 'stop' } & SenderJob} */ { id, kind, ...job }) => {
    if (kind === 'start') {
      state.stopped = false;
      running = run(job, state);
      running.catch(() => undefined);
      sendToParent({ id, result: {} });
      return;
    }
    state.stopped = true;
    running?.then(
      (result) => sendToParent({ id, result }),
      (/** @type {Error} */ error) => sendToParent({ id, error: error.stack }),
    );
  },
);
endWithParent();
sendToParent({ ready: true });
