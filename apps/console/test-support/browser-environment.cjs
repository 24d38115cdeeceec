// Jest environment: jsdom with the network APIs that it lacks, taken from Node.js.
const { TestEnvironment } = require('jest-environment-jsdom');

const PARTS = [
  ...['fetch', 'Headers', 'Request', 'Response', 'ReadableStream', 'TransformStream', 'TextDecoderStream'],
  // A request accepts a signal of its own realm only.
  ...['AbortController', 'AbortSignal', 'TextDecoder', 'TextEncoder', 'BroadcastChannel', 'structuredClone'],
];

module.exports = class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of PARTS) this.global[name] = globalThis[name];
  }
};
