import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';

/**
 * Returns the path, below the base URL, of a second call, from the response to the first one.
 * Throws if there is none.
 */
export type FollowUp = (first: JsonObject) => string;

/**
 * Returns the path of a batch's output file, or of its error file if every request failed. Throws
 * `not_found` if the batch has neither yet.
 */
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
