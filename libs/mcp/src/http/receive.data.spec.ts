import { isObject } from '@gw/kernel';
import { checkOrigin } from './origin';
import { isLegacyRevision, type JsonObject } from '../protocol';
import { own } from '../rpc/message';
import { respond, sessionId, type EndpointResponse } from '../spec-support/endpoint';
import { faultOf, vectors } from '../spec-support/vectors';
import type { HeaderFields } from './headers';

interface HttpCase {
  readonly input: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly expect: 'either' | JsonObject;
}

/** Replaces `<SESSION>` and `<SESSION revision>` by a session id. */
const filled = (headers: Readonly<Record<string, string>>): HeaderFields =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const [, revision] = /^<SESSION ?([\d-]*)>$/.exec(value) ?? [];
      if (revision === undefined) return [name, value];
      return [name, sessionId(isLegacyRevision(revision) ? revision : '2025-11-25')];
    }),
  );

const eraOf = ({ received }: EndpointResponse): string | undefined =>
  received === null ? undefined : received.kind === 'modern' ? 'modern' : 'legacy';

/** Compares each fact that a case names. */
const CHECKS: Readonly<Record<string, (response: EndpointResponse, wanted: unknown) => void>> = {
  status: ({ status }, wanted) => expect([wanted].flat()).toContain(status),
  code: ({ body }, wanted) => expect([wanted].flat()).toContain((body?.['error'] as JsonObject)['code']),
  era: (response, wanted) => expect(eraOf(response)).toBe(wanted),
  header: ({ headers }, wanted) => expect(Object.keys(headers)).toContain(wanted),
  contentType: ({ headers }, wanted) => expect(headers['content-type']).toBe(wanted),
  protocolVersion: ({ body }, wanted) =>
    expect((body?.['result'] as JsonObject)['protocolVersion']).toBe(wanted),
  result: ({ body }, wanted) =>
    expect(Object.keys(body?.['result'] as JsonObject)).toEqual(expect.arrayContaining(wanted as string[])),
  body: ({ body }, wanted) =>
    wanted === 'empty' ? expect(body).toBeNull() : expect(isObject(body?.['error'])).toBe(true),
};

describe.each(['era', 'http'])('receiving requests: %s', (group) => {
  it.each(vectors<HttpCase>(group))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const body = input.body === undefined ? '' : JSON.stringify(input.body);
    const response = respond(input.method, filled(input.headers), body);
    if (wanted === 'either') {
      expect([200, 400]).toContain(response.status);
      return;
    }
    for (const [name, value] of Object.entries(wanted)) {
      expect(Object.keys(CHECKS)).toContain(name);
      CHECKS[name]?.(response, value);
    }
  });
});

interface OriginCase {
  readonly input: { readonly origin: string | null; readonly host: string };
  readonly expect: { readonly status: number };
}

describe('checkOrigin', () => {
  const named = (text: string): string =>
    text.replace('<GATEWAY>', 'gw.example').replace('<CONSOLE HOST UPPER>', 'CONSOLE.EXAMPLE');

  it.each(vectors<OriginCase>('origin'))('%s %s', (_id, _reason, { input, expect: { status } }) => {
    const headers = {
      host: named(input.host),
      ...(input.origin !== null && { origin: named(input.origin) }),
    };
    const rules = { allowedOrigins: ['https://console.example'], publicHosts: ['gw.example'] };
    expect(faultOf(() => checkOrigin(headers, rules))?.status ?? 200).toBe(status);
  });

  it('refuses a host that is not public, which prevents DNS rebinding', () => {
    const rules = { allowedOrigins: [], publicHosts: ['gw.example', 'gw.example:8443'] };
    for (const host of ['gw.example', 'GW.example:8443', 'gw.example:80'])
      expect(faultOf(() => checkOrigin({ host }, rules))).toBeUndefined();
    for (const host of ['evil.example', 'gw.example.evil.example', '', 'gw.example:x'])
      expect(faultOf(() => checkOrigin({ host }, rules))?.status).toBe(403);
  });
});

describe('modern requests', () => {
  it('responds 400 with the supported versions to an unknown version', () => {
    const version = '2027-01-01';
    const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': version } };
    const headers = {
      accept: '*/*',
      'content-type': 'application/json',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/list',
    };
    const { status, body } = respond(
      'POST',
      headers,
      JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list', params }),
    );
    expect(status).toBe(400);
    const error = own(body ?? {}, 'error') as JsonObject;
    expect(error['code']).toBe(-32_022);
    expect(error['data']).toMatchObject({
      requested: version,
      supported: expect.arrayContaining(['2026-07-28']),
    });
    expect(body?.['id']).toBe('a');
  });
});
