import { described, flag, object, text, type Schema } from './schema';

export const PROMPT_SCHEMAS: Readonly<Record<string, Schema>> = {
  PromptRequest: {
    ...object({
      variables: described({ type: 'object' }, 'Values of the template; a missing one is empty.'),
      stream: flag,
      model: text,
    }),
    description: 'Every other field takes the place of the one that is stored with the prompt.',
  },
  RenderedPrompt: object(
    {
      success: { type: 'boolean', const: true },
      data: described({ type: 'object' }, 'The request, as POST /chat/completions or /completions takes it.'),
    },
    ['success', 'data'],
  ),
};
