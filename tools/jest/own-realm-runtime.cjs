// Jest's module loader for `own-realm-environment.cjs`. A worker loads packages and our modules
// once; a test file that mocks loads ours anew. docs/decisions/0073 and 0097 say why.
const { isBuiltin } = require('node:module');
const { join, sep } = require('node:path');
const { constants, Script } = require('node:vm');

/**
 * Members of Jest's runtime that we use and its types hide.
 * @typedef {{ exports: unknown; loaded: boolean }} LoadedModule
 * @typedef {(from: string, name: string) => unknown} Require
 * @typedef {{
 *   _testPath: string;
 *   executor: { compile: (code: string, path: string) => unknown; injectedModuleParameters: string[] };
 *   requireBuilder: { requireDispatch: Require };
 *   registries: { getActiveCjsRegistry(): Map<string, LoadedModule> };
 *   requireModuleOrMock: Require;
 *   restoreAllMocks(): void;
 *   requireModule(from: string, name?: string, options?: { isInternalModule: boolean }, isActual?: boolean): unknown;
 *   teardown(): void;
 * }} JestRuntime
 * @typedef {import('@jest/types').Config.ProjectConfig} ProjectConfig
 */

/** @type {new (config: ProjectConfig, ...others: unknown[]) => JestRuntime} */
const Runtime = /** @type {any} */ (require('jest-runtime')).default;

const OURS = ['apps', 'libs', 'e2e'].map((folder) => join(__dirname, '../..', folder) + sep);
/** Returns whether test files share a module; a test file itself is loaded once, by its own run. */
const isShared = (/** @type {string} */ path) =>
  OURS.some((folder) => path.startsWith(folder)) && !/spec\.ts$/.test(path);

/**
 * Scripts that this worker has compiled, by path.
 * @type {Map<string, { code: string; script: Script }>}
 */
const scripts = new Map();
/**
 * Our modules that this worker has loaded, by path.
 * @type {Map<string, LoadedModule>}
 */
const sharedModules = new Map();
/** The functions with which the running test file loads a module and ends. */
const running = { requireModuleOrMock: /** @type {Require} */ (() => undefined), end: () => {} };

/**
 * Compiles each file once for the worker, however often it is evaluated.
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
    running.end();
    const { executor, requireBuilder } = this;
    executor.compile = (code, filename) =>
      compile(code, filename, executor.injectedModuleParameters).runInThisContext();
    // A shared module outlives the test file that loaded it, so it loads later modules through the
    // running test file.
    requireBuilder.requireDispatch = (from, name) => running.requireModuleOrMock(from, name);
    running.requireModuleOrMock = (from, name) => this.requireModuleOrMock(from, name);
    this.mappedNames = config.moduleNameMapper.map(([pattern]) => new RegExp(pattern));
    const [{ sharesModules }] = /** @type {[{ sharesModules: boolean }]} */ (/** @type {unknown} */ (others));
    this.sharesModules = sharesModules;
    if (sharesModules) for (const [path, module] of sharedModules) this.cjsRegistry.set(path, module);
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

  /**
   * Ends when the next test file begins: a timer of a shared module may run between the two, and
   * load a module.
   * @override
   */
  teardown() {
    this.restoreAllMocks();
    running.end = () => {
      running.end = () => {};
      if (this.sharesModules)
        for (const [path, module] of this.cjsRegistry)
          if (module.loaded && isShared(path)) sharedModules.set(path, module);
      super.teardown();
    };
  }
};
