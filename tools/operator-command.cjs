// Runs commands of the operator of this installation, which need no login.
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT, StartError, checkBootstrapVersion, runMain, runtimePath } = require('./runtime.cjs');

/** Returns the settings of a running embedded Postgres. Line 4 of its process file is its port. */
function embedded() {
  const folder = process.env.DATA_DIR || join(ROOT, '.data');
  const pidFile = join(folder, 'postgres', 'data', 'postmaster.pid');
  const secretsFile = join(folder, 'secrets.json');
  if (!existsSync(pidFile) || !existsSync(secretsFile)) {
    throw new StartError(
      `Start the product first (its data folder is ${folder}), or set DATABASE_URL and ENCRYPTION_KEY.`,
    );
  }
  const port = readFileSync(pidFile, 'utf8').split('\n')[3];
  const { encryptionKey, postgresPassword } = JSON.parse(readFileSync(secretsFile, 'utf8'));
  return {
    DATABASE_URL: `postgres://tollgate:${postgresPassword}@127.0.0.1:${port}/tollgate`,
    ENCRYPTION_KEY: process.env.ENCRYPTION_KEY || encryptionKey,
  };
}

/**
 * Runs a command of the operator with the arguments of this process. It needs no login:
 * DATABASE_URL and ENCRYPTION_KEY of the environment, or the data folder of a product that runs
 * with the embedded Postgres.
 * @param {string} name of the file in apps/admin-api/src
 */
function runOperatorCommand(name) {
  runMain(async () => {
    checkBootstrapVersion();
    const entry = join(ROOT, 'dist', 'admin-api', 'apps', 'admin-api', 'src', `${name}.js`);
    if (!existsSync(entry)) await require('./build.cjs').ensureBuilt();
    const env = { ...process.env, ...(process.env.DATABASE_URL ? {} : embedded()) };
    const { status } = spawnSync(runtimePath(), [entry, ...process.argv.slice(2)], { stdio: 'inherit', env });
    process.exitCode = status ?? 1;
  });
}

module.exports = { runOperatorCommand };
