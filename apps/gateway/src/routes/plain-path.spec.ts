import { endpointTypesOf } from '../limits/endpoint-types';
import { createdWorkName, isUnknowable } from '../usage/made-earlier';
import { outputOfBatch } from '../usage/batch-output';
import type { RequestContext } from '../core/request-context';
import type { Upstream } from '../core/upstream';
import { callOfPath } from './path-call';
import { familyOfPath, plainPath } from './plain-path';
import { routeOf } from './route-table';

/** Spellings of a path that servers treat as equal. */
const SPELLINGS: readonly (readonly [name: string, spell: (path: string) => string])[] = [
  ['as it is', (path) => path],
  ['a slash at its end', (path) => `${path}/`],
  ['several slashes at its end', (path) => `${path}///`],
  ['doubled slashes', (path) => path.replaceAll('/', '//')],
  ['an escaped letter', (path) => path.replace(/[a-z](?=[a-z]*$)/, escaped)],
  ['every letter escaped', (path) => path.replace(/[a-z]/g, escaped)],
  ['escapes in capitals', (path) => path.replace(/[a-z]/g, (letter) => escaped(letter).toUpperCase())],
  ['escaped slashes', (path) => `/${path.slice(1).replaceAll('/', '%2f')}`],
  ['capital letters', (path) => path.toUpperCase()],
  ['a matrix parameter', (path) => `${path};x=1`],
  ['a query', (path) => `${path}?a=/b`],
  ['a slash and a query', (path) => `${path}/?a=1`],
];
const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
const over = (...paths: readonly string[]) =>
  paths.flatMap((path) => SPELLINGS.map(([name, spell]) => [path, name, spell(path)] as const));
const requested = (method: string, url: string): RequestContext =>
  ({
    method,
    url,
    attempts: { followed: null },
    reply: { meter: null },
    scan: null,
    route: routeOf(method, url),
  }) as unknown as RequestContext;

/** A request whose response starts a run. */
const responded = (method: string, url: string): RequestContext => {
  const createdObject = () => ({ object: 'thread.run', id: 'run_1', background: null });
  return {
    ...requested(method, url),
    reply: { meter: { createdObject } },
    response: { status: 200 },
  } as never;
};
const UPSTREAM = { provider: { id: 'openai' }, saved: null } as unknown as Upstream;

describe('plainPath', () => {
  it.each(over('/files/F1/content', '/chat/completions', '/threads/T1/runs'))(
    'reads %s with %s as the same path',
    (path, _, spelled) => {
      expect(plainPath(spelled).toLowerCase()).toBe(path.toLowerCase());
    },
  );

  it('keeps the case of ids, non-ASCII escapes, and invalid escapes', () => {
    expect(plainPath('/files/Ab%43/content/')).toBe('/files/AbC/content');
    expect(plainPath('/files/%c3%a4/%zz%')).toBe('/files/%c3%a4/%zz%');
    expect(plainPath('/')).toBe('/');
  });
});

describe('checks of passthrough requests by path', () => {
  it.each(over('/v1/proxy/files/f_1/content'))('recognise a batch output at %s with %s', (_, __, url) => {
    expect(outputOfBatch(requested('GET', url))?.toLowerCase()).toBe('file:f_1');
  });

  it.each(
    over(
      '/v1/proxy/models/m_1:generatecontent',
      '/v1/proxy/publishers/p/models/m_1:rawpredict',
      '/v1/proxy/model/m_1/converse-stream',
      '/v1/proxy/openai/deployments/m_1/chat/completions',
    ),
  )('recognise the called model at %s with %s', (_, __, url) => {
    expect(callOfPath('POST', url)?.model.toLowerCase()).toBe('m_1');
  });

  it.each(over('/v1/proxy/messages/batches/b_1/results'))(
    'recognise batch results at %s with %s',
    (_, __, url) => {
      expect(outputOfBatch(requested('GET', url))?.toLowerCase()).toBe('b_1');
    },
  );

  it.each(over('/batches', '/threads/t_1/runs', '/responses'))(
    'mark %s with %s as impossible to estimate for strict limits',
    (_, __, url) => {
      expect(isUnknowable(requested('POST', url))).toBe(true);
    },
  );

  it.each(over('/threads/t_1/runs', '/responses'))(
    'recognise work that later responses report at %s with %s',
    (_, __, url) => {
      expect(createdWorkName(responded('POST', url), UPSTREAM)).toBe('thread.run openai run_1');
    },
  );

  it.each(over('/batches', '/threads/t_1'))('recognise no such work at %s with %s', (_, __, url) => {
    expect(createdWorkName(responded('POST', url), UPSTREAM)).toBeNull();
  });

  it.each(over('/proxy/chat/completions'))(
    'recognise the route family of %s with %s for guardrails',
    (_, __, url) => {
      expect(familyOfPath(url)).toBe('chat.completions');
    },
  );
});

describe('endpointTypesOf', () => {
  it('returns one type for a built-in route', () => {
    expect(endpointTypesOf(routeOf('POST', '/chat/completions'))).toEqual(['chatComplete']);
  });

  it('returns no type for a built-in route without one', () => {
    expect(endpointTypesOf(routeOf('POST', '/ocr'))).toEqual([]);
  });

  it('returns proxy and the type of the path for a passthrough route', () => {
    expect(endpointTypesOf(routeOf('POST', '/proxy/v1/responses'))).toEqual(['proxy', 'createModelResponse']);
  });

  it.each(over('/proxy/chat/completions'))('returns the type of the path %s with %s', (_, __, url) => {
    const query = url.indexOf('?');
    const upstreamPath = url.slice(0, query < 0 ? undefined : query);
    const types = endpointTypesOf({ ...routeOf('POST', '/proxy/x'), upstreamPath });
    expect(types).toEqual(['proxy', 'chatComplete']);
  });
});
