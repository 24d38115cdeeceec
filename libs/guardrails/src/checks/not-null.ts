import { defineCheck } from '../check';
import { NOT_PARAMETER, object } from '../parameters';

export const notNull = defineCheck<{ not: boolean }>({
  id: 'default.notNull',
  doc: 'The response has content: a text with more than white space, or a tool call.',
  kind: 'text',
  stages: ['output'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: false,
  timeoutMs: 1_000,
  parameters: object({ not: NOT_PARAMETER }),
  example: { not: false },
  prepare: ({ not }) => ({
    evaluate(subject) {
      const says = subject
        .passages()
        .some(
          ({ kind, text }) =>
            (kind === 'assistant' || kind === 'tool_call' || kind === 'other') && text.trim() !== '',
        );
      return { verdict: says !== not, data: { not } };
    },
  }),
});
