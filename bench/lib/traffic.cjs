'use strict';

/**
 * The requests and responses of every contestant: a chat request of 2 KB, a response of 1 KB with its usage, and a stream of 50
 * events. Stub, load generator and checks share them.
 */

const TEXT =
  'The quick brown fox jumps over the lazy dog while the seven wizards box with five dozen liquor jugs. ';

/** @param {number} length */
const fill = (length) => TEXT.repeat(Math.ceil(length / TEXT.length)).slice(0, length);

const MODEL = 'gpt-4o-mini';

/** @param {boolean} stream */
function chatRequest(stream) {
  const body = {
    model: MODEL,
    messages: [
      { role: 'system', content: fill(400) },
      { role: 'user', content: fill(1_350) },
    ],
    temperature: 0.2,
    max_tokens: 256,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
    user: 'bench-user-0001',
  };
  return Buffer.from(JSON.stringify(body));
}

const usage = { prompt_tokens: 420, completion_tokens: 150, total_tokens: 570 };

const RESPONSE = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench0000000000000000000001',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: fill(640), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
    service_tier: 'default',
    system_fingerprint: 'fp_0123456789',
  }),
);

const EVENTS = 50;
const EVENT_EVERY_MS = 20;

/** @param {object} fields */
const event = (fields) =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: 'chatcmpl-bench0000000000000000000002',
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: 'gpt-4o-mini-2024-07-18',
      ...fields,
    })}\n\n`,
  );

/** The chunks of the stream; the last one carries the usage and the end mark. */
const STREAM = Array.from({ length: EVENTS }, (_, at) =>
  at < EVENTS - 1
    ? event({ choices: [{ index: 0, delta: { content: ` word${at}` }, finish_reason: null }], usage: null })
    : Buffer.concat([event({ choices: [], usage }), Buffer.from('data: [DONE]\n\n')]),
);

/** Events as the client counts them: those of the provider and the end mark. */
const STREAM_MARKS = EVENTS + 1;

/** Headers of a request by an SDK. */
const CLIENT_HEADERS = [
  ['accept', 'application/json'],
  ['content-type', 'application/json'],
  ['user-agent', 'OpenAI/JS 6.49.0'],
  ['x-stainless-lang', 'js'],
  ['x-stainless-package-version', '6.49.0'],
  ['x-stainless-os', 'Linux'],
  ['x-stainless-arch', 'x64'],
  ['x-stainless-runtime', 'node'],
  ['x-stainless-retry-count', '0'],
];

/**
 * The bytes of one request. `headers` are the contestant's own: its credential and the address of the stub.
 * @param {Pick<import('./measure.cjs').Contestant, 'path' | 'headers' | 'port'> & { body: Buffer }} request
 */
function requestBytes({ path, headers, port, body }) {
  const lines = [`POST ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`];
  for (const [name, value] of [...CLIENT_HEADERS, ...Object.entries(headers)])
    lines.push(`${name}: ${value}`);
  lines.push(`content-length: ${body.length}`, '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body]);
}

module.exports = { RESPONSE, EVENT_EVERY_MS, EVENTS, STREAM, STREAM_MARKS, chatRequest, requestBytes };
