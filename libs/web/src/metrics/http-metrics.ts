import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { Histogram as PromHistogram, type Registry } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts and times the requests of an HTTP app by route pattern, which bounds the number of series.
 */
export function countRequests(adapter: FastifyAdapter, registry: Registry): void {
  const durations = new PromHistogram({
    name: 'tollgate_http_request_duration_seconds',
    help: 'Requests to this HTTP app, from the first byte to the end of the response.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  adapter.getInstance().addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    durations.observe(
      { route, method: request.method, status: String(reply.statusCode) },
      reply.elapsedTime / 1_000,
    );
    done();
  });
}
