import { described, flag, object, text, type Schema } from './schema';

export const PROMPT_SCHEMAS: Readonly<Record<string, Schema>> = {
  PromptRequest: {
    ...object({
      variables: described({ type: 'object' }, 'Values of the template’s variables; a missing one is empty.'),
      stream: flag,
      model: text,
    }),
    description: 'Every other field overrides the one stored with the prompt.',
  },
  RenderedPrompt: object(
    {
      success: { type: 'boolean', const: true },
      data: described(
        { type: 'object' },
        'The request, as accepted by POST /chat/completions or /completions.',
      ),
    },
    ['success', 'data'],
  ),
};
