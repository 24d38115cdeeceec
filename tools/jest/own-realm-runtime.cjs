// Jest's module loader for `own-realm-environment.cjs`. A worker loads packages and pure libs once; each test file loads everything else
// anew. docs/decisions/0073 says why.
const { readdirSync, readFileSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const { join, sep } = require('node:path');
const { constants, Script } = require('node:vm');

/**
 * What we use of Jest's runtime, whose types hide it.
 * @typedef {{ exports: unknown; loaded: boolean }} LoadedModule
 * @typedef {(from: string, name: string) => unknown} Require
 * @typedef {{
 *   _testPath: string;
 *   executor: { compile: (code: string, path: string) => unknown; injectedModuleParameters: string[] };
 *   requireBuilder: { requireDispatch: Require };
 *   registries: { getActiveCjsRegistry(): Map<string, LoadedModule> };
 *   requireModuleOrMock: Require;
 *   requireModule(from: string, name?: string, options?: { isInternalModule: boolean }, isActual?: boolean): unknown;
 *   teardown(): void;
 * }} JestRuntime
 * @typedef {import('@jest/types').Config.ProjectConfig} ProjectConfig
 */

/** @type {new (config: ProjectConfig, ...others: unknown[]) => JestRuntime} */
const Runtime = /** @type {any} */ (require('jest-runtime')).default;

const LIBS = join(__dirname, '../../libs');
/** Libs of these kinds have no I/O, no clock and no environment, so their modules keep nothing of a test. */
const PURE_KINDS = ['type:kernel', 'type:contract', 'type:domain'];
const PURE_FOLDERS = readdirSync(LIBS)
  .filter((lib) => {
    /** @type {{ tags: string[] }} */
    const { tags } = JSON.parse(readFileSync(join(LIBS, lib, 'project.json'), 'utf8'));
    return tags.some((tag) => PURE_KINDS.includes(tag));
  })
  .map((lib) => join(LIBS, lib) + sep);
const isInPureLib = (/** @type {string} */ path) => PURE_FOLDERS.some((folder) => path.startsWith(folder));
const isPureModule = (/** @type {string} */ path) => isInPureLib(path) && !path.includes('spec');

/**
 * What this worker has compiled, by path.
 * @type {Map<string, { code: string; script: Script }>}
 */
const scripts = new Map();
/**
 * The pure modules that this worker has loaded, by path.
 * @type {Map<string, LoadedModule>}
 */
const pureModules = new Map();
/** How the test file that runs loads a module. */
const running = { requireModuleOrMock: /** @type {Require} */ (() => undefined) };

/**
 * Compiles each file once for the worker; every test file evaluates it anew.
 * @param {string} code
 * @param {string} filename
 * @param {string[]} parameters
 */
function compile(code, filename, parameters) {
  const known = scripts.get(filename);
  if (known?.code === code) return known.script;
  const head = `(function (${parameters.join(', ')}) {`;
  const script = new Script(`${head}${code}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(filename, { code, script });
  return script;
}

module.exports = class OwnRealmRuntime extends Runtime {
  /**
   * @param {ProjectConfig} config
   * @param {unknown[]} others
   */
  constructor(config, ...others) {
    super(config, ...others);
    const { executor, requireBuilder } = this;
    executor.compile = (code, filename) =>
      compile(code, filename, executor.injectedModuleParameters).runInThisContext();
    // A pure module outlives the test file that loaded it, and loads what it needs later through the one that runs.
    requireBuilder.requireDispatch = (from, name) => running.requireModuleOrMock(from, name);
    running.requireModuleOrMock = (from, name) => this.requireModuleOrMock(from, name);
    this.mappedNames = config.moduleNameMapper.map(([pattern]) => new RegExp(pattern));
    const { watch, watchAll } = /** @type {import('@jest/types').Config.GlobalConfig} */ (others.at(-1));
    // A test that mocks may change what pure modules hold; while Jest watches, a module may change.
    const mocks = readFileSync(this._testPath, 'utf8').includes('jest.mock(');
    this.sharesPureModules = !isInPureLib(this._testPath) && !mocks && !watch && !watchAll;
    if (this.sharesPureModules) for (const [path, module] of pureModules) this.cjsRegistry.set(path, module);
  }

  get cjsRegistry() {
    return this.registries.getActiveCjsRegistry();
  }

  /**
   * @override
   * @param {Parameters<JestRuntime['requireModule']>} call
   */
  requireModule(...call) {
    const [, name, options] = call;
    if (name !== undefined && options?.isInternalModule !== true && this.isPackage(name))
      return require(name);
    return super.requireModule(...call);
  }

  /** @param {string} name */
  isPackage(name) {
    return /^[@\w]/.test(name) && !isBuiltin(name) && !this.mappedNames.some((pattern) => pattern.test(name));
  }

  /** @override */
  teardown() {
    if (this.sharesPureModules)
      for (const [path, module] of this.cjsRegistry)
        if (module.loaded && isPureModule(path)) pureModules.set(path, module);
    super.teardown();
  }
};
