// Jest's test environment without a realm of its own: a test file runs in the realm of its worker,
// as the product runs in the realm of its process. `own-realm-runtime.cjs` loads its modules;
// docs/decisions/0073 says why.
const { readFileSync } = require('node:fs');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Test files that replace modules or the clock. They would leave their replacements in shared
 * modules.
 */
const REPLACES =
  /\bjest\s*\.\s*(?:mock|doMock|unmock|resetModules|isolateModules|useFakeTimers|setSystemTime)/;
/**
 * Globals in which decorators register our classes; they belong to the modules that test files
 * share.
 */
const REGISTRIES = ['typeormMetadataArgsStorage', 'classValidatorMetadataStorage'];
/**
 * The registries of the shared modules, by name.
 * @type {Map<string, unknown>}
 */
const sharedRegistries = new Map();
const globalObject = /** @type {Record<string, unknown>} */ (globalThis);

/**
 * Restores what a test file may have changed in the worker: globals, the environment and the
 * listeners of the process.
 */
function stateOfWorker() {
  const globals = new Set(Reflect.ownKeys(globalThis));
  const { console } = globalThis;
  const { exit, exitCode } = process;
  const folder = process.cwd();
  const variables = { ...process.env };
  const listeners = new Map(process.eventNames().map((name) => [name, new Set(process.rawListeners(name))]));
  return () => {
    // Globals that cannot be deleted belong to Node.js, such as the dispatcher of `fetch`.
    for (const key of Reflect.ownKeys(globalThis))
      if (!globals.has(key)) Reflect.deleteProperty(globalThis, key);
    globalThis.console = console;
    Object.assign(process, { exit, exitCode });
    if (process.cwd() !== folder) process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!listeners.get(name)?.has(listener))
          process.removeListener(name, /** @type {() => void} */ (listener));
  };
}

module.exports = class OwnRealmEnvironment {
  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} configs
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor({ globalConfig: { watch, watchAll }, projectConfig: config }, { testPath }) {
    this.restoreWorker = stateOfWorker();
    /** Modules are not shared in watch mode, because they may change. */
    this.sharesModules = !REPLACES.test(readFileSync(testPath, 'utf8')) && !watch && !watchAll;
    if (this.sharesModules) Object.assign(globalThis, Object.fromEntries(sharedRegistries));
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  setup() {
    return Promise.resolve();
  }

  teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    if (this.sharesModules)
      for (const name of REGISTRIES) if (name in globalObject) sharedRegistries.set(name, globalObject[name]);
    this.restoreWorker();
    return Promise.resolve();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Required by Jest; our runtime does not use it. */
  getVmContext() {
    return null;
  }
};
