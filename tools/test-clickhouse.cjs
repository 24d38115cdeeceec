// Runs the contract tests of analytics on the engine of ClickHouse. The engine takes half a
// gigabyte, so it is not a dependency: the first run installs it into a cache folder, where it
// stays.
const { execFileSync } = require('node:child_process');
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT, runtimeEnvironment } = require('./runtime.cjs');

const ENGINE = 'chdb@3.4.0';
const folder = process.env.CLICKHOUSE_ENGINE ?? join(ROOT, 'node_modules', '.cache', 'clickhouse-engine');

if (!existsSync(join(folder, 'node_modules', 'chdb'))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', ENGINE], {
    cwd: folder,
    stdio: 'inherit',
  });
}
const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
// `--forceExit`, because the engine's threads outlive their session.
execFileSync('node', [jest, '-c', join(ROOT, 'libs', 'clickhouse', 'jest.config.cjs'), '--forceExit'], {
  cwd: ROOT,
  env: { ...runtimeEnvironment(), CLICKHOUSE_ENGINE: folder },
  stdio: 'inherit',
});
