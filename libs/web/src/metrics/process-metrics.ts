import { collectDefaultMetrics, Registry } from 'prom-client';

/** CPU, memory, garbage collection and the event loop of this process, under the names that dashboards of Node.js know. */
export function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
