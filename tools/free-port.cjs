// A free port of 127.0.0.1 for tools and benchmarks, which run alone; tests have `freePort` of
// `libs/testing`, which reserves it.
const { createServer } = require('node:net');

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

module.exports = { freePort };
