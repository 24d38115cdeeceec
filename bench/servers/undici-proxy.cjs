'use strict';

/** A minimal proxy over `node:http` and undici's `dispatch`: request bodies in memory, one write for a small response. */
const { createServer } = require('node:http');
const { Pool } = require('undici');
const { serveParent } = require('../lib/child-script.cjs');

const [port] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${port}`, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

/** Copies a response of undici to the client. */
class ResponseCopy {
  /** @param {import('node:http').ServerResponse} res */
  constructor(res) {
    this.res = res;
    this.corked = false;
    this.resume = () => {};
  }
  /** @param {() => void} abort */
  onConnect(abort) {
    this.res.once('close', () => this.res.writableFinished || abort());
  }
  /**
   * @param {number} status
   * @param {readonly Buffer[]} raw
   * @param {() => void} resume
   */
  onHeaders(status, raw, resume) {
    /** @type {string[]} */
    const headers = [];
    for (let i = 0; i < raw.length; i += 2) {
      const [name = '', value = ''] = [raw[i]?.latin1Slice(), raw[i + 1]?.latin1Slice()];
      if (name !== 'transfer-encoding' && name !== 'connection' && name !== 'keep-alive')
        headers.push(name, value);
    }
    this.resume = resume;
    this.res.cork();
    this.corked = true;
    this.res.writeHead(status, headers);
    process.nextTick(() => this.corked && this.uncork());
    return true;
  }
  uncork() {
    this.corked = false;
    this.res.uncork();
  }
  /** @param {Buffer} chunk */
  onData(chunk) {
    if (this.res.write(chunk)) return true;
    this.res.once('drain', this.resume);
    return false;
  }
  onComplete() {
    this.res.end();
    if (this.corked) this.uncork();
  }
  onError() {
    if (this.res.headersSent) this.res.destroy();
    else this.res.writeHead(502).end();
  }
}

const server = createServer((req, res) => {
  /** @type {Buffer[]} */
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    /** @type {string[]} */
    const headers = [];
    for (let i = 0; i < req.rawHeaders.length; i += 2) {
      const [name = '', value = ''] = [req.rawHeaders[i]?.toLowerCase(), req.rawHeaders[i + 1]];
      if (name !== 'host' && name !== 'connection' && name !== 'content-length') headers.push(name, value);
    }
    const [first] = chunks;
    const body = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    const method = /** @type {import('undici').Dispatcher.HttpMethod} */ (req.method);
    pool.dispatch({ path: req.url ?? '/', method, headers, body }, new ResponseCopy(res));
  });
});
serveParent(server);
