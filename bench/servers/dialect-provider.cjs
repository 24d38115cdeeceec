'use strict';

/**
 * A provider of two dialects that uses hardly any CPU: canned HTTP/1.1 over raw sockets. The path chooses between chat completions
 * and the Messages API, the body between a whole response and a stream, which is sent at once.
 */
const { serve } = require('../lib/canned-server.cjs');
const { PAYLOADS } = require('../lib/dialect-traffic.cjs');

const STREAM_WANTED = Buffer.from('"stream":true');

/**
 * @param {string} type
 * @param {Buffer} body
 */
function response(type, body) {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const responses = (/** @type {{ whole: Buffer, stream: Buffer }} */ { whole, stream }) => ({
  whole: response('application/json', whole),
  stream: response('text/event-stream; charset=utf-8', stream),
});
const RESPONSES = { chat: responses(PAYLOADS.chat), messages: responses(PAYLOADS.messages) };

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer} request
 */
function respond(socket, request) {
  const line = request.latin1Slice(0, request.indexOf(13));
  const { whole, stream } = RESPONSES[line.includes('/messages') ? 'messages' : 'chat'];
  socket.write(request.includes(STREAM_WANTED) ? stream : whole);
}

serve(respond);
