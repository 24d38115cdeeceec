import { CheckError, defineCheck } from '../check';
import type { JsonObject } from '../json';
import { object, scopeParameter, textsOf } from '../parameters';
import { MODERATION_PARAMETERS, moderationVerdict } from '../partners/moderation';
import type { Scope } from '../text/scope';
import { callModel, piecesWithin, TARGET_PARAMETERS, targetOf, type TargetParameters } from './model-target';

interface Parameters extends TargetParameters {
  readonly categories?: readonly string[];
  readonly threshold?: number;
  readonly scope: readonly Scope[];
}

const PIECE_LENGTH = 20_000;
const PIECES_MAX = 32;

export const moderateContent = defineCheck<Parameters>({
  id: 'gw.moderateContent',
  aliases: ['gw.moderation', 'default.moderateContent', 'default.moderation'],
  doc: 'The moderation route of a saved provider flags none of the texts.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: false,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 5_000,
  timeoutParameter: 'timeout',
  parameters: object({
    ...TARGET_PARAMETERS,
    ...MODERATION_PARAMETERS,
    scope: scopeParameter('last_message'),
  }),
  example: {
    provider: '@openai',
    model: 'omni-moderation-latest',
    categories: ['violence'],
    scope: ['last_message'],
  },
  prepare(parameters, report) {
    const { model, scope } = parameters;
    const target = targetOf(parameters, report);
    return {
      async evaluate(subject, { signal }) {
        const input = piecesWithin(textsOf(subject, scope), PIECE_LENGTH, PIECES_MAX);
        if (input.length === 0) return { verdict: true, data: { texts: 0 } };
        const body = { ...(model !== undefined && { model }), input };
        const response = await callModel(subject, { route: 'moderations', target, body, signal });
        const moderation = moderationVerdict(response, parameters as unknown as JsonObject);
        if (!moderation) throw new CheckError('The moderation response has no results.');
        return { verdict: !moderation.flagged, data: moderation.data };
      },
    };
  },
});
