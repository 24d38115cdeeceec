'use strict';
// A page with a chart of the console and nothing else, built as the console is.
const { mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { ROOT } = require('../../tools/runtime.cjs');

/** Returns the page's HTML. */
async function chartPage() {
  const { build, loadConfigFromFile } = await import('vite');
  const configFile = join(ROOT, 'apps/console/vite.config.mts');
  const { config = {} } =
    (await loadConfigFromFile({ command: 'build', mode: 'production' }, configFile)) ?? {};
  const outDir = mkdtempSync(join(tmpdir(), 'tollgate-chart-'));
  try {
    // Inputs would be added to those of the console, so its options of the bundler are replaced.
    await build({
      ...config,
      configFile: false,
      logLevel: 'error',
      build: {
        ...config.build,
        outDir,
        manifest: false,
        sourcemap: false,
        rolldownOptions: {
          input: join(__dirname, 'chart-page.tsx'),
          output: { entryFileNames: 'page.js', codeSplitting: false },
        },
      },
    });
    const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
    /** @param {string} end */
    const text = (end) =>
      files.filter((file) => file.endsWith(end)).map((file) => readFileSync(join(outDir, file), 'utf8'));
    return { script: text('page.js').join('\n'), style: text('.css').join('\n') };
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

module.exports = { chartPage };
