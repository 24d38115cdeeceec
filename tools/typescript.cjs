// Lets a script require the TypeScript sources of libs without a build:
// `require('./typescript.cjs')`, then `require('../libs/x/src/index.ts')`.
const { readFileSync } = require('node:fs');
/** The types of Node.js lack the hooks of `Module`. @type {any} */
const Module = require('node:module');
const { join } = require('node:path');
const { transformFileSync } = require('@swc/core');

const ROOT = join(__dirname, '..');
const options = JSON.parse(readFileSync(join(ROOT, '.swcrc'), 'utf8'));
delete options.$schema;
options.swcrc = false;
options.jsc.baseUrl = ROOT;
options.sourceMaps = false;

Module._extensions['.ts'] = (/** @type {{ _compile: Function }} */ module, /** @type {string} */ path) =>
  module._compile(transformFileSync(path, options).code, path);

const resolve = Module._resolveFilename;
Module._resolveFilename = (/** @type {string} */ request, /** @type {unknown[]} */ ...rest) => {
  const lib = /^@gw\/([\w-]+)$/.exec(request)?.[1];
  return resolve(lib ? join(ROOT, 'libs', lib, 'src/index.ts') : request, ...rest);
};
