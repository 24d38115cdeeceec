/**
 * Replaces fast-check in the specs. Runs use the same cases everywhere, so that a failure is
 * reproducible. `FC_SEED` (an integer) and `FC_RUNS` (cases for each property) select others:
 * `FC_SEED=$RANDOM FC_RUNS=5000 npx jest -c …`.
 */
// Required by its file, because the name 'fast-check' resolves to this file, and the folder to the
// ES module.
const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js');
const { FC_SEED = '20261121', FC_RUNS = '100' } = process.env;
fc.configureGlobal({ seed: Number(FC_SEED), numRuns: Number(FC_RUNS) });
module.exports = fc;
