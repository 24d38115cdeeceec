// Jest's test environment without a realm of its own: a test file runs in the realm of its worker, as the product runs in the realm of
// its process. `own-realm-runtime.cjs` loads its modules; docs/decisions/0073 says why.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Restores what a test file may have changed in the worker: globals, the environment and the listeners of the process. */
function stateOfWorker() {
  const globals = new Set(Reflect.ownKeys(globalThis));
  const { console } = globalThis;
  const { exit, exitCode } = process;
  const folder = process.cwd();
  const variables = { ...process.env };
  const listeners = new Map(process.eventNames().map((name) => [name, new Set(process.rawListeners(name))]));
  return () => {
    // Those that cannot be deleted belong to Node.js, such as the dispatcher of `fetch`.
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
  /** @param {import('@jest/environment').JestEnvironmentConfig} configs */
  constructor({ projectConfig: config }) {
    this.restoreWorker = stateOfWorker();
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
