#!/usr/bin/env node
// `npx tollgate`: runs the command line on the shipped Node.js. `npm start` builds it; this script
// builds it if there is no build.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT, checkBootstrapVersion, runMain, runtimePath } = require('./runtime.cjs');

const ENTRY = join(ROOT, 'dist', 'cli', 'apps', 'cli', 'src', 'main.js');

runMain(async () => {
  checkBootstrapVersion();
  // An existing build is never replaced, because a running product reads its code from the same
  // folder.
  if (!existsSync(ENTRY)) await require('./build.cjs').ensureBuilt();
  const { status } = spawnSync(runtimePath(), [ENTRY, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
});
