import { capabilityBits, readCapabilities, writtenCapabilities } from '../http/client-capabilities';
import { META, type JsonObject, type LegacyRevision } from '../protocol';
import { requestBody } from '../rpc/message';
import { vectors } from '../spec-support/vectors';
import { InputRounds, inputRequiredFault, type NextRound } from './input-rounds';
import { ListenFilter, toLegacyResult, upstreamMeta } from './legacy-client';
import { relayedCapabilities, toModernError, toModernResult } from './modern-client';
import {
  cancellationOf,
  eraVerdict,
  isCancelledByDisconnect,
  recoveryOf,
  type UpstreamFailure,
} from './recovery';
import { judgeUpstreamRequest } from './upstream-requests';

interface Input {
  readonly client_era: 'modern' | 'legacy';
  readonly upstream_era: 'modern' | 'legacy';
  readonly event: string;
  readonly client?: JsonObject;
  readonly allow_sampling?: boolean;
  readonly version?: LegacyRevision;
}
interface BridgeCase {
  readonly input: Input;
  readonly expect: string;
}

const RULES = { allowSampling: false };
const FACTS = { serverInfo: { name: 'up', version: '1' }, ttlMs: 60_000, isFiltered: true };
const FORM = {
  message: 'Which?',
  requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
};
const REQUIRED = {
  resultType: 'input_required',
  inputRequests: { r1: { method: 'elicitation/create', params: FORM } },
};
const CALL = { name: 't', arguments: { a: 1 } };

const contextOf = ({ client = {}, allow_sampling: allowSampling = false }: Input) => ({
  capabilities: readCapabilities(client),
  allowSampling,
  ownHosts: ['gw.example'],
});
const rounds = (input: Input): InputRounds => new InputRounds(CALL, contextOf(input));
const refusedCode = (method: string, input: Input): unknown => {
  const verdict = judgeUpstreamRequest(method, FORM, { ...contextOf(input), countBefore: 0 });
  return verdict.kind === 'refuse' ? verdict.error.code : verdict;
};
const lost = (more: Partial<UpstreamFailure>): UpstreamFailure => ({
  era: 'legacy',
  method: 'tools/call',
  status: null,
  body: null,
  wasSent: true,
  hadSession: true,
  lastEventId: null,
  attempts: 0,
  isRepeatable: false,
  ...more,
});

/** Checks by the sentence that a case expects. */
const CHECKS: Readonly<Record<string, (input: Input) => void>> = {
  'the upstream session declared no elicitation; if it asks anyway it gets -32601': (input) => {
    const declared = writtenCapabilities(relayedCapabilities(readCapabilities(input.client ?? {}), RULES));
    expect(declared).toEqual({});
    expect(refusedCode('elicitation/create', input)).toBe(-32_601);
  },
  'upstream gets -32601': (input) => expect(refusedCode('sampling/createMessage', input)).toBe(-32_601),
  'input_required with two url elicitations': ({ client = {} }) => {
    const elicitations = ['a', 'b'].map((id) => ({
      url: `https://up.example/${id}`,
      elicitationId: id,
      message: 'm',
    }));
    const error = { code: -32_042, message: 'open', data: { elicitations } };
    const translated = toModernError(error, readCapabilities(client));
    expect(translated.kind === 'input_required' && Object.values(translated.requests)).toMatchObject([
      { method: 'elicitation/create', params: { mode: 'url', url: 'https://up.example/a' } },
      { method: 'elicitation/create', params: { mode: 'url', url: 'https://up.example/b' } },
    ]);
  },
  '-32602': () =>
    expect(toModernError({ code: -32_002, message: 'no' }, readCapabilities({}))).toMatchObject({
      kind: 'error',
      error: { code: -32_602 },
    }),
  'resultType complete added': () =>
    expect(toModernResult('tools/call', { content: [] }, FACTS)).toMatchObject({
      resultType: 'complete',
      _meta: { [META.server]: FACTS.serverInfo },
    }),
  'ttlMs >= 0 and cacheScope private added': () =>
    expect(toModernResult('tools/list', { tools: [] }, FACTS)).toMatchObject({
      ttlMs: 60_000,
      cacheScope: 'private',
    }),
  'notifications/cancelled upstream within 100 ms': ({ client_era: client, upstream_era: upstream }) => {
    expect(isCancelledByDisconnect(client)).toBe(true);
    const { notification } = cancellationOf(upstream, 'u7', 'client closed');
    expect(notification).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 'u7' } });
    expect(notification).not.toHaveProperty('id');
  },
  'server request on the call stream; retry upstream with a new id': (input) => {
    const call = rounds(input);
    const next = call.next({ ...REQUIRED, requestState: 'opaque' });
    expect(next.kind === 'request' && [...next.requests]).toEqual([
      ['r1', { method: 'elicitation/create', params: FORM }],
    ]);
    expect(call.retry(new Map())).toBeNull();
    const params = call.retry(new Map([['r1', { action: 'accept', content: { a: 'x' } }]]));
    expect(requestBody('new', 'tools/call', params ?? {})).toMatchObject({
      id: 'new',
      params: {
        ...CALL,
        requestState: 'opaque',
        inputResponses: { r1: { action: 'accept', content: { a: 'x' } } },
      },
    });
  },
  'retried at most 3 times, 1 s apart': (input) => {
    const call = rounds(input);
    const state = { resultType: 'input_required', requestState: 's' };
    const kinds = Array.from({ length: 4 }, () => call.next(state));
    expect(kinds.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ kind: 'wait', afterMs: 1_000 })));
    expect(kinds[3]).toMatchObject({ kind: 'end', result: { isError: true } });
    expect(call.retry(new Map())).toEqual({ ...CALL, requestState: 's' });
  },
  'tool error after 10': (input) => {
    const call = rounds(input);
    const next: NextRound[] = Array.from({ length: 11 }, () => call.next(REQUIRED));
    expect(next.slice(0, 10).every(({ kind }) => kind === 'request')).toBe(true);
    expect(next[10]).toMatchObject({ kind: 'end', result: { isError: true } });
  },
  'listen with the uri; updated notifications on the GET stream': () => {
    const filter = new ListenFilter({ tools: { listChanged: true } });
    filter.subscribe('file:///a');
    expect(filter.params()).toEqual({
      notifications: { toolsListChanged: true, resourceSubscriptions: ['file:///a'] },
    });
    const updated = { uri: 'file:///a', _meta: { [META.subscription]: 'L1' } };
    expect(filter.relayed('notifications/resources/updated', updated)).toEqual({
      method: 'notifications/resources/updated',
      params: { uri: 'file:///a' },
    });
    expect(filter.relayed('notifications/resources/updated', { uri: 'file:///b' })).toBeNull();
  },
  'upstream POST aborted': ({ upstream_era: upstream }) =>
    expect(cancellationOf(upstream, 'u7', '')).toEqual({ abortsPost: true, notification: null }),
  '_meta logLevel debug upstream': () => {
    const state = {
      revision: '2026-07-28',
      capabilities: readCapabilities({}),
      client: {},
      logLevel: 'debug',
    };
    expect(
      upstreamMeta({ _meta: { progressToken: 1, 'io.modelcontextprotocol/x': 1, own: 1 } }, state),
    ).toEqual({
      own: 1,
      [META.version]: '2026-07-28',
      [META.capabilities]: {},
      [META.client]: {},
      [META.logLevel]: 'debug',
    });
  },
  'left out, text form stays': ({ version = '2025-11-25' }) => {
    const content = [{ type: 'text', text: '[1]' }];
    const result = { resultType: 'complete', structuredContent: [1], content };
    expect(toLegacyResult(result, { revision: version, tasks: false })).toEqual({
      kind: 'result',
      result: { content },
    });
  },
  '-32603 or tool error, never passed on': () =>
    expect(
      toLegacyResult({ resultType: 'task', task: {} }, { revision: '2025-11-25', tasks: false }),
    ).toMatchObject({
      kind: 'error',
      error: { code: -32_603 },
    }),
  'initialised again, call repeated once, client sees nothing': () => {
    expect(recoveryOf(lost({ status: 404 }))).toEqual({ kind: 'initialize_and_repeat' });
    expect(recoveryOf(lost({ status: 404, attempts: 1 }))).toEqual({ kind: 'fail' });
    const body = { error: { code: -32_000, message: 'Bad Request: no valid session ID' } };
    expect(recoveryOf(lost({ status: 400, body }))).toEqual({ kind: 'initialize_and_repeat' });
    expect(recoveryOf(lost({ status: 400 }))).toEqual({ kind: 'fail' });
  },
  'error; the call is not repeated': () => {
    expect(recoveryOf(lost({}))).toEqual({ kind: 'fail' });
    expect(recoveryOf(lost({ lastEventId: 'e1' }))).toEqual({ kind: 'resume', lastEventId: 'e1' });
    expect(recoveryOf(lost({ method: 'tools/list' }))).toEqual({ kind: 'repeat', afterMs: 250 });
  },
  'verdict renewed, call made in a version of the list': ({ upstream_era: era }) => {
    const error = { code: -32_022, message: 'no', data: { supported: ['2025-11-25', '2026-07-28'] } };
    expect(recoveryOf(lost({ era, status: 400, body: { error } }))).toEqual({
      kind: 'renew_verdict',
      verdict: { kind: 'modern', revision: '2026-07-28' },
    });
    expect(recoveryOf(lost({ era, status: 400, body: { error }, attempts: 1 }))).toEqual({ kind: 'fail' });
  },
  '-32021 or tool error; never shown': (input) => {
    expect(inputRequiredFault(REQUIRED, contextOf(input))).toMatchObject({ isError: true });
    expect(inputRequiredFault(REQUIRED, contextOf({ ...input, client: { elicitation: {} } }))).toBeNull();
  },
  private: () =>
    expect(toModernResult('tools/list', { tools: [], cacheScope: 'public', ttlMs: 5 }, FACTS)).toMatchObject({
      cacheScope: 'private',
      ttlMs: 5,
    }),
};

/** Cases that need two processes with a shared store for event streams. */
const NEED_PROCESSES = ['mcp-213'];

describe('bridging between eras', () => {
  it.each(vectors<BridgeCase>('bridge', NEED_PROCESSES))(
    '%s %s',
    (_id, _reason, { input, expect: wanted }) => {
      const check = CHECKS[wanted];
      if (check === undefined) throw new Error(`no check for ${wanted}`);
      check(input);
    },
  );
});

describe('eraVerdict', () => {
  it.each([
    [200, { result: { supportedVersions: ['2026-07-28'] } }, 'modern'],
    [200, { result: { supportedVersions: ['2025-11-25'] } }, 'legacy'],
    [200, { result: { supportedVersions: ['2030-01-01'] } }, 'unsupported'],
    [200, { error: { code: -32_601, message: 'x' } }, 'legacy'],
    [404, null, 'legacy'],
    [422, null, 'legacy'],
    [200, { error: { code: -32_000, message: 'Server not initialized' } }, 'legacy'],
    [429, null, 'outage'],
    [200, {}, 'outage'],
    [405, null, 'legacy'],
    [401, null, 'unauthorized'],
    [403, { result: { supportedVersions: ['2026-07-28'] } }, 'unauthorized'],
    [503, null, 'outage'],
    [null, null, 'outage'],
  ] as const)('returns for status %s and body %j the verdict %s', (status, body, kind) => {
    expect(eraVerdict({ status, body }).kind).toBe(kind);
  });
});

describe('readCapabilities', () => {
  it('reads the capabilities that writtenCapabilities wrote', () => {
    for (const declared of [
      {},
      { elicitation: {} },
      { elicitation: { url: {} } },
      { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
      { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    ]) {
      const has = readCapabilities(declared);
      expect(capabilityBits(readCapabilities(writtenCapabilities(has)))).toBe(capabilityBits(has));
    }
    expect(readCapabilities({ elicitation: { url: {} } })).toMatchObject({ form: false, url: true });
  });
});

describe('judgeUpstreamRequest', () => {
  const context = {
    ...contextOf({
      client_era: 'modern',
      upstream_era: 'legacy',
      event: '',
      client: { elicitation: { form: {}, url: {} } },
    }),
    countBefore: 0,
  };
  const kindOf = (params: JsonObject, countBefore = 0) =>
    judgeUpstreamRequest('elicitation/create', params, { ...context, countBefore }).kind;
  const form = (name: string, field: JsonObject) => ({ requestedSchema: { properties: { [name]: field } } });

  it('refuses a form that requests a secret or is not flat', () => {
    expect(kindOf(form('city', { type: 'string' }))).toBe('relay');
    for (const params of [
      form('password', { type: 'string' }),
      form('a', { type: 'string', format: 'password' }),
      form('a', { type: 'string', title: 'Your API key' }),
      form('a', { type: 'object', properties: {} }),
    ])
      expect(kindOf(params)).toBe('refuse');
  });

  it('refuses a URL that is not https or points to this installation', () => {
    expect(kindOf({ mode: 'url', url: 'https://up.example/x' })).toBe('relay');
    for (const url of [
      'http://up.example',
      'javascript:alert(1)',
      'https://gw.example/x',
      'https://a@up.example',
      1,
    ])
      expect(kindOf({ mode: 'url', url })).toBe('refuse');
  });

  it('refuses more than five requests of a method', () => {
    expect(kindOf(form('city', {}), 4)).toBe('relay');
    expect(kindOf(form('city', {}), 5)).toBe('refuse');
  });
});
