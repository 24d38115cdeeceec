import { defineCheck } from '../check';
import { NOT_PARAMETER, object } from '../parameters';
import type { PassageKind } from '../text/passages';

const CONTENT: ReadonlySet<PassageKind> = new Set(['assistant', 'tool_call', 'tool_name', 'other']);

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
      const says = subject.passages().some(({ kind, text }) => CONTENT.has(kind) && text.trim() !== '');
      return { verdict: says !== not, data: { not } };
    },
  }),
});
