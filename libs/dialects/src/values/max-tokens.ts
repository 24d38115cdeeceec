import { pathOf, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/** Output limit for a model without a known maximum. */
const DEFAULT = 4_096;

/**
 * Returns the effective output limit of a call: the client's, else the model's maximum, else 4,096.
 * Records nothing.
 */
export const assumedMaxTokens = ({ maxTokens }: ModelCall, { capabilities }: Target): number =>
  maxTokens ?? capabilities.maxOutput ?? DEFAULT;

/**
 * Encodes the output limit of a dialect that requires one: an absent one is generated, one above
 * the model's maximum is refused or lowered to it.
 */
export function encodeMaxTokens(call: ModelCall, target: Target, losses: LossLedger): number {
  const { maxOutput } = target.capabilities;
  const path = pathOf(call, 'maxTokens');
  if (call.maxTokens === undefined) {
    const made = assumedMaxTokens(call, target);
    losses.note(path, 'generated', String(made));
    return made;
  }
  if (maxOutput === null || call.maxTokens <= maxOutput) return call.maxTokens;
  losses.parameter(
    path,
    `The model writes at most ${String(maxOutput)} tokens.`,
    'approximated',
    String(maxOutput),
  );
  return maxOutput;
}
