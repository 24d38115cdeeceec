import { setTimeout as delay } from 'node:timers/promises';
import type { FixtureState } from './fixture-state';
import { objectOf, stringOf, text, type Tools } from './tool-kit';

/** Maximum length of the text of `big`, so that a wrong test does not exhaust the memory. */
const BIG_BYTES_MAX = 64 * 1024 * 1024;
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Returns tools for Tollgate's own tests; the conformance suite calls none of them. */
export const ownTools = (state: FixtureState): Tools => ({
  echo: {
    description: 'Returns the text.',
    inputSchema: objectOf({ text: { type: 'string' } }),
    annotations: { readOnlyHint: true },
    run: (args) => text(stringOf(args['text'])),
  },
  add: {
    description: 'Adds two numbers.',
    inputSchema: objectOf({ a: { type: 'number' }, b: { type: 'number' } }),
    outputSchema: objectOf({ sum: { type: 'number' } }),
    run: (args) => {
      const sum = numberOf(args['a']) + numberOf(args['b']);
      return { ...text(JSON.stringify({ sum })), structuredContent: { sum } };
    },
  },
  slow: {
    description: 'Reports progress at once, waits, and returns.',
    inputSchema: objectOf({ ms: { type: 'number', minimum: 0 } }),
    run: async (args, { mcpReq }) => {
      const { signal: released } = state.releases;
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'waiting' },
        });
      try {
        const signal = AbortSignal.any([mcpReq.signal, released]);
        await delay(numberOf(args['ms']), undefined, { signal });
      } catch (error) {
        if (released.aborted) return text('done');
        state.cancelled.push('slow');
        throw error;
      }
      return text('done');
    },
  },
  fail: {
    description: 'Returns an error of the tool.',
    run: () => ({ ...text('The tool failed.'), isError: true }),
  },
  big: {
    description: 'Returns a text of the given length.',
    inputSchema: objectOf({ bytes: { type: 'integer', minimum: 0, maximum: BIG_BYTES_MAX } }),
    run: (args) => text('x'.repeat(numberOf(args['bytes']))),
  },
  routed: {
    description: 'Returns the region, which modern clients also send as a header.',
    inputSchema: objectOf({ region: { type: 'string', 'x-mcp-header': 'Region' } }),
    run: (args) => text(stringOf(args['region'])),
  },
});
