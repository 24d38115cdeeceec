'use strict';

/**
 * The routes of the admin API and the worker that a gateway calls, without a database: documents from a map, a stream of heartbeats,
 * a route that accepts log frames. It checks and counts the frames, so that a run in which no record was shipped cannot pass.
 */
const { createServer } = require('node:http');
const { sendToParent, serveParent } = require('../lib/child-script.cjs');

const SEQUENCE = 1;
const HEARTBEAT_MS = 2_000;
const MAGIC = 0x314a4754;
const HEADER_BYTES = 20;
const OMITTED = 0xfffffffe;

/** @type {Map<string, object>} */
const documents = new Map();
const counts = { records: 0, withBodies: 0 };

/**
 * @param {import('node:http').IncomingMessage} req
 * @returns {Promise<Buffer>}
 */
const bodyOf = (req) =>
  new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });

/** @param {number} field */
const bytesOf = (field) => (field >= OMITTED ? 0 : field);

/** @param {Buffer} batch */
function countFrames(batch) {
  for (let at = 0; at < batch.length;) {
    if (batch.readUInt32LE(at) !== MAGIC) throw new Error('A batch held bytes that are no log frame.');
    const request = bytesOf(batch.readUInt32LE(at + 12));
    const response = bytesOf(batch.readUInt32LE(at + 16));
    counts.records += 1;
    if (request > 0 && response > 0) counts.withBodies += 1;
    at += HEADER_BYTES + batch.readUInt32LE(at + 8) + request + response;
  }
}

/**
 * @param {import('node:http').ServerResponse} res
 * @param {object} value
 */
function sendJson(res, value) {
  const text = JSON.stringify(value);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}

/**
 * @param {import('node:http').IncomingMessage} req
 * @param {import('node:http').ServerResponse} res
 */
async function handle(req, res) {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  if (pathname === '/internal/v1/events') {
    const beat = () => res.write(`${JSON.stringify({ type: 'heartbeat', sequence: SEQUENCE })}\n`);
    res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    beat();
    const timer = setInterval(beat, HEARTBEAT_MS);
    res.on('close', () => clearInterval(timer));
  } else if (pathname === '/internal/v1/documents') {
    /** @type {{ keys: string[] }} */
    const { keys } = JSON.parse((await bodyOf(req)).toString('utf8'));
    const found = Object.fromEntries(keys.map((key) => [key, documents.get(key) ?? null]));
    sendJson(res, { sequence: SEQUENCE, documents: found });
  } else if (pathname === '/internal/v1/logs') {
    const before = counts.records;
    countFrames(await bodyOf(req));
    sendJson(res, { accepted: counts.records - before });
  } else if (pathname === '/internal/v1/balances') {
    /** @type {{ counters: { since: number }[] }} */
    const { counters } = JSON.parse((await bodyOf(req)).toString('utf8'));
    sendJson(res, { balances: counters.map(({ since }) => ({ period: since, used: 0, holders: [] })) });
  } else {
    res.writeHead(404).end();
  }
}

const server = createServer((req, res) => {
  handle(req, res).catch((/** @type {Error} */ error) => {
    process.stderr.write(`control plane of the benchmark: ${error.stack}\n`);
    res.writeHead(500).end();
  });
});
serveParent(server);
process.on('message', (/** @type {{ id: number, documents?: [string, object][] }} */ message) => {
  for (const [key, document] of message.documents ?? []) documents.set(key, document);
  sendToParent({ id: message.id, result: { ...counts } });
});
