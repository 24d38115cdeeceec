import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * CPU, memory, garbage collection and event loop of this process, under the usual metric names of
 * Node.js.
 */
export function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
