import { performance } from 'node:perf_hooks';
import { RECEIVE_STAGE } from './order';
import type { RequestContext, Stage } from './request-context';

/**
 * Runs the `receive` stage of a request without a pipeline and stores its duration in `stageMs`,
 * because that time is a wait for the client.
 */
export async function timedReceive(receive: Stage, context: RequestContext): Promise<void> {
  const from = performance.now();
  await receive.run(context);
  context.stageMs[RECEIVE_STAGE] = performance.now() - from;
}
