import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/** The path, below the base URL, of the call that follows a first one, from that one's answer. Throws when there is none. */
export type FollowUp = (first: JsonObject) => string;

/** The output of a batch is a file; a batch of which every request failed has a file of errors instead. */
export const outputFile: FollowUp = (batch) => {
  const file = batch['output_file_id'] ?? batch['error_file_id'];
  if (typeof file === 'string' && file !== '') return `/files/${encodeURIComponent(file)}/content`;
  const { status } = batch;
  throw new GatewayError('not_found', {
    message: 'The batch has no output yet.',
    param: 'batch_id',
    extra: typeof status === 'string' ? { batch_status: status.slice(0, 64) } : {},
  });
};
