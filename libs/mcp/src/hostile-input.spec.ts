import { createAddressPolicy } from '@gw/kernel';
import { builtinSteps } from '@gw/testing';
import {
  decodeBody,
  findingContext,
  findingsOf,
  hasPathTraversal,
  headerParameters,
  listPage,
  McpFault,
  readChallenge,
  readServerJson,
  receive,
} from './index';
import { mapNames } from './names/name-map';
import { RING } from './spec-support/endpoint';

const many = (count: number, text: string): string[] => Array.from({ length: count }, () => text);
const policy = createAddressPolicy({ trustedHosts: [] });
const context = findingContext({ otherNames: ['github__search'], ownNames: [], serverHost: null });
const describedBy = (description: string): object => findingsOf('tool', { name: 't', description }, context);
const refused = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof McpFault) return error;
    throw error;
  }
};

/** Functions that process a text or document of a given size. */
const WORK: Readonly<Record<string, (size: number) => unknown>> = {
  'a body of brackets': (size) => refused(() => decodeBody(Buffer.from('['.repeat(size)))),
  'a body of members': (size) => refused(() => decodeBody(Buffer.from(`{${many(size, '"a":1').join()}}`))),
  'an Accept header': (size) =>
    refused(() =>
      receive(
        { method: 'POST', headers: { accept: many(size, 'a/b').join() }, body: Buffer.from('') },
        () => null,
      ),
    ),
  'a description with links': (size) => describedBy(many(size, 'see https://a.example/x ').join('')),
  'a description with brackets': (size) => describedBy('<system'.repeat(size)),
  'a description with verbs': (size) => describedBy('ignore previous '.repeat(size)),
  'a description with slashes': (size) => describedBy('~/.'.repeat(size)),
  'a schema with headers': (size) =>
    headerParameters({
      properties: Object.fromEntries(
        many(size, '').map((_, at) => [
          `p${String(at)}`,
          { 'x-mcp-header': `H${String(at)}`, type: 'string' },
        ]),
      ),
    }),
  'names of one form': (size) =>
    mapNames([{ server: 'x', names: many(size, '').map((_, at) => ' '.repeat(at % 50) + String(at)) }]),
  'a challenge': (size) => readChallenge(`Bearer ${'a="\\"'.repeat(size)}`),
  'a server.json': (size) =>
    readServerJson(
      { name: 'a/b', remotes: [{ type: 'sse', url: `https://${'{a}.'.repeat(size)}x` }] },
      policy,
    ),
  'a path': (size) => hasPathTraversal('%25'.repeat(size)),
};

describe('processing of hostile input', () => {
  it.each(Object.entries(WORK))('takes linear time for %s', (_what, work) => {
    const stepsOf = (size: number): number => builtinSteps(() => void work(size));
    expect(stepsOf(2_000)).toBeLessThan(2.5 * stepsOf(1_000) + 2_000);
  });

  it('processes the largest texts within a bound of CPU time, which a busy machine does not extend', () => {
    for (const text of ['ignore previous ', 'https://a.example ', '<system', 'a.', 'send ', 'A', '\u0430']) {
      const before = process.cpuUsage();
      describedBy(text.repeat(Math.ceil(1_000_000 / text.length)));
      expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
    }
  });

  it('never changes Object.prototype', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object;
    findingsOf('tool', { name: '__proto__', inputSchema: hostile }, context);
    mapNames([{ server: '__proto__', prefix: '', names: ['__proto__', 'constructor'] }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('returns an empty page for an empty list', () => {
    const owner = { list: 'l', principal: 'p', filter: 'f' };
    expect(listPage([], { ring: RING, owner, pageSize: 100, cursor: undefined })).toEqual({
      items: [],
      nextCursor: null,
    });
  });
});
