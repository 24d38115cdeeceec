import type { LossLedger } from '../losses';
import type { Target } from '../target';

/**
 * Ids, inference profiles and ARNs. The first character excludes a segment that is a step up in the
 * path.
 */
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,2047}$/;

/**
 * Returns the path of an operation of a model, whose id is one segment. Refuses what cannot be an
 * id.
 */
export function modelPath(
  model: string,
  operation: string,
  { model: path }: { model?: string },
  losses: LossLedger,
): string {
  if (!MODEL_ID.test(model)) {
    losses.refuse(path ?? 'model', 'The model must be an id, an inference profile or an ARN of Bedrock.');
    return `/model/-/${operation}`;
  }
  return `/model/${encodeURIComponent(model)}/${operation}`;
}

/** Returns the path for a target's model. */
export const targetPath = (target: Target, operation: string, losses: LossLedger): string =>
  modelPath(target.model, operation, {}, losses);
