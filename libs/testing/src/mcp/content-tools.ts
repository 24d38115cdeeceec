import { setTimeout as delay } from 'node:timers/promises';
import type { FixtureState } from './fixture-state';
import { PIXEL_PNG, SILENCE_WAV } from './media';
import { text, type JsonSchema, type Tools } from './tool-kit';

/** Keywords that a gateway must keep when it lists the tool. */
const JSON_SCHEMA_2020_12: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const embedded = (uri: string, mimeType: string, content: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: content },
});

const contents: Tools = {
  test_simple_text: {
    description: 'Returns a text.',
    run: () => text('This is a simple text response for testing.'),
  },
  test_image_content: {
    description: 'Returns an image.',
    run: () => ({ content: [{ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }] }),
  },
  test_audio_content: {
    description: 'Returns audio.',
    run: () => ({ content: [{ type: 'audio', data: SILENCE_WAV, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    description: 'Returns an embedded resource.',
    run: () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  test_multiple_content_types: {
    description: 'Returns a text, an image and a resource.',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' },
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    description: 'Always fails.',
    run: () => ({ ...text('This tool intentionally returns an error for testing'), isError: true }),
  },
  json_schema_2020_12_tool: {
    description: 'Has a schema with keywords of JSON Schema 2020-12.',
    inputSchema: JSON_SCHEMA_2020_12,
    run: (args) => text(JSON.stringify(args)),
  },
};

const messages: Tools = {
  test_tool_with_logging: {
    description: 'Sends three log messages.',
    run: async (_args, { mcpReq }) => {
      for (const step of ['started', 'processing data', 'completed']) {
        await mcpReq.log('info', `Tool execution ${step}`);
        await delay(20);
      }
      return text('Tool with logging executed successfully');
    },
  },
  test_logging_tool: {
    description: 'Sends a log message when the request asks for it.',
    run: async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'logged');
      return text('logged');
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress three times.',
    run: async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100, message: `${String(progress)} of 100` },
          });
        await delay(20);
      }
      return text(String(progressToken ?? ''));
    },
  },
  test_reconnection: {
    description: 'Closes its event stream before the result, which the client fetches by reconnecting.',
    run: async (_args, { http }) => {
      http?.closeSSE?.();
      await delay(100);
      return text('Reconnection test completed successfully.');
    },
  },
};

/** Returns the tools without user input that the conformance suite calls. */
export const contentTools = (state: FixtureState): Tools => ({
  ...contents,
  ...messages,
  test_trigger_tool_change: {
    description: 'Changes the list of tools: the description of this one.',
    run: () => {
      const count = state.changes.get('test_trigger_tool_change')?.description?.length ?? 0;
      state.changeTool('test_trigger_tool_change', { description: 'x'.repeat(count + 1) });
      return text('changed');
    },
  },
  test_trigger_prompt_change: {
    description: 'Changes the list of prompts.',
    run: () => {
      state.changePrompts();
      return text('changed');
    },
  },
});
