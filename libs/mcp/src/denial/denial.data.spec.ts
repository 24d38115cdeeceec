import { readCapabilities } from '../http/client-capabilities';
import type { Era, JsonObject } from '../protocol';
import { vectors } from '../spec-support/vectors';
import type { DenialCause } from './denial';
import { denialResponse, type DenialContext, type DenialResponse } from './denial-response';

const METADATA = 'https://gw.example/.well-known/oauth-protected-resource/team/s/mcp';
const guardrail = (phase: 'beforeToolCall' | 'afterToolCall'): DenialCause => ({
  kind: 'guardrail',
  phase,
  guardrailId: 'g1',
  guardrailName: 'No secrets',
  checkId: 'c1',
  reason: 'The text has a secret.',
});
const connection = (link: string | null): DenialCause => ({
  kind: 'connection',
  server: 's',
  link,
  requestState: 'state',
});
const RATE: DenialCause = {
  kind: 'rate_limit',
  policyId: 'p1',
  limit: { value: 10, unit: 'rpm' },
  retryAfterMs: 12_000,
};
const LINK = 'https://console.example/connect/s?t=x';

/** Causes by the first words of a case; the words after them are settings. */
const CAUSES: readonly (readonly [words: string, cause: DenialCause])[] = [
  ['rate_limit', RATE],
  ['budget', { kind: 'budget', limitId: 'b1', resetsAt: null }],
  ['guardrail before', guardrail('beforeToolCall')],
  ['guardrail after', guardrail('afterToolCall')],
  ['scope', { kind: 'scope', scope: 'mcp.invoke:s', resourceMetadata: METADATA }],
  ['no credential', { kind: 'unauthenticated', resourceMetadata: METADATA, hasToken: false }],
  ['upstream refused', { kind: 'upstream', failure: 'provider_unreachable', retryAfterMs: null }],
  ['hidden tool', { kind: 'unknown', capability: 'tool', name: '<NAME>' }],
  ['pending tool', { kind: 'unknown', capability: 'tool', name: '<NAME>' }],
  ['server of another workspace', { kind: 'server_unknown' }],
  ['connection missing, service key', connection(null)],
  ['connection missing', connection(LINK)],
];

interface DenialCase {
  readonly input: { readonly cause: string; readonly era: Era };
  readonly expect: JsonObject;
}

function deny({ cause: words, era }: DenialCase['input']): DenialResponse {
  const cause = CAUSES.find(([start]) => words.startsWith(start))?.[1];
  if (cause === undefined) throw new Error(`no cause for ${words}`);
  const context: DenialContext = {
    era,
    revision: era === 'modern' ? '2026-07-28' : '2025-11-25',
    capabilities: readCapabilities(words.includes('elicitation url') ? { elicitation: { url: {} } } : {}),
    id: 7,
    method: 'tools/call',
    denialStatus: words.includes('=http') ? 'http' : '200',
    asToolError: words.includes('tool_error'),
  };
  return denialResponse(cause, context);
}

const memberOf = (body: JsonObject, name: string): JsonObject => (body[name] ?? {}) as JsonObject;

const FACTS: Readonly<Record<string, (response: DenialResponse, wanted: unknown) => void>> = {
  status: ({ status }, wanted) => expect(status).toBe(wanted),
  code: ({ body }, wanted) => expect(memberOf(body, 'error')['code']).toBe(wanted),
  message: ({ body }, wanted) => expect(memberOf(body, 'error')['message']).toBe(wanted),
  type: ({ body }, wanted) => expect(memberOf(memberOf(body, 'error'), 'data')['type']).toBe(wanted),
  header: ({ headers }, wanted) => expect(Object.keys(headers)).toContain(wanted),
  error: ({ headers }, wanted) => expect(headers['www-authenticate']).toContain(`error="${String(wanted)}"`),
  contains: ({ headers }, wanted) => expect(headers['www-authenticate']).toContain(wanted),
  isError: ({ body }, wanted) => expect(memberOf(body, 'result')['isError']).toBe(wanted),
  resultType: ({ body }, wanted) => expect(memberOf(body, 'result')['resultType']).toBe(wanted),
  notContains: ({ body }, wanted) => expect(JSON.stringify(body)).not.toContain(wanted),
};

describe('denialResponse', () => {
  it.each(vectors<DenialCase>('denial'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const response = deny(input);
    expect(response.body['id']).toBe(7);
    for (const [name, value] of Object.entries(wanted)) {
      expect(Object.keys(FACTS)).toContain(name);
      FACTS[name]?.(response, value);
    }
  });

  it('sends legacy sessions no code of the modern era, and modern requests no reserved code', () => {
    for (const [words] of CAUSES) {
      const legacy = memberOf(deny({ cause: words, era: 'legacy' }).body, 'error')['code'] ?? -32_600;
      expect(legacy).toBeLessThan(0);
    }
    for (const words of ['rate_limit', 'budget', 'guardrail before'])
      expect(memberOf(deny({ cause: words, era: 'modern' }).body, 'error')['code']).toBeGreaterThan(0);
  });

  it.each([
    ['tools/call', 'result'],
    ['prompts/get', 'result'],
    ['completion/complete', 'error'],
    ['tasks/get', 'error'],
  ])('sends a modern client of %s without a connection a %s', (method, member) => {
    const { body } = denialResponse(connection(LINK), {
      ...{ era: 'modern', revision: '2026-07-28', denialStatus: '200', asToolError: false },
      ...{ capabilities: readCapabilities({ elicitation: { url: {} } }), id: 1, method },
    });
    expect(Object.keys(body)).toContain(member);
    expect(JSON.stringify(body)).toContain(LINK);
  });

  it('removes line breaks and quotes of a caller from headers', () => {
    const cause: DenialCause = { kind: 'scope', scope: 'a"\r\nx: y', resourceMetadata: METADATA };
    const { headers } = denialResponse(cause, {
      era: 'modern',
      revision: '2026-07-28',
      capabilities: readCapabilities({}),
      id: null,
      method: null,
      denialStatus: '200',
      asToolError: false,
    });
    expect(headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", resource_metadata="${METADATA}", scope="ax: y"`,
    );
  });
});
