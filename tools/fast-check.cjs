/**
 * fast-check as the specs see it. A run repeats the same cases everywhere, so that a red run is red
 * again on the next machine; `FC_SEED` (an integer) and `FC_RUNS` (cases for each property) look
 * further: `FC_SEED=$RANDOM FC_RUNS=5000 npx jest -c …`.
 */
// By its file: the name 'fast-check' leads here, and the folder to the ES module.
const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js');
const { FC_SEED = '20261121', FC_RUNS = '100' } = process.env;
fc.configureGlobal({ seed: Number(FC_SEED), numRuns: Number(FC_RUNS) });
module.exports = fc;
