const { join, resolve } = require('node:path');
const preset = require('../../jest.preset.cjs');

const ROOT = resolve(__dirname, '../..');
const [, swc] = preset.transform['^.+\\.ts$'];

const react = structuredClone(swc);
react.jsc.parser.tsx = true;
react.jsc.transform.react = { runtime: 'automatic' };
// Modules of React share state while they load.
react.module.lazy = false;
// Pages are loaded when they are opened.
react.module.ignoreDynamic = false;

/** Packages that ship ES modules alone, which Jest must transform. */
const MODULES = [
  'marked',
  'uplot',
  '@codemirror',
  '@lezer',
  '@marijn',
  'crelt',
  'w3c-keyname',
  'style-mod',
  'qr',
];
const modules = structuredClone(react);
modules.jsc.parser = { syntax: 'ecmascript' };

// A document needs a realm of its own, so neither the environment nor the runtime of the other
// projects.
module.exports = {
  ...preset,
  runtime: undefined,
  displayName: 'console',
  rootDir: __dirname,
  testEnvironment: join(__dirname, 'test-support/browser-environment.cjs'),
  setupFiles: [join(__dirname, 'test-support/browser-parts.cjs')],
  setupFilesAfterEnv: [
    join(__dirname, 'test-support/waits.cjs'),
    join(__dirname, 'test-support/list-keys.cjs'),
  ],
  testMatch: ['**/*.spec.ts', '**/*.spec.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json'],
  moduleNameMapper: {
    ...preset.moduleNameMapper,
    '\\.css$': join(__dirname, 'test-support/css-names.cjs'),
    '^@gw/([a-z-]+)$': join(ROOT, 'libs/$1/src/index.ts'),
  },
  transform: {
    '^.+\\.tsx?$': ['@swc/jest', react],
    [`node_modules/(?:${MODULES.join('|')}).*\\.js$`]: ['@swc/jest', modules],
  },
  transformIgnorePatterns: [`node_modules/(?!(?:${MODULES.join('|')})/)`],
};
