import { defineCheck } from '../check';
import { reduceInOrder, then } from '../eventually';
import { object, scopeParameter, textsOf } from '../parameters';
import { secrets as recognize } from '../pii/secrets';
import { OVERLAPPING, overPieces } from '../text/pieces';
import type { Scope } from '../text/scope';

export const secrets = defineCheck<{ scope: readonly Scope[] }>({
  id: 'gw.secrets',
  aliases: ['default.secrets', 'mcp.secretsOut'],
  doc: 'No text contains a credential: keys of known issuers, passwords, private keys and random tokens.',
  kind: 'text',
  stages: ['input', 'output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 2_000,
  parameters: object({ scope: scopeParameter('all') }),
  example: { scope: ['all'] },
  prepare: ({ scope }) => ({
    evaluate(subject, pace) {
      const judged = reduceInOrder(textsOf(subject, scope), false, (found, text) =>
        overPieces(text, found, (state, piece) => state || hasSecret(piece), {
          ...{ pace, overlap: OVERLAPPING },
        }),
      );
      return then(judged, (found) => ({ verdict: !found, data: {} }));
    },
  }),
});

function hasSecret(text: string): boolean {
  let isFound = false;
  recognize(text, () => (isFound = true));
  return isFound;
}
