import { outputFile } from '../batch-output';
import { cancel, get, list, route, type RouteRow } from '../route-rows';

const BATCH = '/batches/{batch_id}';

/** Batches of requests. */
export const batches: readonly RouteRow[] = [
  list('/batches', 'batches', 'List batches'),
  route('POST', '/batches', 'batches', 'batches.create', 'Create a batch'),
  get(BATCH, 'batches', 'Get a batch'),
  cancel(`${BATCH}/cancel`, 'batches', 'Cancel a batch'),
  route('GET', `${BATCH}/output`, 'batches', 'batches.output', 'Get the output of a batch', {
    followUp: outputFile,
    bytes: true,
  }),
];
