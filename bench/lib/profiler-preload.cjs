'use strict';

/**
 * Loaded into a gateway before its own code: a first SIGIO (which nothing else uses) starts the CPU profiler, a second one writes the
 * profile to the file `BENCH_PROFILE`. The profile thus contains only the load, neither the start nor the warm-up.
 */
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 100 });
let running = false;
process.on('SIGIO', () => {
  running = !running;
  if (running) session.post('Profiler.start');
  else
    session.post('Profiler.stop', (error, result) => {
      if (error) throw new Error(error.message);
      writeFileSync(String(process.env.BENCH_PROFILE), JSON.stringify(result.profile));
    });
});
