import { performance } from 'node:perf_hooks';
import { RECEIVE_STAGE } from './order';
import type { RequestContext, Stage } from './request-context';

/** Runs `receive` for a request without a pipeline, and notes its time, which is a wait for the client. */
export async function timedReceive(receive: Stage, context: RequestContext): Promise<void> {
  const from = performance.now();
  await receive.run(context);
  context.stageMs[RECEIVE_STAGE] = performance.now() - from;
}
