import { agentRoute, isStreaming, restVersion, type AgentRoute } from '../index';
import { vectors } from '../spec-support/vectors';

interface PathCase {
  readonly input: { readonly method: string; readonly path: string };
  readonly expect: string | { readonly status: number };
}

/**
 * Returns whether a route is the one that a word of the vectors names: `sse`, `card`, `rpc`, a
 * version, or a verb such as `list` and `cancel`.
 */
function isMeant(route: AgentRoute, word: string): boolean {
  if (route.kind === 'refused') return false;
  if (route.kind !== 'rest') return route.kind === (word.startsWith('json') ? 'rpc' : word);
  if (word === 'sse') return isStreaming(route.operation);
  if (word === 'by header') return restVersion(route, { header: '0.3' }) === '0.3';
  if (/^\d/.test(word)) return restVersion(route, {}) === word;
  return route.operation.toLowerCase().includes(word);
}

describe('agentRoute', () => {
  it.each(vectors<PathCase>('path'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const route = agentRoute(input.method, input.path);
    if (typeof wanted === 'object') {
      expect(route).toMatchObject({ kind: 'refused', ...wanted });
    } else if (wanted === 'either') {
      expect(route.kind === 'rest' || route.kind === 'refused').toBe(true);
    } else {
      for (const word of wanted.split(' or ')) expect([word, isMeant(route, word)]).toEqual([word, true]);
    }
  });
});
