import { CheckError, type ParameterReport } from '../check';
import type { JsonObject } from '../json';
import type { ModelCall, ModelTarget } from '../port';
import type { Subject } from '../subject';

/** Parameters of checks that call a model: a config or a provider, and the model. */
export const TARGET_PARAMETERS = {
  config: {
    type: 'string',
    pattern: '^[A-Za-z0-9][\\w-]{0,254}$',
    description: 'must be the slug or id of a saved config',
  },
  provider: {
    type: 'string',
    pattern: '^@[\\w-]{1,255}$',
    description: 'must be a saved provider, as @slug',
  },
  model: { type: 'string', minLength: 1, maxLength: 255, description: 'Model of the config when absent.' },
};

export interface TargetParameters {
  readonly config?: string;
  readonly provider?: string;
  readonly model?: string;
}

/**
 * Returns the target of model calls. Reports a fault unless the parameters name either a config, or
 * a provider with a model.
 */
export function targetOf(
  { config, provider, model }: TargetParameters,
  report: ParameterReport,
): ModelTarget {
  if ((config === undefined) === (provider === undefined)) {
    report(
      config === undefined ? [] : ['provider'],
      'target',
      'must name either a config or a provider',
      provider,
    );
  } else if (provider !== undefined && model === undefined) {
    report(['model'], 'required', 'is required with a provider', undefined);
  }
  return provider === undefined ? { config: config ?? '' } : { provider };
}

/** Calls a model. Throws when no model can be called for this request. */
export async function callModel({ facts }: Subject, call: ModelCall): Promise<JsonObject> {
  const { models } = facts;
  if (!models) throw new CheckError('No model can be called here; only gateways call models for checks.');
  return await models.ask(call);
}

/** Splits texts into pieces of a maximum length; throws when there are too many for one check. */
export function piecesWithin(
  texts: readonly string[],
  lengthMax: number,
  piecesMax: number,
): readonly string[] {
  const pieces: string[] = [];
  for (const text of texts) {
    for (let at = 0; at === 0 || at < text.length; at += lengthMax) {
      if (pieces.length >= piecesMax) throw new CheckError('The text is longer than the check can send.');
      pieces.push(text.slice(at, at + lengthMax));
    }
  }
  return pieces;
}
