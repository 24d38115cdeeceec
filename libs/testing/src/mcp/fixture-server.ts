import { McpServer, type RegisteredPrompt, type RegisteredTool } from '@modelcontextprotocol/server';
import { contentTools } from './content-tools';
import { registerCompletion, registerPrompts, registerResources } from './fixture-catalogue';
import type { FixtureState } from './fixture-state';
import { inputTools, stateCodec } from './input-tools';
import { ownTools } from './own-tools';
import { registerTools, text, type Tools } from './tool-kit';

export interface FixtureServer {
  readonly server: McpServer;
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** The prompt that `changePrompts` changes. */
  readonly prompt: RegisteredPrompt;
}

/** Returns the definitions of tools that a test adds while the fixture runs. */
export const addedTools = (names: readonly string[]): Tools =>
  Object.fromEntries(names.map((name) => [name, { description: `Tool ${name}.`, run: () => text(name) }]));

/**
 * Creates a server with all capabilities of the fixture, for one modern request or one legacy
 * session.
 */
export function fixtureServer(state: FixtureState): FixtureServer {
  const server = new McpServer(
    { name: 'tollgate-fixture', title: 'Fixture', version: '1.0.0' },
    {
      instructions: 'A server for tests.',
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: (value, ctx) => stateCodec.verify(value, ctx) },
      cacheHints: {
        'tools/list': { ttlMs: 60_000, cacheScope: 'public' },
        'resources/read': { ttlMs: 1_000, cacheScope: 'private' },
      },
    },
  );
  const definitions = {
    ...contentTools(state),
    ...inputTools(() => server.server.getClientCapabilities()),
    ...ownTools(state),
    ...addedTools(state.added),
  };
  const tools = registerTools(server, definitions, state);
  registerResources(server);
  const prompt = registerPrompts(server, state);
  registerCompletion(server);
  return { server, tools, prompt };
}
