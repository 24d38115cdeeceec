'use strict';

/** What the scripts of `servers/` have in common: each is a child process of a benchmark, and ends with it. */

/**
 * The port that a server listens on.
 * @param {import('node:net').Server} server
 */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/**
 * Sends a message to the benchmark.
 * @param {object} message
 */
function sendToParent(message) {
  if (!process.send) throw new Error('Only a benchmark can start this script, as its child process.');
  process.send(message);
}

/** Ends this process when the benchmark ends. */
function endWithParent() {
  process.on('disconnect', () => process.exit());
}

/**
 * Listens on a free port of 127.0.0.1 and sends it to the benchmark.
 * @param {import('node:net').Server} server
 */
function serveParent(server) {
  server.listen(0, '127.0.0.1', () => sendToParent({ port: portOf(server) }));
  endWithParent();
}

module.exports = { endWithParent, portOf, sendToParent, serveParent };
