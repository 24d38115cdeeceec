import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  ResourceTemplate,
  type McpServer,
  type RegisteredPrompt,
} from '@modelcontextprotocol/server';
import type { FixtureState } from './fixture-state';
import { PIXEL_PNG } from './media';
import { objectOf, stringOf, type Arguments } from './tool-kit';

const RESOURCES: Readonly<Record<string, { mimeType: string; text?: string; blob?: string }>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL_PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
  'test://stateless-static-text': { mimeType: 'text/plain', text: 'Stateless text content' },
};

export function registerResources(server: McpServer): void {
  for (const [uri, { mimeType, text, blob }] of Object.entries(RESOURCES))
    server.registerResource(uri.slice('test://'.length), uri, { mimeType, description: uri }, () => ({
      contents: [blob === undefined ? { uri, mimeType, text: text ?? '' } : { uri, mimeType, blob }],
    }));
  const mimeType = 'application/json';
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType, description: 'A resource for each id.' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType,
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

const userText = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });

/**
 * Returns the description of `test_simple_prompt`, which differs after each change of the prompts.
 */
export const simplePromptText = ({ promptChanges }: FixtureState): string =>
  promptChanges === 0 ? 'A prompt without arguments.' : `A prompt, changed ${String(promptChanges)} times.`;

/** Registers the prompts and returns the one that `changePrompts` changes. */
export function registerPrompts(server: McpServer, state: FixtureState): RegisteredPrompt {
  const simple = server.registerPrompt(
    'test_simple_prompt',
    { description: simplePromptText(state) },
    () => ({
      messages: [userText('This is a simple prompt for testing.')],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments.',
      argsSchema: fromJsonSchema<Arguments>(objectOf({ arg1: { type: 'string' }, arg2: { type: 'string' } })),
    },
    ({ arg1, arg2 }) => ({
      messages: [userText(`Prompt with arguments: arg1='${stringOf(arg1)}', arg2='${stringOf(arg2)}'`)],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'A prompt that embeds a resource.',
      argsSchema: fromJsonSchema<Arguments>(objectOf({ resourceUri: { type: 'string' } })),
    },
    ({ resourceUri }) => {
      const resource = {
        uri: stringOf(resourceUri),
        mimeType: 'text/plain',
        text: 'Embedded resource content for testing.',
      };
      return {
        messages: [
          { role: 'user', content: { type: 'resource', resource } },
          userText('Please process the embedded resource above.'),
        ],
      };
    },
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' } },
      userText('Please analyze the image above.'),
    ],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that needs a context of the user.' },
    ({ mcpReq }) => {
      const context = acceptedContent(mcpReq.inputResponses, 'user_context')?.['context'];
      if (context !== undefined) return { messages: [userText(`Context: ${stringOf(context)}`)] };
      return inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({
            mode: 'form',
            message: 'What context should the prompt use?',
            requestedSchema: {
              type: 'object',
              properties: { context: { type: 'string' } },
              required: ['context'],
            },
          }),
        },
      });
    },
  );
  return simple;
}

/** Registers completions: values that start with the client's text. */
export function registerCompletion(server: McpServer): void {
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
}
